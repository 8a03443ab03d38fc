"""How fast each core of the services runs while they are measured, by a loop of fixed work that is timed beside them.

On a shared host, somebody else may run on the other thread of a physical core. All work on this one then takes half as
much CPU time again, for seconds at a time, and no counter of this machine tells. The loop does.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pacecar.measurement.probes import pace_loop
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES
from pacecar.system.resources import Resources

#: Cores that are watched at most: each costs a process, and on large machines a few tell as much as all.
MOST_CORES = 8
_COLUMNS = ("time_ns", "loop_ns")


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What the loops have written.

    Attributes:
        logs: core -> file with a line for each loop.
    """

    logs: Mapping[int, Path]

    def table(self, windows: Iterable[Window]) -> pd.DataFrame:
        """The loops of each core within each of `windows`, in the columns of `TABLES["pace"]`."""
        loops = {core: _read(log) for core, log in self.logs.items()}
        rows = [_row(found, core, window) for window in windows for core, found in loops.items()]
        return pd.DataFrame(rows, columns=list(TABLES["pace"])).astype(TABLES["pace"])


@contextlib.contextmanager
def paced(cpus: Sequence[int], *, resources: Resources, folder: Path) -> Iterator[Pace]:
    """Loops on the first of `cpus`, with their files in `folder`, until the end of the block."""
    logs = {core: folder / f"pace-{core}.log" for core in cpus[:MOST_CORES]}
    command = (sys.executable, "-I", "-S", pace_loop.__file__, f"{os.getpid()}")
    loops = [resources.spawn(command, name="pace", log=log, cpus=(core,)) for core, log in logs.items()]
    try:
        yield Pace(logs=logs)
    finally:
        for loop in loops:
            resources.release(loop)


def _read(log: Path) -> pd.DataFrame:
    """Whole lines of two numbers; the last one may have been cut off, and a loop that failed says why instead."""
    lines = [line.split() for line in log.read_text("ascii", "replace").splitlines(keepends=True) if line[-1] == "\n"]
    return pd.DataFrame(
        [tuple(map(int, line)) for line in lines if len(line) == len(_COLUMNS) and all(map(str.isdecimal, line))],
        columns=list(_COLUMNS),
        dtype="int64",
    )


def _row(loops: pd.DataFrame, core: int, window: Window) -> tuple[int, int, int, float]:
    inside = loops.loc[loops["time_ns"].between(window.start_ns, window.end_ns), "loop_ns"]
    inside = inside[inside > 0]
    # The geometric mean: a loop now and then takes ten times as long because the core was interrupted.
    mean = float(np.exp(np.log(inside).mean())) if len(inside) else np.nan
    return window.index, core, len(inside), mean
