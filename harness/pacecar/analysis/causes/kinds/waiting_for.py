"""Requests that wait longer for what others do or for time to pass: a database, another service, files."""

from __future__ import annotations

from pacecar.analysis.causes.explains import is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Layer
from pacecar.analysis.causes.waited import waited
from pacecar.analysis.profiles.reasons import WAITS, Wait
from pacecar.analysis.quantities import frames
from pacecar.model.profiles import ProfileKind

#: What requests take from each other is of kinds of its own, and what is not known is nobody's.
_OTHERS = frozenset({Wait.CONNECTION, Wait.LOCK, Wait.MEMORY, Wait.UNKNOWN})

KIND = CauseKind(
    name="waiting-for",
    title="Waiting",
    layer=Layer.SUPPLY,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=waited(frozenset(WAITS) - _OTHERS),
    moves=frozenset({"waiting", "held"}),
    follows_from=frozenset({"event-loop"}),
)
