"""More calls of others per request, or fewer, by the service's own counters."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities import calls
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.model.causes import Scope
from pacecar.model.comparison import Judgement

#: What changes the number of calls by less is not worth a word.
_WORTH = 0.2
#: The part of what more calls would take at the pace before that they must really take: seven statements that go out in
#: one batch take what one did.
_TAKEN = 0.5


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  counters know no endpoint
    took, grown = _times(quantities)
    for moved in quantities.moved(calls.CALLS):
        fact = moved.fact
        costs = calls.at_the_pace_before(moved, took)
        if costs is not None and not _taken(float(costs.each.mean()), grown[moved.scope]):
            continue
        pairs = f"in {moved.agreeing} of {fact.pairs} pairs"
        yield Claim(
            statement=f"Calls of {moved.scope.dependency} per request went from {fact.baseline:.2f} to "
            f"{fact.candidate:.2f} {pairs} ({moved.scope.series}).",
            scope=moved.scope,
            facts=(fact,),
            each=costs.each if costs is not None else None,
            of=MEAN_LATENCY,
            proved=abs(fact.change) >= _WORTH * max(fact.baseline, fact.candidate),
            # Nobody knows what calls take that are not timed: only what waits for them longer says that they matter.
            alone=costs is not None,
        )


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
    explains=is_time_of_requests,
    needs=(calls.CALLS,),
    claims=_claims,
    moves=frozenset({"calls"}),
)
