"""What a pod that has not started yet waits for, and whether that will ever end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pacecar.system.cluster.pods import PodState

#: How long the scheduler may say that no node takes a pod. An autoscaler looks for such pods every ten seconds, and the
#: node that it orders from a cloud is there in one to three minutes. Only it knows whether it has ordered one, so
#: whoever has none waits as long.
PLACING_S = 240.0
#: How long a pod may look as if it never started: its secret may just be on the way.
_SURE_S = 2.0
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
_ENDS_AGAIN = "CrashLoopBackOff"
_SIDECAR_REMEDY = (
    "Its image (target.kubernetes.sidecar) has to hold this version of Pacecar, and be for the processors of the node: "
    "docs/how-to/kubernetes.md."
)
#: What the controller of a job says of an account that is not there.
_NO_ACCOUNT = "error looking up service account"


@dataclass(frozen=True, kw_only=True)
class Hopeless:
    """Why a pod will never be ready: the end of a sentence, what to do, and whose last lines may tell more."""

    why: str
    remedy: str
    container: str | None = None


def hopeless(state: PodState, *, sidecar: str | None = None) -> Hopeless | None:
    """Why a pod that has not started yet never will; None while it may. `sidecar` names a container that is ours."""
    for name, each in state.containers.items():
        who = "the sidecar's image" if name == sidecar else f"the image of {name}"
        if each.waiting in _PULL:
            return Hopeless(why=f"{who} cannot be pulled: {each.message or each.waiting}", remedy=_PULL_REMEDY)
        if name == sidecar and each.waiting == _ENDS_AGAIN:
            return Hopeless(why="the sidecar ends as soon as it starts", remedy=_SIDECAR_REMEDY, container=name)
        if each.waiting in _HOPELESS:
            why = f"container {name} cannot be made: {each.message or each.waiting}"
            return Hopeless(why=why, remedy=_HOPELESS[each.waiting])
    return None


def unplaced(state: PodState, *, remedy: str) -> Hopeless | None:
    """What the scheduler says of a pod that no node takes, and `remedy`; None when one has, or none was asked."""
    if state.unschedulable is None or state.node:
        return None
    said = state.unschedulable.rstrip(".")
    why = f"no node has taken it within {PLACING_S / 60:g} minutes, and the scheduler says: {said}"
    return Hopeless(why=why, remedy=remedy)


class Prospects:
    """Whether a pod that has not started yet ever will, by how it stands from time to time.

    Args:
        remedy: what to do where no node takes it.
        sidecar: a container that is ours; None for none.
        now: a monotonic clock.
    """

    def __init__(self, *, remedy: str, sidecar: str | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._remedy, self._sidecar, self._now = remedy, sidecar, now
        self._patience_s: float | None = None
        self._since = 0.0

    def given_up(self, state: PodState) -> Hopeless | None:
        """Why it is given up by now; None while it may still start."""
        found, patience_s = hopeless(state, sidecar=self._sidecar), _SURE_S
        if found is None:
            found, patience_s = unplaced(state, remedy=self._remedy), PLACING_S
        if found is None or patience_s != self._patience_s:
            self._patience_s, self._since = None if found is None else patience_s, self._now()
            return None
        return found if self._now() - self._since > patience_s else None


def unmade(complaint: str | None) -> Hopeless | None:
    """Why the pod of a job will never be made, by what the cluster warns of; None while it may, as where a quota is
    used up for now.
    """
    if complaint is None or _NO_ACCOUNT not in complaint:
        return None
    return Hopeless(
        why=complaint.removeprefix("Error creating: ").rstrip("."),
        remedy="Have an admin apply the output of: pacecar cluster manifest; or name another account.",
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
