"""The live set of each fork: what is left of its heap when everything else has just been collected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pacecar.measurement.deploy.fork import Fork
from pacecar.measurement.probes.counters import CountersMissing, read_counters
from pacecar.model.experiment import Side

_ANSWER_S = 1.0


@dataclass(frozen=True, kw_only=True)
class LiveHeap:
    """The live set of one fork, when its heap had been collected."""

    time_ns: int
    used_bytes: int


def collect(forks: Mapping[Side, Fork], *, timeout_s: float) -> dict[Side, LiveHeap]:
    """Have all of `forks` collect their heaps; returns what each has kept, of those that did so and told in time."""
    # At once: one after the other, a slow first one would leave the second without its collection.
    with ThreadPoolExecutor(len(forks)) as pool:
        asked = {side: pool.submit(_collected, fork, timeout_s) for side, fork in forks.items()}
        kept = {side: each.result() for side, each in asked.items()}
    return {side: heap for side, heap in kept.items() if heap is not None}


def _collected(fork: Fork, timeout_s: float) -> LiveHeap | None:
    deadline = time.monotonic() + timeout_s
    if not fork.collect(timeout_s=timeout_s):
        return None
    done_ns, left = time.time_ns(), deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        used = read_counters(fork.socket, timeout_s=min(left, _ANSWER_S)).heap_after_gc_bytes
    except CountersMissing:
        return None
    return LiveHeap(time_ns=done_ns, used_bytes=used) if used > 0 else None
