"""Threads that the collector keeps waiting for memory: they allocate faster than it gives memory back."""

from __future__ import annotations

from pacecar.analysis.causes.explains import is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Layer
from pacecar.analysis.causes.waited import waited
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.quantities import frames
from pacecar.model.profiles import ProfileKind

KIND = CauseKind(
    name="allocation-stall",
    title="Allocation stalls",
    layer=Layer.CONTENTION,
    explains=is_time_of_requests,
    needs=(frames.PROFILES[ProfileKind.WALL],),
    claims=waited({Wait.MEMORY}),
    moves=frozenset({"waiting"}),
    follows_from=frozenset({"allocation", "heap"}),
)
