"""What the threads of a service ran between the edges of windows, added up by pool."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pacecar.measurement.probes.threads import ThreadTimes
from pacecar.model.tables import TABLES, empty_table
from pacecar.model.thread_pools import pool_of

_Threads = Mapping[int, ThreadTimes]


def table(edges: Mapping[int, tuple[_Threads, _Threads]]) -> pd.DataFrame:
    """The rows of "pool_cpu".

    Args:
        edges: window -> the living threads by their ids, at its start and at its end.
    """
    parts = [_grown(start, end).assign(window=window) for window, (start, end) in edges.items()]
    parts = [part for part in parts if not part.empty]
    if not parts:
        return empty_table("pool_cpu")
    columns = TABLES["pool_cpu"]
    return pd.concat(parts, ignore_index=True)[list(columns)].astype(columns)


def _grown(start: _Threads, end: _Threads) -> pd.DataFrame:
    """A row for each pool that has a thread at either edge.

    An id whose times fell, or that bears another name, belongs to another thread by now.
    """
    rows = []
    for thread in start.keys() | end.keys():
        before, after = start.get(thread), end.get(thread)
        if before and after and before.name == after.name and after.ran_ns >= before.ran_ns:
            rows.append((pool_of(after.name), after.ran_ns - before.ran_ns, 1, 0))
        else:
            rows += [(pool_of(each.name), 0, 0, 1) for each in (before, after) if each is not None]
    grown = pd.DataFrame(rows, columns=["pool", "cpu_ns", "threads", "changed"])
    return grown.groupby("pool", as_index=False).sum()
