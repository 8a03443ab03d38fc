"""Threads that are ready to run and are given no CPU: too few cores, a limit that throttles, too many threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import cpu_supply, pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved
from pacecar.model.comparison import Judgement

_MOST = 2.0  # threads that serve no request wait for a CPU, too
#: Where a pool is known that takes the CPU, its own threads wait for it as well, and those of one request side by side.
_MOST_BESIDE = 10.0
#: Who takes the CPU from others uses at least so much more of it as these wait longer.
_TAKES = 0.25
#: What another tenant took may not be more than this part of it.
_STOLEN = 0.25


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  threads know no endpoint
    throttled = quantities.moved(cpu_supply.THROTTLED)
    for moved in quantities.moved(cpu_supply.READY):
        stolen = cpu_supply.stolen_ms(quantities)
        statement = (
            f"The time that runnable threads of the service waited for a CPU went from {told(moved.fact)} per request"
        )
        limit = [each.fact for each in throttled if each.fact.change * moved.fact.change > 0]
        if limit:
            statement += f"; throttling by the container's limit went from {told(limit[0])}"
        taker = _taker(quantities, moved)
        if taker is not None:
            statement += f"; the pool {taker.scope.pool} went from {told(taker.fact)} of CPU time per request"
        yield Claim(
            statement=statement + ".",
            scope=moved.scope if taker is None else replace(moved.scope, pool=taker.scope.pool),
            facts=(moved.fact, *limit, *([taker.fact] if taker else [])),
            each=moved.each,
            of=MEAN_LATENCY,
            proved=abs(stolen) < _STOLEN * abs(moved.fact.change),
            most=_MOST if taker is None else _MOST_BESIDE,
        )


def _taker(quantities: Quantities, ready: Moved) -> Moved | None:
    """The pool that uses most of the CPU time that others wait longer for; None where none uses much more."""
    more = [
        each
        for each in quantities.moved(pools.SERVICE_CPU)
        if each.fact.change * ready.fact.change > 0 and abs(each.fact.change) >= _TAKES * abs(ready.fact.change)
    ]
    return max(more, key=lambda each: abs(each.fact.change), default=None)


KIND = CauseKind(
    name="starved-of-cpu",
    title="Starved of CPU",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(cpu_supply.READY,),
    claims=_claims,
    moves=frozenset({"waiting"}),
    follows_from=frozenset({"cpu", "threads", "cores"}),
)
