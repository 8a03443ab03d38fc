"""One process that we own, and the cores it may use."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil

from pacecar.system.resources.identity import sees_processes

GRACE_S = 5.0
_POLL_S = 0.02
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
        """End it and its group: first asking, after `grace_s` by force. Returns the exit status.

        A script ends as soon as it is asked, while the service that it started still has its shutdown to do: so all of
        the group are given that time.
        """
        by_force = time.monotonic() + grace_s
        self._signal(signal.SIGTERM)
        self.wait(grace_s)
        while (lives := self.poll() is None or _has_members(self._process.pid)) and time.monotonic() < by_force:
            time.sleep(_POLL_S)
        if lives:
            self._signal(signal.SIGKILL)
        return self._process.wait()

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


def _has_members(group: int) -> bool:
    """Whether a process of ours in `group` runs; one that nobody has waited for yet does not."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return not sees_processes() or any(_runs_in(group, pid) for pid in psutil.pids())


def _runs_in(group: int, pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError, psutil.Error):
        return os.getpgid(pid) == group and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


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
