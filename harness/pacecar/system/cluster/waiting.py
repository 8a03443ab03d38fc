"""What a pod that has not started yet waits for, and whether that will ever end."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.system.cluster.pods import PodState

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
#: What the controller of a job says of an account that is not there.
_NO_ACCOUNT = "error looking up service account"


@dataclass(frozen=True, kw_only=True)
class Hopeless:
    """Why a pod will never be ready: the end of a sentence, and what to do."""

    why: str
    remedy: str


def hopeless(state: PodState, *, sidecar: str | None = None) -> Hopeless | None:
    """Why a pod that has not started yet never will; None while it may. `sidecar` names a container that is ours."""
    for name, each in state.containers.items():
        who = "the sidecar's image" if name == sidecar else f"the image of {name}"
        if each.waiting in _PULL:
            return Hopeless(why=f"{who} cannot be pulled: {each.message or each.waiting}", remedy=_PULL_REMEDY)
        if each.waiting in _HOPELESS:
            why = f"container {name} cannot be made: {each.message or each.waiting}"
            return Hopeless(why=why, remedy=_HOPELESS[each.waiting])
    return None


def unmade(complaint: str | None) -> Hopeless | None:
    """Why the pod of a job will never be made, by what the cluster warns of; None while it may, as where a quota is
    used up for now.
    """
    if complaint is None or _NO_ACCOUNT not in complaint:
        return None
    return Hopeless(
        why=complaint.removeprefix("Error creating: ").rstrip("."),
        remedy="Have an admin apply what it prints: pacecar cluster manifest; or name another account.",
    )


def held_back(said: str | None) -> str:
    """What a job waits for that a queue holds, as the end of a sentence; `said` is what the queue says of it."""
    return f"its queue does not let it begin yet{f': {said}' if said else ''}"


def waits_for(state: PodState) -> str:
    """What a pod that has not started yet waits for, as the end of a sentence."""
    if state.unschedulable is not None:
        return f"no node takes it: {state.unschedulable}"
    if not state.node:
        return "no node has taken it"
    waiting = [
        f"{name} waits: {each.message or each.waiting}" for name, each in state.containers.items() if each.waiting
    ]
    return waiting[0] if waiting else "its containers are about to start"
