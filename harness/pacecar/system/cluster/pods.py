"""What a pod says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pacecar.system.cluster.errors import plain

if TYPE_CHECKING:
    from lightkube.models.core_v1 import ContainerStatus
    from lightkube.resources.core_v1 import Pod

#: A condition of a pod that somebody else takes away: drained, preempted, out of resources (KEP 3329).
_DISRUPTED = "DisruptionTarget"
#: Why no node takes a pod: none can, or somebody holds it back whose consent it asks for (KEP 3521).
_UNPLACED = ("Unschedulable", "SchedulingGated")
#: Why the kubelet or the node's controller ends a pod whatever its containers did.
_TAKEN = ("Evicted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "NodeAffinity")


@dataclass(frozen=True, kw_only=True)
class ContainerState:
    """One container of a pod.

    Attributes:
        running: it runs.
        started: its startup probe has passed, where it has one.
        waiting: why it does not run yet, as in `ImagePullBackOff`; None when it does not wait.
        message: what is said of that; None for nothing.
        exit_code: how it ended; None while it has not.
        reason: why, as in `OOMKilled`; None for nothing.
        restarts: the kubelet starts it anew when it ends, as it does with native sidecars.
    """

    running: bool = False
    started: bool = False
    waiting: str | None = None
    message: str | None = None
    exit_code: int | None = None
    reason: str | None = None
    restarts: bool = False

    @property
    def out_of_memory(self) -> bool:
        """Whether the kernel killed it for want of memory at its own limit."""
        return self.reason == "OOMKilled"

    @property
    def begun(self) -> bool:
        """Whether it runs, or has."""
        return self.running or self.exit_code is not None


@dataclass(frozen=True, kw_only=True)
class PodState:
    """A pod at one moment.

    Attributes:
        name: what it is called.
        uid: by which the API tells it from others of its name.
        phase: Pending, Running, Succeeded, Failed or Unknown.
        taken: who or what takes it away, or has, in half a sentence; None when nobody does.
        unschedulable: why no node takes it; None when one has, or none was asked yet.
        node: where it runs; None before.
        address: its own; None before.
        node_address: of its node; None before.
        node_network: it has the network of its node.
        containers: by name, those of its start among them.
    """

    name: str
    uid: str
    phase: str
    taken: str | None = None
    unschedulable: str | None = None
    node: str | None = None
    address: str | None = None
    node_address: str | None = None
    node_network: bool = False
    containers: Mapping[str, ContainerState] = field(default_factory=dict)


def state_of(pod: Pod) -> PodState:
    """What `pod` says."""
    status, spec = pod.status, pod.spec
    assert status is not None  # of every pod that the API tells of
    assert spec is not None
    conditions = {each.type: each for each in status.conditions or ()}
    scheduled = conditions.get("PodScheduled")
    held = scheduled is not None and scheduled.status != "True" and scheduled.reason in _UNPLACED
    unschedulable = plain(scheduled.message or scheduled.reason) if held and scheduled is not None else None
    lasting = {each.name for each in spec.initContainers or () if each.restartPolicy == "Always"}
    return PodState(
        name=plain(pod.metadata.name if pod.metadata is not None else ""),
        uid=plain(pod.metadata.uid if pod.metadata is not None else ""),
        phase=status.phase or "Pending",
        taken=_taken(pod),
        unschedulable=unschedulable,
        node=plain(spec.nodeName) or None,
        address=plain(status.podIP) or None,
        node_address=plain(status.hostIP) or None,
        node_network=bool(spec.hostNetwork),
        containers={
            each.name: _container(each, restarts=each.name in lasting)
            for each in (*(status.initContainerStatuses or ()), *(status.containerStatuses or ()))
        },
    )


def _taken(pod: Pod) -> str | None:
    status, metadata = pod.status, pod.metadata
    assert status is not None
    for each in status.conditions or ():
        if each.type == _DISRUPTED and each.status == "True":
            return f"was taken away ({plain(each.reason)}: {plain(each.message)})"
    if status.reason in _TAKEN:
        return f"was taken away ({plain(status.reason)}: {plain(status.message)})"
    if metadata is not None and metadata.deletionTimestamp is not None:
        return "was deleted by somebody else"
    return None


def _container(each: ContainerStatus, *, restarts: bool) -> ContainerState:
    state = each.state
    waiting, ended = (state.waiting, state.terminated) if state is not None else (None, None)
    return ContainerState(
        running=state is not None and state.running is not None,
        started=bool(each.started),
        waiting=None if waiting is None else plain(waiting.reason),
        message=(plain(waiting.message) or None) if waiting is not None else None,
        exit_code=None if ended is None else ended.exitCode,
        reason=None if ended is None else plain(ended.reason) or None,
        restarts=restarts,
    )
