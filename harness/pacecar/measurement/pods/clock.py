"""How far the clock of a pod's node is ahead of ours, by Cristian's method (Distributed Computing 3, 1989, section 3).

Of several questions for the time the quickest is believed: its answer was made at some moment between question and
answer, so taking the middle is wrong by half of the round trip at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

PROBES = 16


@dataclass(frozen=True, kw_only=True)
class Offset:
    """How far another clock is ahead, and how wrong that may be, both in ns."""

    ahead_ns: int
    bound_ns: int


def offset(asked: Callable[[], int], *, now: Callable[[], int] = time.time_ns) -> Offset:
    """Compare clocks.

    Args:
        asked: asks the other clock, in ns since the epoch.
        now: our own.
    """
    quickest: tuple[int, int] | None = None
    for _ in range(PROBES):
        sent = now()
        there = asked()
        took = now() - sent
        if quickest is None or took < quickest[0]:
            quickest = took, there - (sent + took // 2)
    assert quickest is not None
    took, ahead = quickest
    return Offset(ahead_ns=ahead, bound_ns=max(0, took) // 2)
