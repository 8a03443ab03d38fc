"""How the pod of a fork has ended."""

from __future__ import annotations

from pacecar.measurement.deploy import death
from pacecar.system.cluster.pods import ContainerState, PodState


def ended(state: PodState, container: str) -> ContainerState | None:
    """The service's container when it has ended; None while it may still run."""
    found = state.containers.get(container)
    return found if found is not None and found.exit_code is not None else None


def broken(state: PodState, container: str) -> str | None:
    """Name of another container than the service's that has failed; None for none.

    What the kubelet starts anew has not failed. The pod is never restarted, so a start that fails has failed for good,
    and so has what works for the service.
    """
    others = ((name, each) for name, each in state.containers.items() if name != container and not each.restarts)
    return next((name for name, each in others if each.exit_code not in (None, 0)), None)


def how(found: ContainerState, *, log_tail: str) -> str:
    """How it ended, as the end of a sentence."""
    if found.out_of_memory:
        return "was killed for lack of memory at its limit"
    # A status above 128 is that of a process that a signal ended, as a shell tells it (signal(7)).
    code = found.exit_code or 0
    status = 128 - code if 128 < code < 160 else code
    return death.how(status, log_tail=log_tail, oom_kills_before=death.oom_kills())
