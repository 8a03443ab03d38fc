"""A build bears fewer requests because each takes more CPU time of the same cores, or more because it takes less."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import of_the_whole
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import steps
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.model.comparison import Judgement

_CAPACITY = "capacity"


def _claims(_: Judgement, quantities: Quantities) -> Iterator[Claim]:
    used = quantities.of(steps.NEAR_LIMIT)
    if not isinstance(used, Quantity) or not steps.short_of_cpu(quantities):
        return
    # Cores that are used up bear as many requests as their time is enough for, so what a pool uses more of each request
    # takes that share of the candidate's.
    bears, of_each = quantities.level(_CAPACITY), used.candidate.sum(axis=1)
    for moved in used.moved:
        yield Claim(
            statement=f"Near the limit, where its cores are used up, the threads of {moved.scope.pool} went from "
            f"{told(moved.fact)} of CPU time per request.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=-bears * moved.each / of_each,
        )


KIND = CauseKind(
    name="dearer-requests",
    title="CPU time near the limit",
    layer=Layer.DEMAND,
    explains=of_the_whole(_CAPACITY),
    needs=(steps.NEAR_LIMIT,),
    claims=_claims,
)
