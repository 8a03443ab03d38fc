from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.system.resources import Resources
from support.cluster import Cluster
from support.cluster.project import Project
from support.cluster.reached import reached
from support.container_engine.service import built_jar


@pytest.fixture(scope="package")
def kubernetes() -> Iterator[Cluster]:
    with reached() as found:
        yield found


@pytest.fixture(scope="package")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_jar(tmp_path_factory.mktemp("service"))


@pytest.fixture
def project(kubernetes: Cluster, jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A folder of its own in the cluster's default namespace; what its forks leave there is gone afterwards."""
    monkeypatch.setenv("KUBECONFIG", str(kubernetes.kubeconfig))
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    with Resources() as resources:
        yield Project(folder=tmp_path, resources=resources, jar=jar)


@pytest.fixture
def left(kubernetes: Cluster) -> Callable[[], list[str]]:
    """Names of all pods and secrets in the default namespace that have a label of ours."""

    def names() -> list[str]:
        paths = (f"/api/v1/namespaces/default/{kind}?labelSelector=dev.pacecar%2Fowner" for kind in ("pods", "secrets"))
        return [each["metadata"]["name"] for path in paths for each in kubernetes.api.get(path)["items"]]

    return names
