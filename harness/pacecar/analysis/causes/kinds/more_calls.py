"""More calls of others per request, or fewer, by the service's own counters."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities import calls
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.model.comparison import Judgement

#: Where the service does not time its calls, what changes their number by less explains no latency.
_WORTH = 0.2


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  counters know no endpoint
    timed = quantities.of(calls.TIME)
    took = (
        dict(zip(timed.keys, timed.baseline.mean(axis=0).tolist(), strict=True)) if isinstance(timed, Quantity) else {}
    )
    for moved in quantities.moved(calls.CALLS):
        fact = moved.fact
        costs = calls.at_the_pace_before(moved, took)
        pairs = f"in {moved.agreeing} of {fact.pairs} pairs"
        yield Claim(
            statement=f"Calls of {moved.scope.dependency} per request went from {fact.baseline:.2f} to "
            f"{fact.candidate:.2f} {pairs} ({moved.scope.series}).",
            scope=moved.scope,
            facts=(fact,),
            each=costs.each if costs is not None else None,
            of=MEAN_LATENCY,
            proved=abs(fact.change) >= _WORTH * max(fact.baseline, fact.candidate),
        )


KIND = CauseKind(
    name="more-calls",
    title="Calls per request",
    layer=Layer.DEMAND,
    explains=is_time_of_requests,
    needs=(calls.CALLS,),
    claims=_claims,
    moves=frozenset({"calls"}),
)
