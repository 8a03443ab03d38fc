"""Readers of what a fork costs before it is warm, and of what it does not give back: its life, not its windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.trend import slope

#: Requests that a fork is warmed by as far as `warmup_cpu` looks. A number and not a time: how much is asked within
#: a time depends on how fast the service answers.
WARMING_REQUESTS = 1_000
#: Requests that growth is given per.
_PER = 1_000


def ready(fork: MeasuredFork, _: str) -> Reading:
    """Seconds from the start of its process to its first 2xx answer on the readiness path."""
    seconds = fork.data.record.ready_s
    if seconds <= 0:
        return Missing(reason="the moment the service became ready was not recorded", absent=True)
    return Value(amount=seconds, requests=1)


def first_answer(fork: MeasuredFork, endpoint: str) -> Reading:
    """Seconds that it took to be ready and then to answer the load for the first time.

    The time between is left out: both sides wait for the load generator to start, and for each other.
    """
    started, answered = ready(fork, endpoint), fork.data.record.first_answer_s
    if isinstance(started, Missing):
        return started
    if answered is None:
        return Missing(reason="the moment of the first answer was not recorded", absent=True)
    return Value(amount=started.amount + answered, requests=1)


def warmup_cpu(fork: MeasuredFork, _: str) -> Reading:
    """CPU seconds that it used from its start until it had been sent its first `WARMING_REQUESTS`, compilers too."""
    rows = fork.data.tables["warmup"].sort_values("time_ns")
    requests, cpu_ns = rows["requests"].to_numpy(dtype="float64"), rows["cpu_ns"].to_numpy(dtype="float64")
    if not requests.any():
        return Missing(reason="the warm-up had no burst whose requests were counted", absent=True)
    reached = int(np.argmax(requests >= WARMING_REQUESTS))
    if requests[reached] < WARMING_REQUESTS:
        return Missing(reason=f"the burst had {requests[-1]:,.0f} requests, and {WARMING_REQUESTS:,} are needed")
    if reached == 0:
        return Missing(reason="the warm-up was not watched from its start", absent=True)
    step = slice(reached - 1, reached + 1)
    return Value(
        amount=float(np.interp(WARMING_REQUESTS, requests[step], cpu_ns[step])) / 1e9, requests=WARMING_REQUESTS
    )


def heap_growth(fork: MeasuredFork, _: str) -> Reading:
    """Bytes by which the live set grew per 1,000 requests, between a collection before the windows and one after."""
    heap = fork.data.record.heap
    if heap is None:
        return Missing(reason="the heap was not collected both before and after the windows", absent=True)
    if heap.requests == 0:
        return Missing(reason="no request was sent between the two collections")
    return Value(amount=_PER * (heap.after_bytes - heap.before_bytes) / heap.requests, requests=heap.requests)


def grown(column: str) -> Callable[[MeasuredFork, str], Reading]:
    """By how much a level at the edges of windows rose per 1,000 requests in them, by a robust line.

    What rises once, as a pool that gets its last thread, is no growth; nor is what one moment's edge saw.
    """

    def read(fork: MeasuredFork, _: str) -> Reading:
        rows = fork.inside("counters")
        rows = rows[rows[column].notna().to_numpy()]
        if rows.empty:
            return Missing(reason=f"the counter {column} was never read", absent=True)
        rows, counts = rows.sort_values("time_ns"), fork.asked
        before, after = ((counts.cumsum() - left).reindex(rows["window"]).to_numpy() for left in (counts, 0))
        ended = (rows["edge"] == "end").to_numpy()
        served = np.where(ended, after, before).astype("float64")
        level = rows[column].to_numpy(dtype="float64")
        # Starts with starts, ends with ends: at an end, connections of its requests may still be open. Where there is
        # but one window, there is nothing else to go by.
        found = slope((served[~ended], level[~ended]), (served[ended], level[ended]))
        found = slope((served, level)) if found is None else found
        if found is None:
            return Missing(reason=f"the counter {column} was not read before and after any request")
        return Value(amount=_PER * found, requests=int(counts.sum()))

    return read
