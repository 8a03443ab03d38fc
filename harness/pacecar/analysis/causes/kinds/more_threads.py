"""A pool that has more threads, or fewer."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pools
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:  # noqa: ARG001  all tell of one number
    for moved in quantities.moved(pools.THREADS):
        yield Claim(
            statement=f"The pool {moved.scope.pool} went from {told(moved.fact)} threads.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of="threads",
        )


KIND = CauseKind(
    name="more-threads",
    title="Threads of a pool",
    layer=Layer.SUPPLY,
    explains=one_of("threads"),
    needs=(pools.THREADS,),
    claims=_claims,
    moves=frozenset({"memory"}),
    follows_from=frozenset({"threads"}),
)
