"""Threads that are ready to run and are given no CPU: too few cores, a limit that throttles, too many threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities import cpu_supply, pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved
from pacecar.model.comparison import Judgement

_MOST = 2.0  # threads that serve no request wait for a CPU, too
#: Where the pools are known that wait, or the one that keeps them waiting, threads of one request may do so side by
#: side.
_MOST_BESIDE = 10.0
#: Who takes the CPU from others uses at least this part more of it of what these wait longer.
_TAKES = 0.25
#: What another tenant took may not be more than this part of it.
_STOLEN = 0.25


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    throttled = quantities.moved(cpu_supply.THROTTLED)
    for ready in quantities.moved(cpu_supply.READY):
        stolen = cpu_supply.stolen_ms(quantities)
        statement = (
            f"The time that runnable threads of the service waited for a CPU went from {told(ready.fact)} per request"
        )
        limit = [each.fact for each in throttled if each.fact.change * ready.fact.change > 0]
        if limit:
            statement += f"; throttling by the container's limit went from {told(limit[0])}"
        taker, kept_waiting = _pools(quantities, ready, judgement.metric.endpoint)
        if kept_waiting:
            statement += f"; that of the pool {kept_waiting[0].scope.pool} from {told(kept_waiting[0].fact)}"
        if taker is not None:
            statement += f"; the pool {taker.scope.pool} went from {told(taker.fact)} of CPU time per request"
        yield Claim(
            statement=statement + ".",
            scope=ready.scope if taker is None else replace(ready.scope, pool=taker.scope.pool),
            facts=(ready.fact, *limit, *(each.fact for each in kept_waiting[:1]), *([taker.fact] if taker else [])),
            each=np.sum([each.each for each in kept_waiting], axis=0) if kept_waiting else ready.each,
            of=MEAN_LATENCY,
            poisson=sum(each.poisson for each in kept_waiting),
            proved=abs(stolen) < _STOLEN * abs(ready.fact.change),
            most=_MOST if taker is None and not kept_waiting else _MOST_BESIDE,
            of_any_pool=True,
        )


def _pools(quantities: Quantities, ready: Moved, endpoint: str) -> tuple[Moved | None, Sequence[Moved]]:
    """The pool that uses most of the CPU time that others wait longer for, None where none uses much more; and these
    others as far as samples tell, who waits longest first.
    """
    # Threads to which a request is handed may know no endpoint.
    of_endpoint = quantities.moved(cpu_supply.delayed(endpoint)) or quantities.moved(cpu_supply.delayed(ALL))
    waiting = [each for each in of_endpoint if _alike(each, ready)]
    takers = [each for each in quantities.moved(pools.SERVICE_CPU) if _alike(each, ready)]
    for taker in sorted(takers, key=lambda each: -abs(each.fact.change)):
        others = [each for each in waiting if each.scope.pool != taker.scope.pool]
        longer = sum(abs(each.fact.change) for each in others) or abs(ready.fact.change)
        if abs(taker.fact.change) >= _TAKES * longer:
            return taker, others
    return None, waiting


def _alike(each: Moved, ready: Moved) -> bool:
    return each.fact.change * ready.fact.change > 0


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
