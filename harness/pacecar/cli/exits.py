"""Exit codes: what a verdict, a failure or a signal ends the command with.

0 no regression, 1 regression, 2 wrong usage or configuration, 3 invalid measurement, 4 inconclusive where the
user asked that to fail, 130 interrupted. Nothing else.
"""

from __future__ import annotations

import signal
import sys
from enum import StrEnum
from types import FrameType

import typer
from typer.exceptions import TyperException

from pacecar.comparison import Verdict
from pacecar.errors import Interrupted, PacecarError, UsageError


class FailOn(StrEnum):
    """Which verdicts make the command fail. `invalid` always does."""

    NOTHING = "nothing"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


def exit_code(verdict: Verdict, fail_on: FailOn) -> int:
    """The exit code of a comparison whose verdict, what is accepted left aside, is `verdict`."""
    if verdict is Verdict.INVALID:
        return 3
    if verdict is Verdict.REGRESSED and fail_on is not FailOn.NOTHING:
        return 1
    if verdict is Verdict.INCONCLUSIVE and fail_on is FailOn.INCONCLUSIVE:
        return 4
    return 0


def guarded(app: typer.Typer) -> int:
    """Run `app`; turn every failure a user can act on into a sentence, a hint and an exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        result = typer.main.get_command(app).main(prog_name="pacecar", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except PacecarError as error:
        return _say(error)
    except TyperException as error:
        return _say(_usage(error))
    except (KeyboardInterrupt, typer.Abort):
        return _say(Interrupted("Interrupted."))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left; nothing more can be said there
        return 0


def _usage(error: TyperException) -> UsageError:
    context = getattr(error, "ctx", None)  # only errors of parsing the command line carry one
    command = context.command_path if context else "pacecar"
    return UsageError(error.format_message() or "A command is missing.", hint=f"Try: {command} --help")


def _say(error: PacecarError) -> int:
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)
    return error.exit_code


def _interrupt(number: int, _frame: FrameType | None) -> None:
    # A second signal must not cut short the ending of processes, which is bounded in time.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(f"Interrupted by {signal.Signals(number).name}.")
