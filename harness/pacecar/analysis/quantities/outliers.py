"""Requests slower than most of the baseline's, and how many of them are so because something stood still.

A request belongs to a pause when that takes at least half of what it took longer than the median. Where pauses are many
some would do so by chance: as many as do when requests start at other moments of the same windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.pauses import WITHOUT, beside_their_pauses, paused_before, pauses_of
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.dispersion import Differences
from pacecar.model.causes import Scope

if TYPE_CHECKING:
    import pandas as pd

_MS = 1e6
_A_THOUSAND = 1e3
#: The part of its time beyond the median that pauses must have taken.
_MOSTLY = 0.5
#: Starts that are tried for what chance would do, evenly over each window.
_SHIFTS = 16


def slower(quantities: Quantities, endpoint: str, quantile: float) -> Numbers:
    """(pairs,) by how many in a thousand more requests are slower than that quantile of the baseline's; NaN where
    nobody knows.
    """
    found = []
    for before, after in quantities.pairs:
        limit = _limit(before, endpoint, quantile)
        shares = [_A_THOUSAND * float((_latencies(fork, endpoint) > limit.ms).mean()) for fork in (before, after)]
        found.append(shares[1] - shares[0])
    return np.array(found, dtype=float)


def in_pauses(endpoint: str, quantile: float, process: str = "target") -> Family:
    """Those of them in a thousand requests that are slow for pauses of a process, beyond chance, under one key.

    Args:
        endpoint: of the requests; `ALL` for all.
        quantile: of the baseline's latencies, 0 to 1.
        process: whose pauses, as in the table of them.
    """

    def read(quantities: Quantities) -> Quantity | Lacking:
        counted = []
        for before, after in quantities.pairs:
            limit = _limit(before, endpoint, quantile)
            for fork in (before, after):
                found = _counted(fork, endpoint, limit, process)
                if found is None:
                    return WITHOUT[process]
                counted.append(found)
        if not counted:
            return WITHOUT[process]
        both = np.array([each.share for each in counted]).reshape(-1, 2)
        variance = np.array([each.variance for each in counted]).reshape(-1, 2).sum(axis=1).mean(keepdims=True)
        each, level = both[:, 1:] - both[:, :1], np.array([both.mean()])
        return Quantity(
            name="Slow requests in pauses, in a thousand",
            unit="1",
            keys=(Scope(endpoint=endpoint or None),),
            baseline=both[:, :1],
            candidate=both[:, 1:],
            poisson=variance,
            kin=Differences(each=each, level=level, poisson=variance),
        )

    return Family(name=f"outliers in pauses {endpoint} {quantile} {process}", read=read)


@dataclass(frozen=True, kw_only=True)
class _Limit:
    """Beyond which latency a request counts, and what most take, both in ms and by the baseline."""

    ms: float
    typical_ms: float


@dataclass(frozen=True, kw_only=True)
class _Counted:
    """Requests, and the variance of that by counting pauses: what one pause holds comes together."""

    share: float
    variance: float


def _limit(baseline: MeasuredFork, endpoint: str, quantile: float) -> _Limit:
    latencies = _latencies(baseline, endpoint)
    if not len(latencies):
        return _Limit(ms=np.nan, typical_ms=np.nan)
    return _Limit(ms=float(np.quantile(latencies, quantile)), typical_ms=float(np.median(latencies)))


def _latencies(fork: MeasuredFork, endpoint: str) -> Numbers:
    found = fork.latencies.get(endpoint, np.empty(0))
    return found if len(found) else np.full(1, np.nan)


def _counted(fork: MeasuredFork, endpoint: str, limit: _Limit, process: str) -> _Counted | None:
    """None where there is no pause of the process, or no answered request."""
    pauses = pauses_of(fork, process)
    requests = fork.requests[fork.requests["ok"].astype(bool)]
    if endpoint != ALL:
        requests = requests[requests["endpoint"] == endpoint]
    if pauses.empty or requests.empty:
        return None
    slow = requests[requests["latency_ms"] > limit.ms]
    scale = _A_THOUSAND / len(requests)
    found = [_held(fork, rows, met, limit) for rows, met in beside_their_pauses(slow, pauses, process)]
    return _Counted(
        share=scale * sum(each.share for each in found), variance=scale**2 * sum(each.variance for each in found)
    )


def _held(fork: MeasuredFork, slow: pd.DataFrame, pauses: pd.DataFrame, limit: _Limit) -> _Counted:
    """How many of these requests were slow for these pauses, beyond chance."""
    if pauses.empty:
        return _Counted(share=0.0, variance=0.0)
    begins = pauses["start_ns"].to_numpy(dtype="float64")
    lasted = pauses["duration_ms"].to_numpy(dtype="float64") * _MS
    start, took = (
        slow["start_ns"].to_numpy(dtype="float64"),
        slow["latency_ms"].to_numpy(dtype="float64") * _MS,
    )
    needed = _MOSTLY * (took - limit.typical_ms * _MS)

    def held(moments: Numbers) -> npt.NDArray[np.bool_]:
        within = paused_before(moments + took, begins, lasted) - paused_before(moments, begins, lasted)
        return np.asarray(within >= needed)

    of_window = {window.index: (window.start_ns, window.end_ns - window.start_ns) for window in fork.windows}
    places = np.array([of_window[index] for index in slow["window"].tolist()], dtype="float64").reshape(-1, 2)
    opened, length = places[:, 0], places[:, 1]
    shifted = [held(opened + np.mod(start - opened + length * (k / _SHIFTS), length)).sum() for k in range(1, _SHIFTS)]
    really = held(start)
    of_pause = np.bincount(np.maximum(np.searchsorted(begins, (start + took)[really]) - 1, 0))
    return _Counted(
        share=float(really.sum()) - float(np.mean(shifted)), variance=float((of_pause.astype(float) ** 2).sum())
    )
