"""How the pod of a fork stands, or has ended."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.measurement.deploy import death
from pacecar.measurement.deploy.kubernetes.pod import SIDECAR
from pacecar.system.cluster.pods import ContainerState, PodState

#: Reasons for waiting that no patience mends, and what to do about each.
_HOPELESS = {
    "ErrImageNeverPull": "Load the image into the node, or let it be pulled: imagePullPolicy.",
    "InvalidImageName": "Correct the name of the image.",
    "CreateContainerConfigError": "Correct what the manifest names: a ConfigMap or a Secret is missing.",
    "CreateContainerError": "Correct the container in the manifest.",
    "RunContainerError": "Correct the container's command in the manifest.",
}
_PULL = ("ErrImagePull", "ImagePullBackOff", "RegistryUnavailable")
_PULL_REMEDY = "See whether the node may pull it: kubectl describe pod; imagePullSecrets in the manifest."


@dataclass(frozen=True, kw_only=True)
class Hopeless:
    """Why a pod will never be ready: the end of a sentence, and what to do."""

    why: str
    remedy: str


def hopeless(state: PodState) -> Hopeless | None:
    """Why a pod that has not started yet never will; None while it may."""
    for name, each in state.containers.items():
        who = "the sidecar's image" if name == SIDECAR else f"the image of {name}"
        if each.waiting in _PULL:
            return Hopeless(why=f"{who} cannot be pulled: {each.message or each.waiting}", remedy=_PULL_REMEDY)
        if each.waiting in _HOPELESS:
            why = f"container {name} cannot be made: {each.message or each.waiting}"
            return Hopeless(why=why, remedy=_HOPELESS[each.waiting])
    return None


def waits_for(state: PodState) -> str:
    """What a pod that has not started yet waits for, as the end of a sentence."""
    if state.unschedulable is not None:
        return f"no node takes it: {state.unschedulable}"
    if not state.node:
        return "no node has taken it"
    waiting = [(name, each) for name, each in state.containers.items() if each.waiting]
    name, each = waiting[0] if waiting else ("its containers", ContainerState(waiting="start"))
    return f"{name} waits: {each.message or each.waiting}"


def ended(state: PodState, container: str) -> ContainerState | None:
    """The service's container when it has ended; None while it may still run."""
    found = state.containers.get(container)
    return found if found is not None and found.exit_code is not None else None


def killed_at_limit(found: ContainerState) -> bool:
    """Whether the kernel killed it for want of memory at its own limit."""
    return found.reason == "OOMKilled"


def how(found: ContainerState, *, log_tail: str) -> str:
    """How it ended, as the end of a sentence."""
    if killed_at_limit(found):
        return "was killed for lack of memory at its limit"
    # A status above 128 is that of a process that a signal ended, as a shell tells it (signal(7)).
    code = found.exit_code or 0
    status = 128 - code if 128 < code < 160 else code
    return death.how(status, log_tail=log_tail, oom_kills_before=death.oom_kills())
