"""Who called others how often per request, as the counter agent counted it: exact, by the method that made the calls.

A block asked one endpoint, so where there are blocks there are amounts of each endpoint, by the median of its blocks.
They also make those of all requests as users ask them, where every endpoint has blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.proxies import stands_for
from pacecar.analysis.quantities.measured import Family, OfFork, Quantities, family
from pacecar.analysis.quantities.quantity import Lacking, Moved, Quantity
from pacecar.model.calls import NO_CALLER, OTHER_CALLERS, CallKind
from pacecar.model.causes import Scope

_LACKING = Lacking(reason="calls that were counted in the service's JVM")
_SWITCH = "target.calls"
#: What is called.
DATABASE, SERVICES = "the database", "other services"
DEPENDENCIES = {CallKind.STATEMENTS: DATABASE, CallKind.CALLS: SERVICES}


@dataclass(frozen=True, kw_only=True)
class MoreCalls:
    """A change in the number of calls of one kind.

    Attributes:
        kind: what was called.
        total: all calls together.
        callers: methods whose calls changed the same way, most first.
    """

    kind: CallKind
    total: Moved
    callers: tuple[Moved, ...]


def changed(quantities: Quantities, kind: CallKind, *, endpoint: str | None = None) -> MoreCalls | None:
    """How the calls of a kind changed beyond chance, of an endpoint or (None) of the whole mix; None where they did
    not.
    """
    moved = [each for each in quantities.moved(FAMILIES[kind]) if each.scope.endpoint == endpoint]
    total = next((each for each in moved if each.scope.frame is None), None)
    if total is None:
        return None
    callers = [each for each in moved if each.scope.frame and each.fact.change * total.fact.change > 0]
    return MoreCalls(kind=kind, total=total, callers=tuple(callers))


def seen(quantities: Quantities) -> frozenset[str]:
    """What is called and was seen to be, so that nobody else's counts of it are needed."""
    found = {kind: quantities.of(each) for kind, each in FAMILIES.items()}
    return frozenset(
        DEPENDENCIES[kind]
        for kind, amounts in found.items()
        if isinstance(amounts, Quantity) and (amounts.baseline.any() or amounts.candidate.any())
    )


def counts_of(quantities: Quantities, kind: CallKind, endpoint: str) -> bool:
    """Whether the calls of this endpoint were counted apart from those of others."""
    found = quantities.of(FAMILIES[kind])
    return isinstance(found, Quantity) and any(scope.endpoint == endpoint for scope in found.keys)


def _of_fork(kind: CallKind) -> OfFork:
    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        if not fork.counts_calls:
            return _LACKING
        each = _by_endpoint(fork.in_blocks, kind)
        # In windows, chance decides how often each endpoint is asked; blocks do without it.
        whole = _in_mix(each, fork.mix) if fork.mix and fork.mix.keys() <= each.keys() else _in_windows(fork, kind)
        return {_scope(kind, caller): amount for caller, amount in whole.items()} | {
            _scope(kind, caller, endpoint): amount
            for endpoint, amounts in each.items()
            for caller, amount in amounts.items()
        }

    return read


def _in_windows(fork: MeasuredFork, kind: CallKind) -> Mapping[str, float]:
    """Caller -> calls per request of the whole mix."""
    if fork.inside("calls").empty:  # counted in blocks alone, and not of every endpoint
        return {}
    counts = _by_window(fork, kind)
    requests = int(fork.asked.reindex(counts.index).sum())
    return {str(caller): float(amount) for caller, amount in (counts.sum() / max(requests, 1)).items()}


def _by_endpoint(blocks: MeasuredFork, kind: CallKind) -> Mapping[str, Mapping[str, float]]:
    """Endpoint -> caller -> calls per request."""
    counts = _by_window(blocks, kind)
    asked = sorted({window.endpoint for window in blocks.windows if window.endpoint is not None})
    return {endpoint: _in_blocks(blocks, counts, endpoint) for endpoint in asked}


def _in_mix(each: Mapping[str, Mapping[str, float]], mix: Mapping[str, float]) -> Mapping[str, float]:
    """Caller -> calls per request, with endpoints weighted as users ask them."""
    found: dict[str, float] = {}
    for endpoint, share in mix.items():
        for caller, amount in each.get(endpoint, {}).items():
            found[caller] = found.get(caller, 0.0) + share * amount
    return found


def _by_window(fork: MeasuredFork, kind: CallKind) -> pd.DataFrame:
    """Counts by window and caller, with `_TOTAL`; those who are no method have no column."""
    rows = fork.inside("calls")
    rows = rows[rows["kind"] == kind.value]
    # What is written when a transaction ends is asked by the proxy that ends it: the method is the one that it ran.
    rows = rows.assign(caller=rows["caller"].astype(str).map(stands_for))
    counts = rows.pivot_table(index="window", columns="caller", values="count", aggfunc="sum", fill_value=0)
    counts = counts.astype("float64")
    total = counts.sum(axis=1)
    known = counts.drop(columns=[NO_CALLER, OTHER_CALLERS], errors="ignore")
    return known.assign(**{_TOTAL: total})


def _in_blocks(fork: MeasuredFork, counts: pd.DataFrame, endpoint: str) -> Mapping[str, float]:
    own = [window.index for window in fork.windows if window.endpoint == endpoint]
    asked = fork.asked[own]
    requests = asked[asked > 0]
    each = counts.reindex(requests.index).div(requests, axis=0).dropna()
    return {str(caller): float(amount) for caller, amount in each.median().items()} if len(each) else {}


def _scope(kind: CallKind, caller: str, endpoint: str | None = None) -> Scope:
    frame = None if caller == _TOTAL else caller
    return Scope(endpoint=endpoint, dependency=DEPENDENCIES[kind], frame=frame)


#: In place of a caller: all of them. No name of a method is.
_TOTAL = "\0"

FAMILIES: Mapping[CallKind, Family] = {
    kind: family(f"counted-{kind.value}", title, "1", _of_fork(kind), switch_on=_SWITCH)
    for kind, title in (
        (CallKind.STATEMENTS, "Statements per request"),
        (CallKind.CALLS, "Outgoing calls per request"),
    )
}


def told(more: MoreCalls, *, most: int = 2) -> str:
    """What changed, as a sentence that names the callers of most of it."""
    fact = more.total.fact
    what = {CallKind.STATEMENTS: "Statements", CallKind.CALLS: "Outgoing calls"}[more.kind]
    said = (
        f"{what} per request went from {fact.baseline:.2f} to {fact.candidate:.2f} "
        f"in {more.total.agreeing} of {fact.pairs} pairs"
    )
    return f"{said}{_by(more.callers[:most])}."


def _by(callers: Sequence[Moved]) -> str:
    each = [f"{one.scope.frame} ({one.fact.baseline:.2f} to {one.fact.candidate:.2f})" for one in callers]
    return f", made by {' and '.join(each)}" if each else ""
