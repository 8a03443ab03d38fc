"""How long requests stood still because the JVM did."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities.measured import Family, Quantities, family
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.stats.arrays import Numbers
from pacecar.model.causes import Scope

_MS = 1e6
_NAME = "Time within pauses per request"
WITHOUT = {
    "target": Lacking(reason="the pauses of the service"),
    "generator": Lacking(reason="the pauses of the load generator"),
}
_UNANSWERED = Lacking(reason="requests that were answered")


def stopped(endpoint: str) -> Family:
    """Mean time of a request to `endpoint` within stop-the-world pauses, in ms."""

    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        found = _within_pauses(fork, endpoint)
        return found if isinstance(found, Lacking) else {Scope(endpoint=endpoint or None): found}

    return family(f"stopped {endpoint}", _NAME, "ms", read)


def stopped_alike(endpoint: str, process: str = "target") -> Family:
    """The same had requests to both sides taken by themselves what they took before: who takes longer for another
    reason is met by more of the same pauses. `process`: whose pauses, as in the table of them.
    """

    def read(quantities: Quantities) -> Quantity | Lacking:
        by_themselves = [
            fork.latencies[endpoint].mean() - held
            for fork, _ in quantities.pairs
            if len(fork.latencies.get(endpoint, ()))
            and not isinstance(held := _within_pauses(fork, endpoint, process=process), Lacking)
        ]
        taking_ms = max(0.0, float(np.mean(by_themselves))) if by_themselves else 0.0
        found = [
            [_within_pauses(fork, endpoint, taking_ms=taking_ms, process=process) for fork in pair]
            for pair in quantities.pairs
        ]
        missing = [each for pair in found for each in pair if isinstance(each, Lacking)]
        if missing or not found:
            return missing[0] if missing else _UNANSWERED
        both = np.array(found, dtype="float64")
        return Quantity(
            name=_NAME,
            unit="ms",
            keys=(Scope(endpoint=endpoint or None),),
            baseline=both[:, :1],
            candidate=both[:, 1:],
        )

    return Family(name=f"stopped alike {endpoint} {process}", read=read)


def _within_pauses(
    fork: MeasuredFork, endpoint: str, *, taking_ms: float | None = None, process: str = "target"
) -> float | Lacking:
    """Mean ms of a request within pauses, as long as it was; or, where told what it takes by itself, held by them."""
    pauses = pauses_of(fork, process)
    if pauses.empty:
        return WITHOUT[process]
    requests = fork.requests[fork.requests["ok"].astype(bool)]
    if endpoint != ALL:
        requests = requests[requests["endpoint"] == endpoint]
    if requests.empty:
        return _UNANSWERED
    within = [_within(rows, met, taking_ms) for rows, met in beside_their_pauses(requests, pauses, process)]
    return float(np.concatenate(within).mean()) / _MS


def _within(requests: pd.DataFrame, pauses: pd.DataFrame, taking_ms: float | None) -> Numbers:
    """(requests,) ns of each within `pauses`, which are in order."""
    start = requests["start_ns"].to_numpy(dtype="float64")
    begins = pauses["start_ns"].to_numpy(dtype="float64")
    lasted = pauses["duration_ms"].to_numpy(dtype="float64") * _MS
    if pauses.empty:
        return np.zeros(len(start))
    if taking_ms is not None:
        return _held(start, taking_ms * _MS, begins, lasted)
    took = requests["latency_ms"].to_numpy(dtype="float64")
    return paused_before(start + took * _MS, begins, lasted) - paused_before(start, begins, lasted)


def pauses_of(fork: MeasuredFork, process: str) -> pd.DataFrame:
    """In order of time those of the service, or when injectors stood still: in collections, where nobody watched."""
    hiccups = fork.data.tables.get("hiccups")
    if process == "generator" and hiccups is not None and len(hiccups):
        return hiccups.sort_values("start_ns")
    pauses = fork.data.tables["pauses"]
    return pauses[pauses["process"] == process].sort_values("start_ns")


def beside_their_pauses(
    requests: pd.DataFrame, pauses: pd.DataFrame, process: str
) -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """The requests beside the pauses that they could meet: a request meets those of the injector that sent it."""
    if process == "target":
        return [(requests, pauses)]
    return [(sent, pauses[pauses["injector"] == injector]) for injector, sent in requests.groupby("injector")]


def _held(start: Numbers, taking: float, begins: Numbers, lasted: Numbers) -> Numbers:
    """(requests,) ns by which pauses make each longer that takes `taking` ns by itself: what is left of the one that it
    comes in, however long that is, and all of those that begin while it is served.
    """
    whole = np.concatenate([[0.0], np.cumsum(lasted)])
    before = np.searchsorted(begins, start, side="right")
    into = np.maximum(before - 1, 0)
    left = np.where(before > 0, np.maximum(begins[into] + lasted[into] - start, 0.0), 0.0)
    until = np.maximum(np.searchsorted(begins, start + left + taking, side="left"), before)
    found: Numbers = left + whole[until] - whole[before]
    return found


def paused_before(moments: Numbers, begins: Numbers, lasted: Numbers) -> Numbers:
    """(moments,) ns that pauses, which do not overlap, have taken until then."""
    whole = np.concatenate([[0.0], np.cumsum(lasted)])
    last = np.searchsorted(begins, moments, side="right") - 1
    inside = np.where(last >= 0, np.minimum(moments - begins[last], lasted[last]), 0.0)
    found: Numbers = whole[np.maximum(last, 0)] * (last >= 0) + inside
    return found
