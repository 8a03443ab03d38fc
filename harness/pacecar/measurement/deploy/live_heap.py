"""The live set of a JVM: what is left of its heap when everything else has just been collected."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from pacecar.measurement.deploy.jvm import collect
from pacecar.measurement.probes.counters import CountersMissing, read_counters
from pacecar.system.resources import Resources

_ANSWER_S = 1.0
#: The serial collector leaves up to 5 % of its old generation as it is, with the garbage there, but for every fourth
#: full collection (HotSpot's MarkSweepDeadRatio and MarkSweepAlwaysCompactCount).
_AGAIN = 3


@dataclass(frozen=True, kw_only=True)
class LiveHeap:
    """The live set of one fork, when its heap had been collected."""

    time_ns: int
    used_bytes: int


def live_heap(
    service: psutil.Process, *, socket: Path, resources: Resources, folder: Path, timeout_s: float
) -> LiveHeap | None:
    """Have a JVM collect its heap; returns what it has kept, where it did so and told in time.

    Args:
        service: its process.
        socket: where its counter agent listens.
        resources: of the program that asks it.
        folder: for what that program prints.
        timeout_s: how long all of it may take.
    """
    begun = time.monotonic()
    deadline = begun + timeout_s
    if not collect(service, resources=resources, folder=folder, timeout_s=timeout_s):
        return None
    left = deadline - time.monotonic() - _ANSWER_S
    if _AGAIN * (time.monotonic() - begun) < left:  # a large heap may take too long
        collect(service, resources=resources, folder=folder, timeout_s=left, times=_AGAIN)
    done_ns, left = time.time_ns(), deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        used = read_counters(socket, timeout_s=min(left, _ANSWER_S)).heap_after_gc_bytes
    except CountersMissing:
        return None
    return LiveHeap(time_ns=done_ns, used_bytes=used) if used > 0 else None
