"""Moving a process that runs already onto some of the cores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from pacecar.model.hotspot import Kind, kind_of

#: New threads inherit the cores of the thread that starts them, so a second pass finds all but the very newest; more
#: than a few are only needed where threads are started faster than they can be moved.
_MOST_PASSES = 20
#: Of compilers beside the load generator: it comes first.
_LAST = 19


def pin(pid: int, cpus: Iterable[int], *, compilers: Iterable[int] = (), yielding: bool = False) -> None:
    """Put every thread of process `pid` onto `cpus`; threads it starts later stay there too.

    Does nothing when there is no such process: whoever watches it says so.

    Args:
        pid: the process.
        cpus: cores for its threads.
        compilers: cores for a JVM's JIT compilers; empty: as the others.
        yielding: the compilers let everything else on their cores go first, from now on.
    """
    others, aside = frozenset(cpus), frozenset(compilers)
    for _ in range(_MOST_PASSES):
        if not _pin_once(pid, others, aside or others, yielding=yielding):
            return


def _pin_once(pid: int, others: frozenset[int], compilers: frozenset[int], *, yielding: bool) -> bool:
    """Whether there was a thread elsewhere."""
    moved = False
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False
    for task in tasks:
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
            # Names are cut to 15 bytes, within a character just as well.
            compiles = compilers != others and kind_of((task / "comm").read_text(errors="replace")) is Kind.JIT
            moved |= _move(int(task.name), compilers if compiles else others)
            if compiles and yielding:
                os.setpriority(os.PRIO_PROCESS, int(task.name), _LAST)
    return moved


def _move(thread: int, wanted: frozenset[int]) -> bool:
    if os.sched_getaffinity(thread) == wanted:
        return False
    os.sched_setaffinity(thread, wanted)
    return True
