"""A lock for which requests wait longer."""

from __future__ import annotations

from pacecar.analysis.causes.explains import is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Layer
from pacecar.analysis.causes.waited import waited
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities import frames
from pacecar.model.profiles import ProfileKind

KIND = CauseKind(
    name="lock-contention",
    title="Lock contention",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=waited({Wait.LOCK}),
    moves=frozenset({"waiting"}),
    # Who waits for something within a lock keeps it for longer.
    follows_from=frozenset({"held", "event-loop"}),
)
