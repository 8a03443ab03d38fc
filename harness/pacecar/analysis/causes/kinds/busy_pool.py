"""A pool of the JVM's own threads that uses more CPU time, or less: compilers, collectors."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import of_the_whole
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement
from pacecar.model.hotspot import Kind, kind_of

#: Metric -> what the pools do that it counts. What the service's own threads use, frames tell.
_COUNTED = {"jit": (Kind.JIT,), "cpu": (Kind.GC, Kind.JVM)}


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    for moved in quantities.moved(pools.OWN_CPU):
        if kind_of(moved.scope.pool or "") in _COUNTED[judgement.metric.name]:
            yield Claim(
                statement=f"The threads of {moved.scope.pool} went from {told(moved.fact)} of CPU time per request.",
                scope=moved.scope,
                facts=(moved.fact,),
                each=moved.each,
                of=judgement.metric.name,
            )


KIND = CauseKind(
    name="busy-pool",
    title="Threads of the JVM",
    layer=Layer.SUPPLY,
    explains=of_the_whole(*_COUNTED),
    needs=(pools.OWN_CPU,),
    claims=_claims,
    follows_from=frozenset({"allocation"}),
)
