"""A call that blocks on an event loop: all that the loop serves waits meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities.event_loops import BLOCKED
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  a loop serves all alike
    for moved in quantities.moved(BLOCKED):
        yield Claim(
            statement=f"The time that {moved.scope.frame} blocked the event loop {moved.scope.pool} went from "
            f"{told(moved.fact)} per request.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=MEAN_LATENCY,
            scatter=moved.scatter,
        )


KIND = CauseKind(
    name="blocked-event-loop",
    title="Blocked event loop",
    layer=Layer.DEMAND,
    explains=is_time_of_requests,
    needs=(BLOCKED,),
    claims=_claims,
    moves=frozenset({"event-loop", "waiting"}),
)
