"""What the heaps of several forks have kept, collected at once."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from pacecar.measurement.deploy.fork import Fork
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.model.experiment import Side


def collect(forks: Mapping[Side, Fork], *, timeout_s: float) -> dict[Side, LiveHeap]:
    """Have all of `forks` collect their heaps; returns what each has kept, of those that did so and told in time."""
    # At once: one after the other, a slow first one would leave the second without its collection.
    with ThreadPoolExecutor(len(forks)) as pool:
        asked = {side: pool.submit(fork.live_heap, timeout_s) for side, fork in forks.items()}
        kept = {side: each.result() for side, each in asked.items()}
    return {side: heap for side, heap in kept.items() if heap is not None}
