"""Threads that a pool gains with every request and does not give back."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

_GROWTH, _THREADS = "threads.growth", "threads"


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    gained = {moved.scope: moved.each for moved in quantities.moved(pools.GAINED)}
    for moved in quantities.moved(pools.GROWTH):
        each = moved.each if judgement.metric.name == _GROWTH else gained.get(moved.scope)
        if each is not None:
            yield Claim(
                statement=f"The growth of the pool {moved.scope.pool} went from {told(moved.fact)} threads per 1,000 "
                f"requests.",
                scope=moved.scope,
                facts=(moved.fact,),
                each=each,
            )


KIND = CauseKind(
    name="leak",
    title="Leak",
    layer=Layer.DEMAND,
    explains=one_of(_GROWTH, _THREADS),
    needs=(pools.GROWTH,),
    claims=_claims,
    moves=frozenset({"threads", "heap"}),
)
