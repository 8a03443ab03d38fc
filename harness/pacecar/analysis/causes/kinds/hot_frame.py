"""A frame that uses more, or less: CPU time or allocation per request, or time for which it waits for locks."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.frames import claim_of, first_blamed, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Evidence
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind


def _claims(judgement: Judgement, evidence: Evidence) -> Iterator[Claim]:
    for event in _profiles_of(judgement):
        frame = first_blamed(event, judgement, evidence)
        if frame is not None:
            yield claim_of(frame, weight=abs(frame.self_change))


def _profiles_of(judgement: Judgement) -> tuple[ProfileKind, ...]:
    """The kinds of profile that say where the change comes from."""
    if is_time_of_requests(judgement):
        return ProfileKind.CPU, ProfileKind.LOCK
    known = METRICS.get(judgement.metric.name)
    return (known.profile,) if known is not None and known.profile is not None else ()


KIND = CauseKind(name="hot-frame", title="Hot frame", claims=_claims)
