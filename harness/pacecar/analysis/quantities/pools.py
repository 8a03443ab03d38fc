"""What pools of threads hold and use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import OfFork, family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.trend import slope
from pacecar.model.causes import Scope
from pacecar.model.hotspot import Kind, kind_of
from pacecar.model.profiles import ProfileKind
from pacecar.model.thread_pools import pool_of

_NO_WALL = Lacking(reason="a profile by wall-clock time, which sees every thread")
_NO_CPU = Lacking(reason="a profile of CPU time")


def _threads(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Pool -> its threads that lived in a window, mean over windows. The JVM's own pools are left out."""
    rows = fork.samples[fork.samples["event"] == ProfileKind.WALL]
    if rows.empty:
        return _NO_WALL
    seen = rows[["window", "thread"]].drop_duplicates()
    seen = seen[[kind_of(name) is Kind.SERVICE for name in seen["thread"]]]
    counts = seen["thread"].map(pool_of).value_counts() / rows["window"].nunique()
    return {Scope(pool=str(pool)): float(count) for pool, count in counts.items()}


def _cpu(*, service: bool) -> OfFork:
    """Pool -> CPU time per request in ms, of the service's pools or of the JVM's own."""

    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        rows = fork.samples[fork.samples["event"] == ProfileKind.CPU]
        if rows.empty or fork.requests.empty:
            return _NO_CPU
        rows = rows[[(kind_of(name) is Kind.SERVICE) is service for name in rows["thread"]]]
        used = rows.groupby(rows["thread"].map(pool_of))["weight"].sum() / 1e6 / len(fork.requests)
        return {Scope(pool=str(pool)): float(amount) for pool, amount in used.items()}

    return read


def _per_request(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Pool -> threads that it gains with each request, by a robust line over the windows."""
    rows = fork.samples[fork.samples["event"] == ProfileKind.WALL]
    if rows.empty:
        return _NO_WALL
    seen = rows[["window", "thread"]].drop_duplicates()
    seen = seen[[kind_of(name) is Kind.SERVICE for name in seen["thread"]]]
    order = [window.index for window in fork.windows]
    counts = seen.groupby([seen["thread"].map(pool_of), "window"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=order, fill_value=0)
    served = _served(fork)
    slopes = {pool: slope((served, np.asarray(row, dtype="float64"))) for pool, row in counts.iterrows()}
    return {Scope(pool=str(pool)): found for pool, found in slopes.items() if found is not None}


def _served(fork: MeasuredFork) -> Numbers:
    """(windows,) requests answered up to the end of each window, those of the warm-up not counted."""
    return fork.asked.to_numpy(dtype="float64").cumsum().astype(np.float64)


def _times(how_many: Callable[[MeasuredFork], float]) -> OfFork:
    """What each pool gains with so many requests."""

    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        found = _per_request(fork)
        return found if isinstance(found, Lacking) else {at: how_many(fork) * each for at, each in found.items()}

    return read


def _in_its_life(fork: MeasuredFork) -> float:
    """Requests that a fork has answered by the time of its windows: those of the burst that warmed it as well."""
    burst = fork.data.tables["warmup"]["requests"]
    return float(burst.max() if len(burst) else 0) + float(_served(fork).mean())


THREADS = family("threads", "Threads", "1", _threads)
GROWTH = family("thread-growth", "Threads gained per 1,000 requests", "1", _times(lambda _: 1000.0))
#: What a pool holds because it has grown like that since its start.
GAINED = family("threads-gained", "Threads gained", "1", _times(_in_its_life))
#: CPU time of compilers, collectors and the rest of the JVM's threads.
OWN_CPU = family("own-cpu", "CPU time per request", "ms", _cpu(service=False))
#: The same of the service's own.
SERVICE_CPU = family("service-cpu", "CPU time per request", "ms", _cpu(service=True))
