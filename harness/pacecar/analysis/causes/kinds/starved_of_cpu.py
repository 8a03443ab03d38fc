"""Threads that are ready to run and are given no CPU: too few cores, a limit that throttles, too many threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities import cpu_supply, pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved
from pacecar.analysis.stats.dispersion import Scatter
from pacecar.model.causes import Scope
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
    for way in (1.0, -1.0):
        ready = next(iter(_going(way, quantities.moved(cpu_supply.READY))), None)
        taker, others = _pools(quantities, ready, way, judgement.metric.endpoint)
        # What the kernel says of all threads together scatters with those that take the CPU, which are among them.
        if ready is not None or (taker is not None and others):
            yield _claim(quantities, ready, taker, others)


def _claim(quantities: Quantities, ready: Moved | None, taker: Moved | None, others: Sequence[Moved]) -> Claim:
    """What other pools waited where samples tell it, else what the kernel says of all threads."""
    main = ready or others[0]
    of_whom = "the service" if ready is not None else f"the pool {main.scope.pool}"
    statement = f"The time that runnable threads of {of_whom} waited for a CPU went from {told(main.fact)} per request"
    limit = [each.fact for each in _going(main.fact.change, quantities.moved(cpu_supply.THROTTLED))]
    if limit:
        statement += f"; throttling by the container's limit went from {told(limit[0])}"
    longest = others[:1] if ready is not None else []
    if longest:
        statement += f"; that of the pool {longest[0].scope.pool} from {told(longest[0].fact)}"
    if taker is not None:
        statement += f"; the pool {taker.scope.pool} went from {told(taker.fact)} of CPU time per request"
    return Claim(
        statement=statement + ".",
        scope=Scope() if taker is None else Scope(pool=taker.scope.pool),
        facts=(main.fact, *limit, *(each.fact for each in longest), *([taker.fact] if taker else [])),
        each=np.sum([each.each for each in others], axis=0) if others else main.each,
        of=MEAN_LATENCY,
        scatter=Scatter.together(each.scatter for each in others if each.scatter is not None) if others else None,
        proved=abs(cpu_supply.stolen_ms(quantities)) < _STOLEN * abs(main.fact.change),
        most=_MOST if taker is None and not others else _MOST_BESIDE,
        of_any_pool=True,
    )


def _pools(
    quantities: Quantities, ready: Moved | None, way: float, endpoint: str
) -> tuple[Moved | None, Sequence[Moved]]:
    """The pool that uses most of the CPU time that others wait longer for, None where none uses much more; and these
    others as far as samples tell, who waits longest first.
    """
    # Threads to which a request is handed may know no endpoint.
    delayed = quantities.moved(cpu_supply.delayed(endpoint)) or quantities.moved(cpu_supply.delayed(ALL))
    waiting = _going(way, delayed)
    for taker in _going(way, quantities.moved(pools.SERVICE_CPU)):
        others = [each for each in waiting if each.scope.pool != taker.scope.pool]
        longer = sum(abs(each.fact.change) for each in others or ([ready] if ready is not None else []))
        if abs(taker.fact.change) >= _TAKES * longer:
            return taker, others
    return None, waiting


def _going(way: float, moved: Sequence[Moved]) -> list[Moved]:
    return [each for each in moved if each.fact.change * way > 0]


KIND = CauseKind(
    name="starved-of-cpu",
    title="Starved of CPU",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(cpu_supply.READY,),
    claims=_claims,
    moves=frozenset({"waiting"}),
    follows_from=frozenset({"cpu", "threads", "cores"}),
    on_top=True,
)
