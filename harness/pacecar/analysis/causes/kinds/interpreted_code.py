"""Code that is interpreted instead of compiled: thrown away by the JVM again and again, or never compiled."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests, of_the_whole
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities.compiled import INTERPRETED
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

_MOST = 2.0  # as that of a hot frame


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    time = is_time_of_requests(judgement)
    for moved in quantities.moved(INTERPRETED):
        yield Claim(
            statement=f"Interpreted code of the service went from {told(moved.fact)} of CPU time per request.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=MEAN_LATENCY if time else "cpu",
            most=_MOST if time else float("inf"),
        )


KIND = CauseKind(
    name="interpreted-code",
    title="Interpreted code",
    layer=Layer.SUPPLY,
    explains=lambda judgement: is_time_of_requests(judgement) or of_the_whole("cpu")(judgement),
    needs=(INTERPRETED,),
    claims=_claims,
    moves=frozenset({"cpu"}),
    follows_from=frozenset({"cpu", "compiling"}),
)
