"""A pool of connections from which requests wait longer to be given one."""

from __future__ import annotations

from pacecar.analysis.causes.explains import is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Layer
from pacecar.analysis.causes.waited import waited
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities import frames
from pacecar.model.profiles import ProfileKind

KIND = CauseKind(
    name="pool-exhausted",
    title="Pool exhausted",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=waited({Wait.CONNECTION}),
    moves=frozenset({"waiting"}),
    # Who keeps a connection for longer leaves others without.
    follows_from=frozenset({"held", "event-loop"}),
)
