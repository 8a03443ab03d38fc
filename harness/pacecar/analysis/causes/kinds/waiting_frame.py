"""A frame that makes requests slow without using much: it waits."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.frames import claim_of, first_blamed, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Evidence
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind

#: Wall-clock time holds CPU and lock time: it is the cause where it grew by more than this factor beyond either.
WAITING_FACTOR = 2.0


def _claims(judgement: Judgement, evidence: Evidence) -> Iterator[Claim]:
    frame = first_blamed(ProfileKind.WALL, judgement, evidence) if is_time_of_requests(judgement) else None
    if frame is not None:
        yield claim_of(frame, weight=abs(frame.self_change) / WAITING_FACTOR)


KIND = CauseKind(name="waiting-frame", title="Waiting frame", claims=_claims)
