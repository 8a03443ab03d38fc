"""A load generator that stands still while it waits for answers: what it measures then is its own."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pauses
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

_GENERATOR = "generator"


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    for moved in quantities.moved(pauses.stopped_alike(judgement.metric.endpoint, _GENERATOR)):
        yield Claim(
            statement=f"The time that the load generator, not the service, stood still went from {told(moved.fact)} "
            "per request on average.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=MEAN_LATENCY,
        )


KIND = CauseKind(
    name="busy-generator",
    title="Load generator",
    layer=Layer.SUPPLY,
    # What the service itself measures holds no pause of the generator.
    explains=lambda judgement: judgement.metric.name.startswith("latency."),
    needs=(pauses.stopped_alike("", _GENERATOR),),
    claims=_claims,
    moves=frozenset({"generator"}),
)
