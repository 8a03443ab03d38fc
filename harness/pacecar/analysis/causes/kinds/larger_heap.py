"""A heap that holds more after a full collection, or less."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import memory
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement

#: Metrics whose change is one of bytes that are held; a share of a limit is that of its bytes.
_BYTES = {"rss": "rss", "memory": "memory", "memory.limit": "memory"}


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    for moved in quantities.moved(memory.LIVE):
        yield Claim(
            statement=f"The live heap after a full collection went from {told(moved.fact)}.",
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=_BYTES[judgement.metric.name],
        )


KIND = CauseKind(
    name="larger-heap",
    title="Live heap",
    layer=Layer.SUPPLY,
    explains=one_of(*_BYTES),
    needs=(memory.LIVE,),
    claims=_claims,
    moves=frozenset({"memory"}),
    follows_from=frozenset({"heap"}),
)
