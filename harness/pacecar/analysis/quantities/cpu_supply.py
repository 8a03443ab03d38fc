"""How long threads that could run were given no CPU, and who kept it from them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.profiles.sampled import NONE, RUNNING
from pacecar.analysis.quantities.measured import Family, Quantities, family
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.quantities.rows import by_pool, chosen, lacking
from pacecar.model.causes import Scope
from pacecar.model.hotspot import Kind, kind_of
from pacecar.model.profiles import ProfileKind

_NO_DELAY = Lacking(reason="the kernel's account of threads that wait for a CPU")
_NO_LIMIT = Lacking(reason="the container's account of its limit of CPU")


def _ready(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Milliseconds per request that the service's own threads, not the JVM's, were ready and on no CPU."""
    found = fork.per_request("run_delay_ns", factor=1e-6)
    return {Scope(): found.amount} if isinstance(found, Value) else _NO_DELAY


def _throttled(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Milliseconds per request that the container had used up its share, added up over cores."""
    grown = fork.growth("throttled_ns", table="containers")
    found = fork.grown_per_request(grown, "throttled_ns", factor=1e-6)
    return {Scope(): found.amount} if isinstance(found, Value) else _NO_LIMIT


READY = family("run-delay", "Time ready without a CPU per request", "ms", _ready)
THROTTLED = family("time-throttled", "Time throttled per request", "ms", _throttled)


def delayed(endpoint: str) -> Family:
    """Pool of the service -> ms per request to `endpoint` that its threads were ready and on no CPU: what they ran or
    could have run by wall-clock samples, less what they used.

    The kernel's account is exact, but of all threads together.
    """

    def read(quantities: Quantities) -> Quantity | Lacking:
        missing = lacking(quantities, ProfileKind.WALL) or lacking(quantities, ProfileKind.CPU)
        sampled = quantities.sampled
        if missing is not None or sampled is None:
            return missing or Lacking(reason="a wall-clock profile")
        ready = chosen(quantities, sampled, ProfileKind.WALL, endpoint=endpoint, states=(RUNNING,))
        used = chosen(quantities, sampled, ProfileKind.CPU, endpoint=endpoint, states=(NONE,))
        # Taken off, not added, but as uncertain.
        rows = pd.concat([ready, used.assign(cost=-used["cost"])])
        service = np.array([kind_of(pool) is Kind.SERVICE for pool in sampled.pools], dtype=bool)
        rows = rows[service[rows["pool"].to_numpy(dtype=np.intp)]]
        return by_pool(
            quantities, sampled, rows, name="Time ready without a CPU per request", endpoint=endpoint, of=ready
        )

    return Family(name=f"delayed {endpoint}", read=read)


def stolen_ms(quantities: Quantities) -> float:
    """By how much more of the machine's CPU time others took by the hypervisor, in ms per request, mean over pairs."""
    changes = [_stolen(after) - _stolen(before) for before, after in quantities.pairs]
    return math.fsum(changes) / max(1, len(changes))


def _stolen(fork: MeasuredFork) -> float:
    found = fork.grown_per_request(fork.growth("steal_s", table="host"), "steal_s", factor=1e3)
    return found.amount if isinstance(found, Value) else 0.0
