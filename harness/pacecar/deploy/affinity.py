"""Moving a process that runs already onto some of the cores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

#: New threads inherit the cores of the thread that starts them, so a second pass finds all but the very newest; more
#: than a few are only needed where threads are started faster than they can be moved.
_MOST_PASSES = 20


def pin(pid: int, cpus: Iterable[int]) -> None:
    """Put every thread of process `pid` onto `cpus`; threads it starts later stay there too.

    Does nothing when there is no such process: whoever watches it says so.
    """
    wanted = frozenset(cpus)
    for _ in range(_MOST_PASSES):
        if not _pin_once(pid, wanted):
            return


def _pin_once(pid: int, wanted: frozenset[int]) -> bool:
    """Whether there was a thread elsewhere."""
    moved = False
    try:
        threads = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return False
    for thread in threads:
        try:
            if os.sched_getaffinity(thread) != wanted:
                os.sched_setaffinity(thread, wanted)
                moved = True
        except ProcessLookupError:
            continue  # it has ended meanwhile
    return moved
