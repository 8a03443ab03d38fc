"""A fork in a pod that does not come up: a cluster that says what a test wants stands in the place of a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from lightkube.resources.core_v1 import Pod

from pacecar.measurement.deploy import DeployError
from pacecar.measurement.deploy.fork import Launched
from pacecar.measurement.deploy.hooks import Hooks
from pacecar.measurement.deploy.kubernetes import fork as forks
from pacecar.measurement.deploy.kubernetes.fork import KubernetesFork, Sent
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import Readiness, Side, Target
from pacecar.system.cluster import waiting
from pacecar.system.cluster.pods import ContainerState, PodState, state_of
from pacecar.system.resources import Resources
from pacecar.text.hidden import NOTHING

PENDING = PodState(name="pacecar-1", uid="uid", phase="Pending")
UNPLACED = replace(PENDING, unschedulable="0/1 nodes are available: 1 Insufficient cpu.")
PLACED = replace(PENDING, phase="Running", node="node-1", address="127.0.0.1")

Start = Callable[..., KubernetesFork]


def with_containers(**containers: ContainerState) -> PodState:
    sidecar = ContainerState(running=True, started=True)
    return replace(PLACED, containers={"pacecar-sidecar": sidecar, **containers})


@dataclass
class Cluster:
    """Says of the pod each of `states`, one after the other, and then always the last."""

    states: list[PodState]
    removed: list[str] = field(default_factory=list)

    def pod(self, name: str) -> PodState:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def remove(self, label: str) -> None:
        self.removed.append(label)

    def last_lines(self, pod: str, container: str, *, lines: int) -> str:
        return f"last lines of {container}"

    def close(self) -> None:
        pass


@pytest.fixture
def start(tmp_path: Path, resources: Resources) -> Start:
    def started(*states: PodState, timeout_s: float = 20) -> KubernetesFork:
        target = Target(
            name="orders",
            deployment=KubernetesDeployment(manifest=tmp_path / "pod.yaml", sidecar="pacecar:1"),
            directory=tmp_path,
            env={},
            secrets={},
            port=None,
            ready=Readiness(path="/health", timeout_s=timeout_s),
            metrics_path=None,
            application=(),
        )
        launched = Launched(
            target=target,
            side=Side.CANDIDATE,
            port=9,
            folder=tmp_path,
            socket=tmp_path / "counters.sock",
            shown=(),
            hooks=Hooks(resources=resources, directory=tmp_path, env={}, folder=tmp_path, struck=NOTHING),
            once_ready=(),
            reset=(),
            moment=time.monotonic(),
        )
        # Port 9: nobody answers there.
        sent = Sent(name="pacecar-1", uid="uid", container="orders", sidecar_port=9, token="t", files={})
        cluster: Any = Cluster(list(states))
        return KubernetesFork(launched, sent=sent, connection=cluster)

    return started


def test_a_pod_that_no_node_takes_says_what_the_scheduler_says(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PLACING_S", 0.0)
    with pytest.raises(DeployError) as caught:
        start(UNPLACED).await_ready()
    said = "and the scheduler says: 0/1 nodes are available: 1 Insufficient cpu."
    assert caught.value.message.startswith("The candidate of orders will not start: no node has taken it within")
    assert caught.value.message.endswith(said)
    assert "kubectl describe nodes" in (caught.value.hint or "")


def test_the_time_in_which_a_node_is_made_does_not_count_for_readiness(start: Start) -> None:
    """The node is there when the target's time is over already; then the image is pulled, for a moment."""
    pulling = replace(PLACED, containers={"orders": ContainerState(waiting="ContainerCreating")})
    fork = start(UNPLACED, UNPLACED, pulling, timeout_s=0.1)
    with pytest.raises(DeployError, match=r"was not ready after \d+ ms: orders waits: ContainerCreating"):
        fork.await_ready()


@pytest.mark.parametrize("name", ["migrate", "db"])
def test_another_container_that_fails_is_named_at_once(start: Start, name: str) -> None:
    """No pod of a fork is restarted, so nobody else would ever start it."""
    fork = start(with_containers(**{name: ContainerState(exit_code=1)}))
    with pytest.raises(DeployError) as caught:
        fork.check_again()
    said = f"The container {name}, which the candidate of orders depends on, ended with status 1."
    assert caught.value.message == said
    assert f"last lines of {name}" in (caught.value.hint or "")


def test_what_has_done_its_work_or_is_started_anew_is_not_missed(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "_TOLD_S", 0.0)
    ended = ContainerState(exit_code=0)
    start(with_containers(migrate=ended, proxy=ContainerState(exit_code=1, restarts=True))).check_again()


def test_a_sidecar_that_ends_as_soon_as_it_starts(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_SURE_S", 0.0)
    with pytest.raises(DeployError, match="will not start: the sidecar ends as soon as it starts") as caught:
        start(replace(PLACED, containers={"pacecar-sidecar": ContainerState(waiting="CrashLoopBackOff")})).await_ready()
    assert "target.kubernetes.sidecar" in (caught.value.hint or "")
    assert "last lines of pacecar-sidecar" in (caught.value.hint or "")


def test_a_sidecar_that_cannot_be_reached_says_what_may_be_in_the_way(start: Start) -> None:
    with pytest.raises(DeployError, match=r"was not ready after .*: The sidecar at .* does not answer") as caught:
        start(with_containers(), timeout_s=0.1).await_ready()
    assert "NetworkPolicy" in (caught.value.hint or "")
    assert "port 9" in (caught.value.hint or "")


def test_a_pod_says_which_containers_are_started_anew() -> None:
    document = {
        "metadata": {"name": "a", "uid": "1"},
        "spec": {
            "containers": [],
            "initContainers": [{"name": "proxy", "restartPolicy": "Always"}, {"name": "migrate"}],
        },
        "status": {"initContainerStatuses": [_status("proxy"), _status("migrate")]},
    }
    found = state_of(cast("Pod", Pod.from_dict(document))).containers
    assert {name: each.restarts for name, each in found.items()} == {"proxy": True, "migrate": False}


def _status(name: str) -> dict[str, Any]:
    return {"name": name, "image": "a", "imageID": "a", "ready": False, "restartCount": 0}
