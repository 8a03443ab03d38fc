"""Threads that are ready to run and are given no CPU: too few cores, a limit that throttles, too many threads."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import cpu_supply
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

_MOST = 2.0  # threads that serve no request wait for a CPU, too
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
        yield Claim(
            statement=statement + ".",
            scope=moved.scope,
            facts=(moved.fact, *limit),
            each=moved.each,
            of=MEAN_LATENCY,
            proved=abs(stolen) < _STOLEN * abs(moved.fact.change),
            most=_MOST,
        )


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
