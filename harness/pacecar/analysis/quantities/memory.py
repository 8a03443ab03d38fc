"""What a fork's memory is made of, and how long its threads waited for some."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Scope
from pacecar.model.thread_pools import pool_of


def _live_bytes(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """What the heap still held after the last window, once all of it was collected."""
    heap = fork.data.record.heap
    return Lacking(reason="a collection of the heap after the windows") if heap is None else {Scope(): heap.after_bytes}


def _stalled(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Pool -> ms per request that the collector kept its threads waiting for memory, by its log."""
    if fork.requests.empty:
        return Lacking(reason="requests that were answered")
    stalls = fork.data.tables["stalls"]
    begins = stalls["start_ns"].to_numpy(dtype="int64")
    within = [(begins >= window.start_ns) & (begins < window.end_ns) for window in fork.windows]
    stalls = stalls[np.logical_or.reduce(within)]
    lasted = stalls.groupby(stalls["thread"].map(pool_of))["duration_ms"].sum() / len(fork.requests)
    return {Scope(pool=str(pool)): float(ms) for pool, ms in lasted.items()}


#: A collector that makes no thread wait, or logs none, has no pools here.
STALLED = family("stalled", "Waiting for memory per request, by the collector's log", "ms", _stalled)
LIVE = family("live-heap", "Live heap after the last window", "B", _live_bytes)
