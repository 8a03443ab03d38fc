"""What the scheduler says of each living thread of a process, by scheduler/sched-stats.rst of the kernel's docs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from pacecar.text.plain import cleaned

#: Of a process with more threads nothing is known: they are read between two windows.
_MOST = 5_000


@dataclass(frozen=True, kw_only=True)
class ThreadTimes:
    """One thread, in ns since it began.

    Attributes:
        name: as the kernel keeps it, 15 characters at most. HotSpot names its threads.
        ran_ns: CPU time.
        waited_ns: how long it was ready to run and on no CPU.
    """

    name: str
    ran_ns: int
    waited_ns: int


def threads_of(pid: int) -> dict[int, ThreadTimes]:
    """The living threads of process `pid` by their ids; none where the kernel does not tell, or where there are more
    than can be read.
    """
    found: dict[int, ThreadTimes] = {}
    with contextlib.suppress(OSError):
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        for task in tasks if len(tasks) <= _MOST else ():
            # A thread may end while it is looked at.
            with contextlib.suppress(OSError, ValueError, IndexError):
                name = cleaned((task / "comm").read_text(errors="replace").removesuffix("\n"))
                ran, waited = map(int, (task / "schedstat").read_text().split()[:2])
                found[int(task.name)] = ThreadTimes(name=name, ran_ns=ran, waited_ns=waited)
    return found
