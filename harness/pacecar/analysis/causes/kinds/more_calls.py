"""More calls of others per request, or fewer: counted in the service's JVM, or by its own counters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.waited import MOST
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
    endpoint = judgement.metric.endpoint
    number = _NUMBERS.get(judgement.metric.name)
    if number is not None:
        more = callers.changed(quantities, number, endpoint=endpoint or None)
        if more is not None:
            # Of the number of calls itself any change is a cause.
            yield replace(_claim(more, each=more.total), of=judgement.metric.name, proved=True)
        return
    claims = [*_counted(quantities, endpoint), *_of_page(quantities)]
    # Whose calls they are is known of those alone that were counted endpoint by endpoint.
    yield from (claim if not endpoint or claim.scope.endpoint else _of_anybody(claim) for claim in claims)


def _counted(quantities: Quantities, endpoint: str) -> Iterator[Claim]:
    """What calls cost that were counted in the JVM: those of `endpoint` where they are known, else of the whole mix."""
    took, grown = _times(quantities)
    for kind, dependency in callers.DEPENDENCIES.items():
        whole = callers.changed(quantities, kind)
        own = callers.counts_of(quantities, kind, endpoint)
        more = callers.changed(quantities, kind, endpoint=endpoint) if own else whole
        if more is None:
            continue
        timed = calls.each_once(dependency, took)
        if whole is None or not timed:
            yield _claim(more, each=None)
            continue
        before = sum(took[each] for each in timed)
        costs = calls.at_the_pace_before(whole.total, {whole.total.scope: before})
        if costs is None or _taken(float(costs.each.mean()), sum(grown[each] for each in timed)):
            of_one = before / whole.total.fact.baseline if costs is not None else None
            yield _claim(more, each=None if of_one is None else replace(more.total, each=more.total.each * of_one))


def _of_page(quantities: Quantities) -> Iterator[Claim]:
    """What calls cost by the service's own counters, where nothing in the JVM has counted them."""
    took, grown = _times(quantities)
    seen = callers.seen(quantities)
    for moved in quantities.moved(calls.CALLS):
        if moved.scope.dependency in seen:
            continue
        costs = calls.at_the_pace_before(moved, took)
        if costs is not None and not _taken(float(costs.each.mean()), grown[moved.scope]):
            continue
        fact = moved.fact
        statement = (
            f"Calls of {moved.scope.dependency} per request went from {fact.baseline:.2f} to "
            f"{fact.candidate:.2f} in {moved.agreeing} of {fact.pairs} pairs ({moved.scope.series})."
        )
        yield _of_time(statement, moved.scope, (fact,), each=costs)


def _claim(more: callers.MoreCalls, *, each: Moved | None) -> Claim:
    first = more.callers[0] if more.callers else more.total
    facts = (more.total.fact, *(one.fact for one in more.callers[:_MOST_CALLERS]))
    return _of_time(callers.told(more), first.scope, facts, each=each)


def _of_time(statement: str, scope: Scope, facts: tuple[Fact, ...], *, each: Moved | None) -> Claim:
    return Claim(
        statement=statement,
        scope=scope,
        facts=facts,
        each=each.each if each is not None else None,
        of=MEAN_LATENCY,
        proved=_is_worth_a_word(facts[0]),
        # Nobody knows what calls take that are not timed: only what waits for them longer says that they matter.
        alone=each is not None,
        moves=frozenset({calls.moving(str(scope.dependency), facts[0].change)}),
    )


def _of_anybody(claim: Claim) -> Claim:
    """What is known of all requests together, as a claim about one endpoint: likely at most."""
    return claim if claim.each is None else replace(claim, proved=False, most=MOST)


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
)
