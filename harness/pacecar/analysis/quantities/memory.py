"""What a fork's memory is made of."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Scope


def _live_bytes(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """What the heap still held after the last window, once all of it was collected."""
    heap = fork.data.record.heap
    return Lacking(reason="a collection of the heap after the windows") if heap is None else {Scope(): heap.after_bytes}


LIVE = family("live-heap", "Live heap after the last window", "B", _live_bytes)
