"""Collections that stop requests for longer, or more often."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pauses
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    for moved in quantities.moved(pauses.stopped_alike(judgement.metric.endpoint)):
        yield Claim(
            statement=f"Pauses of the JVM went from {told(moved.fact)} per request on average.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=MEAN_LATENCY,
        )


KIND = CauseKind(
    name="longer-pauses",
    title="Pauses",
    layer=Layer.SUPPLY,
    explains=is_time_of_requests,
    needs=(pauses.stopped_alike(""),),
    claims=_claims,
    moves=frozenset({"waiting", "pauses"}),
    follows_from=frozenset({"allocation", "heap"}),
    on_top=True,
)
