"""The slowest requests are slow because the service stood still, or because the load generator did."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import outliers
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

#: Metrics of the tail -> the quantile beyond which a request is one of the slowest.
_BEYOND = {"latency.p90": 0.90, "latency.tail": 0.95, "latency.p99": 0.99}
#: Whose pauses, as in the table of them -> who stood still, and what that follows from.
_STOOD_STILL = {
    "target": ("the JVM", frozenset({"pauses", "heap", "allocation"})),
    "generator": ("the load generator, not the service,", frozenset({"generator"})),
}


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    endpoint, quantile = judgement.metric.endpoint, _BEYOND[judgement.metric.name]
    more = outliers.slower(quantities, endpoint, quantile)
    for process, (who, follows_from) in _STOOD_STILL.items():
        for moved in quantities.moved(outliers.in_pauses(endpoint, quantile, process)):
            yield Claim(
                statement=f"Requests that are among the slowest because {who} stood still went from "
                f"{told(moved.fact)} in a thousand.",
                scope=moved.scope,
                facts=(moved.fact,),
                each=moved.each,
                whole=more,
                scatter=moved.scatter,
                follows_from=follows_from,
            )


KIND = CauseKind(
    name="paused-outliers",
    title="Slowest requests",
    layer=Layer.SYMPTOM,
    explains=one_of(*_BEYOND),
    needs=(outliers.in_pauses("", 0.99),),
    claims=_claims,
)
