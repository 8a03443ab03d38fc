"""The command on pods of a real cluster: a build that costs more, and one whose pods are taken away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
import yaml

from end_to_end.conftest import command_of
from support.cluster import Cluster
from support.cluster.images import PACECAR
from support.cluster.pods import container, path
from support.cluster.reached import reached

TABLE = f"""
[target.kubernetes]
jar = "/app/service.jar"
sidecar = "{PACECAR}"

[source]"""
AS_A_POD = {
    'ready = "/report"\n': 'ready = "/report"\ndeploy = "kubernetes"\nenv = { PORT = "{port}" }\n',
    "\n[source]": TABLE,
    'command = ["{java}", "-Xms64m", "-Xmx64m", "-jar", "{artifact}", "{port}"]\n': "",
}


@pytest.fixture(scope="module")
def kubernetes() -> Iterator[Cluster]:
    with reached() as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(found.kubeconfig))
        yield found


@pytest.fixture
def small(kubernetes: Cluster, small: Any) -> Any:
    """The small service as a Deployment, whose pods have the network of the node."""
    project, service = small
    run = container("small", "java", "-Xms64m", "-Xmx64m", "-jar", "/app/service.jar", "$(PORT)")
    pod = {"metadata": {"labels": {"app": "small"}}, "spec": {"hostNetwork": True, "containers": [run]}}
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "small"}, "spec": {"template": pod}}
    (project.folder / "kubernetes.yaml").write_text(yaml.safe_dump(manifest))
    project.edit(AS_A_POD)
    return project, service


def ours(cluster: Cluster) -> list[str]:
    return [
        each["metadata"]["name"] for each in cluster.api.get(f"{path()}?labelSelector=dev.pacecar%2Fowner")["items"]
    ]


def test_what_costs_more_is_found_in_pods_as_elsewhere(small: Any, kubernetes: Cluster) -> None:
    project, service = small
    service.commit("First report")
    service.tag("before")
    service.commit("Write reports twenty times", copies=20)
    told = project.pacecar("compare", "--baseline", "before", "--candidate", "main", "--pairs", "3")
    assert told.returncode == 1, f"{told.stdout}{told.stderr}"
    document = project.document
    assert document["verdict"] == "regressed"
    (allocation,) = [row for row in document["judgements"] if row["name"] == "allocation" and not row["endpoint"]]
    assert allocation["estimate"]["low"] > 1
    assert "Report.write" in told.stdout
    for side in ("baseline", "candidate"):
        folder = project.run / "pairs" / "01" / side
        assert (pd.read_parquet(folder / "containers.parquet")["used_cpu_ns"] > 0).all()
        assert not pd.read_parquet(folder / "samples.parquet").empty
        assert not pd.read_parquet(folder / "pauses.parquet").query("process == 'target'").empty
        assert (folder / "raw" / "service.log").exists()
    assert ours(kubernetes) == []
    assert project.left_behind() == []


@pytest.mark.shares_machine
def test_a_pair_whose_pod_is_taken_away_is_left_out_and_the_run_goes_on(small: Any, kubernetes: Cluster) -> None:
    project, service = small
    service.commit("First report")
    same = ("--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true", "--pairs", "2")
    compare = project.start("compare", *same, "--set", "plan.warmup=8 s", "--fail-on", "nothing")
    project.wait(lambda: _loaded(project), compare)
    first, _ = ours(kubernetes)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": first}}
    kubernetes.api.create(f"{path(first)}/eviction", eviction)
    _, errors = compare.communicate(timeout=300)
    assert compare.returncode in (0, 3), errors
    lost, kept = (json.loads((project.run / "pairs" / number / "pair.json").read_text()) for number in ("01", "02"))
    assert [fork["lost"] is not None for fork in lost["forks"].values()].count(True) == 1
    assert all(fork["died"] is None for fork in (*lost["forks"].values(), *kept["forks"].values()))
    assert all(fork["lost"] is None for fork in kept["forks"].values())
    assert ours(kubernetes) == []
    assert project.left_behind() == []


def _loaded(project: Any) -> bool:
    """Whether the load generator runs, and so both forks are ready."""
    return any("gatling" in " ".join(command_of(process)).lower() for process in project.processes())
