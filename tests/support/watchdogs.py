"""Waits for what another process says, but not forever."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr, NoReturn

import psutil
import pytest

#: Generous: only a process that hangs takes so long, however busy the machine is.
WATCHDOG_S = 120.0
_SHOWN_BYTES = 4000


class _Late(Exception):
    """The time is over."""


def line_of(
    process: subprocess.Popen[AnyStr], stream: IO[AnyStr] | None = None, *, errors: Path | None = None
) -> AnyStr:
    """The next line that `process` writes.

    Where none comes in `WATCHDOG_S`, or the stream ends without one, the process is killed with all that it has
    started, and the test fails with what was written to standard error. Must be called on the main thread.

    Args:
        process: a child of ours.
        stream: a pipe from it; None for its standard output.
        errors: the file that its standard error goes to, where that is one.
    """
    pipe = process.stdout if stream is None else stream
    assert pipe is not None, "the stream is no pipe"
    try:
        with _deadline(WATCHDOG_S):
            line = pipe.readline()
    except _Late:
        _fail(process, f"wrote no line in {WATCHDOG_S:g} s", errors)
    if not line:
        _fail(process, "ended its output without a line", errors)
    return line


def line_within(pipe: IO[bytes], seconds: float) -> bytes | None:
    """The next line of `pipe`; None where none came in time. Must be called on the main thread."""
    try:
        with _deadline(seconds):
            return pipe.readline()
    except _Late:
        return None


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    # A signal, not a thread that kills: a pipe ends only once everybody who has inherited it is gone.
    def late(*_: object) -> NoReturn:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _fail(process: subprocess.Popen[AnyStr], how: str, errors: Path | None) -> NoReturn:
    _kill(process)
    said = _written(process.stderr, errors).decode("utf-8", "replace").strip()
    pytest.fail(f"process {process.pid} {how}; on standard error: {said or '(nothing that was caught)'}")


def _kill(process: subprocess.Popen[AnyStr]) -> None:
    """Kill the process and all that it has started."""
    if process.poll() is None:
        with contextlib.suppress(psutil.Error):
            for each in psutil.Process(process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    each.kill()
        process.kill()
    process.wait()


def _written(stream: IO[AnyStr] | None, file: Path | None) -> bytes:
    """The end of what there is by now; somebody who has got away may hold the pipe, so nobody waits for its end."""
    if file is not None:
        return file.read_bytes()[-_SHOWN_BYTES:]
    if stream is None or stream.closed:
        return b""
    os.set_blocking(stream.fileno(), False)
    said = b""
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(stream.fileno(), 1 << 16):
            said = (said + piece)[-_SHOWN_BYTES:]
    return said
