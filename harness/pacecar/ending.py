"""How the process ends: whatever happens becomes one sentence and an exit code.

A failure the user can act on brings its own sentence and code (`errors`). Of what nobody foresaw, a disk without room
is 3, another failure of the system 2, and the rest a fault of Pacecar's own: 70, as `EX_SOFTWARE` of `sysexits.h`.
Python's own code for an exception is 1, which here means a regression and nothing else.

This module is loaded before all others but a few, so that also one that cannot be imported ends like this.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from pacecar.errors import Ending, Interrupted, PacecarError, UsageError
from pacecar.system import failures, streams
from pacecar.system.disk import lacks_room, no_room
from pacecar.system.interruption import answer_signals, hear_no_more
from pacecar.text.plain import plain_lines

_LONGEST = 300


class Fault(PacecarError):
    """Pacecar itself is wrong: something happened that nobody foresaw."""

    exit_code = 70


def guarded(command: Callable[[], int]) -> int:
    """Run `command` and return the exit code of the process: its own, or that of what it ended with.

    A fault in a thread, which may have spoiled what was said, takes the place of a verdict's code.
    """
    answer_signals()
    streams.settle()
    threads = _Threads()
    threading.excepthook = threads.note
    try:
        code = _said(command)
    except BaseException as error:  # a signal while something was being said
        code = _told(error)
    hear_no_more()
    return threads.exit_code if threads.exit_code and code in (0, 1, 4) else code


class _Threads:
    """Faults of threads, of which Python would only print a traceback."""

    exit_code = 0

    def note(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None and caught.exc_type is not SystemExit:
            self.exit_code = self.exit_code or _told(caught.exc_value)


def _said(command: Callable[[], int]) -> int:
    try:
        code = command()
        sys.stdout.flush()  # a failure now still has a code of its own; at the interpreter's end it would be 120
    except BaseException as error:
        return _told(error)
    return code


def _told(error: BaseException) -> int:
    """Say what happened, as far as anybody can be told, and return its exit code."""
    told = told_as(error)
    try:
        print(plain_lines(f"error: {told.message}"), file=sys.stderr)
        if told.hint:
            print(plain_lines(f"  {told.hint}"), file=sys.stderr)
        sys.stderr.flush()
        sys.stdout.flush()
    except (OSError, ValueError):  # nothing can be said any more
        pass
    return told.exit_code


def told_as(error: BaseException) -> Ending:
    """`error` as one that has a sentence and an exit code. The traceback of what nobody foresaw is kept."""
    if (ended := _interruption(error)) is not None:
        return ended
    cause = _without_room(error)
    if isinstance(error, PacecarError):
        return error if cause is None or error.exit_code == 3 else _roomless(error)
    if cause is not None:
        return no_room(cause.filename or "what was written", cause)
    if isinstance(error, OSError):
        return _of_the_system(error)
    return _fault(error)


def _interruption(error: BaseException) -> Interrupted | None:
    if isinstance(error, Interrupted):
        return error
    if isinstance(error, BaseExceptionGroup):
        inner = error.subgroup((KeyboardInterrupt, Interrupted))
        return Interrupted("Interrupted.") if inner is not None else None
    return Interrupted("Interrupted.") if isinstance(error, KeyboardInterrupt) else None


def _without_room(error: BaseException | None) -> OSError | None:
    """The lack of room that `error` is, or was raised for."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and lacks_room(error):
            return error
        if isinstance(error, BaseExceptionGroup):
            return next((found for each in error.exceptions if (found := _without_room(each)) is not None), None)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None


class _Roomless(PacecarError):
    """What could not be done for lack of room, in the words of whoever tried."""

    exit_code = 3


def _roomless(error: PacecarError) -> PacecarError:
    return _Roomless(error.message, hint=error.hint or "Free some space, and try again.")


def _of_the_system(error: OSError) -> PacecarError:
    why = _plain(error.strerror or str(error) or type(error).__name__).rstrip(".")
    if error.filename is not None:
        return UsageError(
            f"{_plain(_name(error.filename))} cannot be used: {why}.",
            hint="Check that it is what it should be and that you may use it. See what this machine lacks: pacecar "
            "doctor",
        )
    place = failures.place_of(error)
    return UsageError(f"The system refused: {why}{f' (at {place})' if place else ''}.", hint=_kept(error))


def _fault(error: BaseException) -> Fault:
    said = _plain(str(error))
    what = type(error).__name__ + (f": {said}" if said else "")
    place = failures.place_of(error)
    message = f"Pacecar has a bug: {what}{f' (at {place})' if place else ''}."
    if isinstance(error, MemoryError):
        message = f"Memory ran out{f' (at {place})' if place else ''}."
    return Fault(message, hint=f"{_kept(error)} Report it with that file, the command and what you expected.")


def _kept(error: BaseException) -> str:
    path = failures.keep(error)
    return f"The traceback is in {path}." if path else "Its traceback could not be written; see why: pacecar doctor"


def _name(filename: object) -> str:
    return filename.decode("utf-8", "replace") if isinstance(filename, bytes) else str(filename)


def _plain(text: str) -> str:
    """`text`, which may come from anywhere, as a part of one line without control characters."""
    line = "".join(char if char.isprintable() else " " for char in text[: 4 * _LONGEST])
    return " ".join(line.split())[:_LONGEST]
