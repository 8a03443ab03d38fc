"""A frame that makes requests slow without using much: it waits, and what for is not known."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import of_frame
from pacecar.analysis.quantities import frames
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind

_MOST = 2.0  # as that of a hot frame


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    endpoint = judgement.metric.endpoint
    for frame, found in frames.blamed(quantities, ProfileKind.WALL, endpoint):
        moved = found.per_request_to(endpoint) if endpoint and quantities.labelled else found
        yield Claim(
            statement=of_frame(frame, moved.fact, endpoint),
            scope=moved.scope,
            facts=(moved.fact,),
            each=moved.each,
            of=MEAN_LATENCY,
            scatter=moved.scatter,
            most=float("inf") if quantities.labelled else _MOST,
        )


KIND = CauseKind(
    name="waiting-frame",
    title="Waiting frame",
    layer=Layer.SYMPTOM,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=_claims,
    follows_from=frozenset({"waiting"}),
)
