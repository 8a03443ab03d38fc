"""A target whose forks are pods."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.model.deployment import KubernetesDeployment, ProcessDeployment

FILE = """
[target]
name = "orders"
deploy = "kubernetes"
ready = "/health"
"""
TABLE = '[target.kubernetes]\nsidecar = "pacecar:1"\nport = 8080\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "kubernetes.yaml").touch()
    return tmp_path / "pacecar.toml"


def test_defaults(project: Path) -> None:
    project.write_text(FILE + TABLE)
    expected = KubernetesDeployment(manifest=project.parent / "kubernetes.yaml", sidecar="pacecar:1", port=8080)
    assert config.load(project).target.deployment == expected


def test_every_key(project: Path) -> None:
    (project.parent / "deploy.yaml").touch()
    keys = (
        'manifest = "deploy.yaml"\nworkload = "Deployment/web"\ncontainer = "app"\njar = "/app/a.jar"\ncpu = 1.5\n'
        'memory = "512 MiB"\nnodes = { "example.com/pool" = "quiet" }\nlabels = { team = "shop" }\n'
        'namespace = "performance"\ncontext = "kind-a"\n'
    )
    project.write_text(f"{FILE}{TABLE}{keys}")
    found = config.load(project).target.deployment
    assert isinstance(found, KubernetesDeployment)
    assert (found.manifest.name, found.workload, found.container, found.jar) == (
        "deploy.yaml",
        "Deployment/web",
        "app",
        "/app/a.jar",
    )
    assert (found.cpu, found.memory_bytes, found.nodes) == (1.5, 512 << 20, {"example.com/pool": "quiet"})
    assert found.labels == {"team": "shop"}
    assert (found.namespace, found.context) == ("performance", "kind-a")


def test_a_port_of_pacecars_own_choice_is_told_to_the_service(project: Path) -> None:
    told = FILE + 'env = { PORT = "{port}" }\n[target.kubernetes]\nsidecar = "pacecar:1"\n'
    project.write_text(told)
    found = config.load(project).target.deployment
    assert isinstance(found, KubernetesDeployment)
    assert found.port is None


def test_a_file_may_describe_several_ways(project: Path) -> None:
    several = FILE.replace('deploy = "kubernetes"', 'command = ["x", "{artifact}", "{port}"]')
    project.write_text(several + TABLE)
    assert isinstance(config.load(project).target.deployment, ProcessDeployment)
    chosen = config.load(project, overrides={"target.deploy": "kubernetes"}).target.deployment
    assert isinstance(chosen, KubernetesDeployment)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILE.replace('deploy = "kubernetes"\n', "") + TABLE, 'is for target.deploy = "kubernetes"; add that line'),
        (FILE, "target.kubernetes.sidecar: missing: the image with Pacecar"),
        (f'{FILE}[target.kubernetes]\nsidecar = "a:1"\n', "target.kubernetes.port: missing"),
        (f'{FILE}{TABLE}manifest = "none.yaml"\n', "line 9, target.kubernetes.manifest: there is no file"),
        (f'{FILE}{TABLE}jar = "app.jar"\n', "is not an absolute path of a jar"),
        (f"{FILE}{TABLE}cpu = 0.0\n", "target.kubernetes.cpu"),
        (f'{FILE}{TABLE}memory = "1 MiB"\n', "target.kubernetes.memory"),
        (f'{FILE}{TABLE}nodes = {{ "a b" = "c" }}\n', 'is not the name of a label such as "example.com/pool"'),
        (f'{FILE}{TABLE}workload = "apps/v1/web"\n', 'is not the name of a workload such as "orders"'),
        (f'{FILE}{TABLE}nodes = {{ pool = "-" }}\n', 'is not the value of a label such as "performance"'),
        (FILE + TABLE.replace("pacecar:1", "Not an image"), "is not the name of an image"),
        (f"{FILE}{TABLE}image = 1\n", "target.kubernetes.image"),
        (f'{FILE}{TABLE}[[target.dependencies]]\nname = "db"\ncommand = ["db"]\n', "a container of the pod"),
    ],
)
def test_what_cannot_be(project: Path, text: str, message: str) -> None:
    project.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(project)
    assert message in str(caught.value)
