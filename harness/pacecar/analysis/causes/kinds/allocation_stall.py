"""Threads that the collector keeps waiting for memory: they allocate faster than it gives memory back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.causes.waited import MOST_AT_ONCE, waited
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.memory import STALLED
from pacecar.analysis.quantities.quantity import Moved
from pacecar.model.comparison import Judgement

_by_stacks = waited({Wait.MEMORY})


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    """What stacks tell has a frame and, where samples are labelled, an endpoint. Those of a JDK without symbols do not
    show that a thread waits for memory; the collector's log does.
    """
    logged = quantities.moved(STALLED)
    seen = list(_by_stacks(judgement, quantities))
    for claim in seen:
        alike = [moved.fact for moved in logged if moved.fact.change * claim.facts[0].change > 0]
        yield replace(claim, facts=(*claim.facts, *alike[:1]))
    if not seen:
        yield from map(_by_log, logged)


def _by_log(moved: Moved) -> Claim:
    return Claim(
        statement=f"The time that threads of {moved.scope.pool} waited for memory went from {told(moved.fact)} per "
        "request, by the collector's log.",
        scope=moved.scope,
        facts=(moved.fact,),
        each=moved.each,
        of=MEAN_LATENCY,
        most=MOST_AT_ONCE,
    )


KIND = CauseKind(
    name="allocation-stall",
    title="Allocation stalls",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(STALLED,),
    claims=_claims,
    moves=frozenset({"waiting"}),
    follows_from=frozenset({"allocation", "heap"}),
    on_top=True,
)
