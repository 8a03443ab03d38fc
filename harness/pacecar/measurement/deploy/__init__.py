"""One fork of the target: up, ready, supervised, down.

`fork` says what a deployer and its forks are, `deployers` knows which there are: `process`, `compose` and `kubernetes`,
each in a folder. What they share has modules of its own: `launch` the command and environment, `ports` a port, `hooks`
the user's setup and reset, `dependencies` what each fork needs beside it, `readiness` whether it answers, `jvm` the JVM
inside it, `death` how it ended. `cores` divides the machine between the forks and the load generator.
"""

from __future__ import annotations

from pacecar.errors import MeasurementError
from pacecar.model.experiment import Side


class DeployError(MeasurementError):
    """A fork could not be started, or did not become ready.

    Args:
        message: one sentence that says how.
        side: whose fork, where its build may be the reason; None where that lies outside the builds.
        hint: the last lines it logged, or a remedy.
    """

    def __init__(self, message: str, *, side: Side | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.side = side


class ForkDied(DeployError):
    """A fork ended before its time.

    Args:
        message, side, hint: see `DeployError`.
        at_limit: the kernel killed it for want of memory at the limit of its own container.
    """

    def __init__(self, message: str, *, side: Side, hint: str | None = None, at_limit: bool = False) -> None:
        super().__init__(message, side=side, hint=hint)
        self.at_limit = at_limit


class ForkLost(MeasurementError):
    """A fork was taken away while it was measured, by nothing that it did: its node was drained, say. Its pair is of no
    use; the next may be.
    """

    def __init__(self, message: str, *, side: Side, hint: str) -> None:
        """`side` is whose it was."""
        super().__init__(message, hint=hint)
        self.side = side
