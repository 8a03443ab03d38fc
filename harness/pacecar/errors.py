"""What can go wrong, as exceptions that become one sentence and an exit code.

Three families stand here by their exit codes: `UsageError`, `MeasurementError` and `Interrupted`. Each failure is a
subclass that lives beside the code raising it, with an `exit_code` of its own where its family's does not fit.
`ending` is the only place that prints them; docs/reference/commands.md says what the codes mean.
"""

from __future__ import annotations

from typing import ClassVar


class Ending(BaseException):
    """What ends a command, and can be told in a sentence.

    Args:
        message: one sentence: what is wrong and where (file, line, key).
        hint: the next command to try, or the remedy; shown on a line of its own. None where there is none.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def told(self) -> str:
        """The message, and below it the hint."""
        return "\n".join(filter(None, (self.message, self.hint)))


class PacecarError(Ending, Exception):
    """A failure the user can act on."""


class UsageError(PacecarError):
    """The command, the configuration or a build is wrong: nothing was measured."""

    exit_code = 2


class MeasurementError(PacecarError):
    """The measurement could not be made or cannot be trusted."""

    exit_code = 3


class Interrupted(Ending):
    """Ended by the user or by a signal; what was measured stays readable.

    Like `KeyboardInterrupt` it is no `Exception`: it may come in the middle of any line, and whoever goes on after a
    failure, in a library or here, must not go on after this.
    """

    exit_code = 130
