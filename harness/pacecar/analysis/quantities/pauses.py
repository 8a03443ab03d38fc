"""How long requests stood still because the JVM did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities.quantity import Family, Lacking, Numbers, Quantity, family
from pacecar.model.causes import Scope

if TYPE_CHECKING:
    from pacecar.analysis.quantities.measured import Quantities

_MS = 1e6
_NAME = "Time within pauses per request"
_UNANSWERED = Lacking(reason="requests that were answered")


def stopped(endpoint: str) -> Family:
    """Mean time of a request to `endpoint` within stop-the-world pauses, in ms."""

    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        found = _within_pauses(fork, endpoint, lasting_ms=None)
        return found if isinstance(found, Lacking) else {Scope(endpoint=endpoint or None): found}

    return family(f"stopped {endpoint}", _NAME, "ms", read)


def stopped_alike(endpoint: str) -> Family:
    """The same had requests to both sides taken what they took before: who takes longer for another reason is met by
    more of the same pauses.
    """

    def read(quantities: Quantities) -> Quantity | Lacking:
        means = [
            fork.latencies[endpoint].mean() for fork, _ in quantities.pairs if len(fork.latencies.get(endpoint, ()))
        ]
        if not means:
            return _UNANSWERED
        lasting_ms = float(np.mean(means))
        found = [[_within_pauses(fork, endpoint, lasting_ms=lasting_ms) for fork in pair] for pair in quantities.pairs]
        missing = [each for pair in found for each in pair if isinstance(each, Lacking)]
        if missing:
            return missing[0]
        both = np.array(found, dtype="float64")
        return Quantity(
            name=_NAME,
            unit="ms",
            keys=(Scope(endpoint=endpoint or None),),
            baseline=both[:, :1],
            candidate=both[:, 1:],
        )

    return Family(name=f"stopped alike {endpoint}", read=read)


def _within_pauses(fork: MeasuredFork, endpoint: str, *, lasting_ms: float | None) -> float | Lacking:
    """Mean ms of a request within pauses; all of them as long as told, or as they were."""
    pauses = fork.data.tables["pauses"]
    pauses = pauses[pauses["process"] == "target"].sort_values("start_ns")
    if pauses.empty:
        return Lacking(reason="the pauses of the service")
    requests = fork.requests[fork.requests["ok"].astype(bool)]
    if endpoint != ALL:
        requests = requests[requests["endpoint"] == endpoint]
    if requests.empty:
        return _UNANSWERED
    start = requests["start_ns"].to_numpy(dtype="float64")
    took = requests["latency_ms"].to_numpy(dtype="float64") if lasting_ms is None else lasting_ms
    begins = pauses["start_ns"].to_numpy(dtype="float64")
    lasted = pauses["duration_ms"].to_numpy(dtype="float64") * _MS
    within = _paused_before(start + took * _MS, begins, lasted) - _paused_before(start, begins, lasted)
    return float(within.mean()) / _MS


def _paused_before(moments: Numbers, begins: Numbers, lasted: Numbers) -> Numbers:
    """(moments,) ns that pauses, which do not overlap, have taken until then."""
    whole = np.concatenate([[0.0], np.cumsum(lasted)])
    last = np.searchsorted(begins, moments, side="right") - 1
    inside = np.where(last >= 0, np.minimum(moments - begins[last], lasted[last]), 0.0)
    found: Numbers = whole[np.maximum(last, 0)] * (last >= 0) + inside
    return found
