"""One process that we own, and the cores it may use."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

GRACE_S = 5.0
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Child:
    """A process that we own, leader of a session of its own; its output goes to `log`."""

    def __init__(self, process: subprocess.Popen[bytes], *, name: str, log: Path) -> None:
        self._process = process
        self.name = name
        self.log = log

    @property
    def pid(self) -> int:
        """Process id; stays reserved until `end` or `wait` has collected the exit status."""
        return self._process.pid

    def poll(self) -> int | None:
        """Exit status (negative: killed by that signal), or None while it runs."""
        return self._process.poll()

    def wait(self, timeout_s: float) -> int | None:
        """Like `poll`, but waits up to `timeout_s` for the end."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self, grace_s: float = GRACE_S) -> int:
        """End it and its group: first asking, after `grace_s` by force. Returns the exit status."""
        self._signal(signal.SIGTERM)
        if self.wait(grace_s) is None:
            self._signal(signal.SIGKILL)
        status = self._process.wait()
        self._signal(signal.SIGKILL)  # what the group's leader left behind
        return status

    def tail(self, lines: int = 15) -> str:
        """The last lines of the log, read from at most its last 64 KiB, without control characters."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 65_536))
            text = file.read().decode("utf-8", "replace")
        plain = _ESCAPE.sub("", text)
        return "\n".join(_UNPRINTABLE.sub("", line) for line in plain.splitlines()[-lines:])

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


@contextlib.contextmanager
def affinity(cpus: Iterable[int]) -> Iterator[None]:
    """Start children on `cpus` (none: on any). They inherit the thread's cores; it gets its own back afterwards."""
    wanted = set(cpus)
    if not wanted:
        yield
        return
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, wanted)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)
