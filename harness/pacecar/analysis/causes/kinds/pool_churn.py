"""A pool whose threads spend CPU time on being woken, looking for work and lying down again."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import is_time_of_requests, of_the_whole
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities.hand_offs import HAND_OFFS
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.pools import THREADS
from pacecar.model.comparison import Judgement

_is_cpu = of_the_whole("cpu")


def _explains(judgement: Judgement) -> bool:
    return _is_cpu(judgement) or is_time_of_requests(judgement)


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    cpu = _is_cpu(judgement)
    threads = {moved.scope.pool: moved.fact for moved in quantities.moved(THREADS)}
    for moved in quantities.moved(HAND_OFFS):
        more = threads.get(moved.scope.pool)
        statement = f"Waking threads of {moved.scope.pool} and looking for work went from {told(moved.fact)} of CPU "
        statement += "time per request"
        if more is not None and more.change * moved.fact.change > 0:
            statement += f"; its threads from {told(more)}"
        yield Claim(
            statement=statement + ".",
            scope=moved.scope,
            facts=(moved.fact, *([more] if more is not None else [])),
            # What requests wait for it is not known: of their time it is the root of what follows from it.
            each=moved.each if cpu else None,
            of="cpu",
            scatter=moved.scatter,
            alone=cpu,
        )


KIND = CauseKind(
    name="pool-churn",
    title="Hand-offs of a pool",
    layer=Layer.SUPPLY,
    explains=_explains,
    needs=(HAND_OFFS,),
    claims=_claims,
    moves=frozenset({"cpu"}),
)
