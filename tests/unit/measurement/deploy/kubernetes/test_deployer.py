"""What a cluster is to bring up, before it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.measurement.deploy.kubernetes.deployer import KubernetesDeployer
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Target
from pacecar.system.resources import Resources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "orders"
    (built / "lib").mkdir(parents=True)
    (built / "lib" / "a.txt").write_text("a")
    (built / "lib" / "b.txt").symlink_to("a.txt")
    (built / "lib" / "above").symlink_to("..")
    (built / "lib" / "itself").symlink_to("itself")
    (tmp_path / "key").write_text("secret")
    return built


@pytest.fixture
def deployer(target: Target, resources: Resources, tmp_path: Path) -> KubernetesDeployer:
    deployment = KubernetesDeployment(manifest=tmp_path / "kubernetes.yaml", sidecar="pacecar:1", jar="/app")
    return KubernetesDeployer(target, deployment, resources=resources)


def test_a_folder_with_links_of_its_own(deployer: KubernetesDeployer, folder: Path, tmp_path: Path) -> None:
    request = BuildRequest(kind=BuildKind.JAR, value=str(folder), label="mine")
    assert deployer.make(request, source=None, log_dir=tmp_path).path is not None


@pytest.mark.hostile
@pytest.mark.parametrize("to", ["../../key", "{folder}/key", "../.."])
def test_a_link_that_leads_out_of_a_build_is_not_sent(
    deployer: KubernetesDeployer, folder: Path, tmp_path: Path, to: str
) -> None:
    (folder / "lib" / "c.txt").symlink_to(to.format(folder=tmp_path))
    request = BuildRequest(kind=BuildKind.JAR, value=str(folder), label="mine")
    with pytest.raises(BuildError, match=r"'mine' has a link that leads out of it: lib/c\.txt"):
        deployer.make(request, source=None, log_dir=tmp_path)
