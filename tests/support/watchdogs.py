"""Waiting for what another process says, but not for ever."""

from __future__ import annotations

import subprocess
import threading
from typing import IO

#: Generous: only a process that hangs takes so long, however busy the machine is.
WATCHDOG_S = 120


def line_of(process: subprocess.Popen[str], stream: IO[str] | None) -> str:
    """The next line of `stream`, a pipe from `process`; a process that says nothing is killed, and fails the test."""
    assert stream is not None, "the stream is no pipe"
    watchdog = threading.Timer(WATCHDOG_S, process.kill)
    watchdog.start()
    try:
        line = stream.readline()
    finally:
        watchdog.cancel()
    assert line, f"process {process.pid} ended or hung without a line"
    return line
