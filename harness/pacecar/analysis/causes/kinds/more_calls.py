"""More calls of others per request, or fewer: counted in the service's JVM, or by its own counters."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities import callers, calls
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved, Quantity
from pacecar.model.calls import CallKind
from pacecar.model.causes import Fact, Scope
from pacecar.model.comparison import Judgement

#: What changes the number of calls by less is not worth a word.
_WORTH = 0.2
#: The part of what more calls would take at the pace before that they must really take: seven statements that go out in
#: one batch take what one did.
_TAKEN = 0.5
_MOST_CALLERS = 3
#: Metrics that are a number of calls, and so are explained by whoever makes them.
_NUMBERS = {"statements": CallKind.STATEMENTS, "calls": CallKind.CALLS}


def _explains(judgement: Judgement) -> bool:
    return is_time_of_requests(judgement) or judgement.metric.name in _NUMBERS


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    number = _NUMBERS.get(judgement.metric.name)
    if number is None:
        yield from _of_time(quantities)
        return
    more = callers.changed(quantities, number, endpoint=judgement.metric.endpoint or None)
    if more is not None:
        yield _claim(more, each=more.total, of=judgement.metric.name)


def _of_time(quantities: Quantities) -> Iterator[Claim]:
    """What calls cost. Whatever was counted in the JVM is not told again by the service's own counters."""
    took, grown = _times(quantities)
    known = callers.seen(quantities)
    for kind, dependency in callers.DEPENDENCIES.items():
        more = callers.changed(quantities, kind)
        if more is None:
            continue
        timed = calls.first_of(dependency, took)
        costs = calls.at_the_pace_before(more.total, {more.total.scope: took[timed]}) if timed is not None else None
        if costs is None or timed is None or _taken(float(costs.each.mean()), grown[timed]):
            yield _claim(more, each=costs, of=MEAN_LATENCY)
    for moved in quantities.moved(calls.CALLS):
        costs = calls.at_the_pace_before(moved, took)
        if moved.scope.dependency in known or (
            costs is not None and not _taken(float(costs.each.mean()), grown[moved.scope])
        ):
            continue
        fact = moved.fact
        yield Claim(
            statement=f"Calls of {moved.scope.dependency} per request went from {fact.baseline:.2f} to "
            f"{fact.candidate:.2f} in {moved.agreeing} of {fact.pairs} pairs ({moved.scope.series}).",
            scope=moved.scope,
            facts=(fact,),
            each=costs.each if costs is not None else None,
            of=MEAN_LATENCY,
            proved=_is_worth_a_word(fact),
            # Nobody knows what calls take that are not timed: only what waits for them longer says that they matter.
            alone=costs is not None,
        )


def _claim(more: callers.MoreCalls, *, each: Moved | None, of: str) -> Claim:
    first = more.callers[0] if more.callers else more.total
    return Claim(
        statement=callers.told(more),
        scope=first.scope,
        facts=(more.total.fact, *(one.fact for one in more.callers[:_MOST_CALLERS])),
        each=each.each if each is not None else None,
        of=of,
        # Of the number of calls itself any change is one.
        proved=of != MEAN_LATENCY or _is_worth_a_word(more.total.fact),
        alone=each is not None,
    )


def _is_worth_a_word(fact: Fact) -> bool:
    return abs(fact.change) >= _WORTH * max(fact.baseline, fact.candidate)


def _times(quantities: Quantities) -> tuple[dict[Scope, float], dict[Scope, float]]:
    """Metric -> what its calls took before, and by how much that changed, in ms per request; where they are timed."""
    timed = quantities.of(calls.TIME)
    if not isinstance(timed, Quantity):
        return {}, {}
    before, after = timed.baseline.mean(axis=0), timed.candidate.mean(axis=0)
    return dict(zip(timed.keys, before.tolist(), strict=True)), dict(
        zip(timed.keys, (after - before).tolist(), strict=True)
    )


def _taken(at_the_pace_before: float, grown: float) -> bool:
    return grown * at_the_pace_before > 0 and abs(grown) >= _TAKEN * abs(at_the_pace_before)


KIND = CauseKind(
    name="more-calls",
    title="Calls per request",
    layer=Layer.DEMAND,
    explains=_explains,
    needs=(calls.KNOWN,),
    claims=_claims,
    moves=frozenset({"calls"}),
)
