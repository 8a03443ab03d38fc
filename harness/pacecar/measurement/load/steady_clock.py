"""The time of day by which a load is conducted: no correction of the machine's clock moves it.

The kit keeps such a clock, too (`dev.pacecar.scenarios.LoadClock`). Were its moments compared with the machine's own, a
clock that is set meanwhile would shift every edge of a window, and one that is set back would be waited for.
"""

from __future__ import annotations

import time

from pacecar.measurement.pods.clock import Offset, offset


class SteadyClock:
    """Reads the time of day once; from then on the monotonic clock alone advances it."""

    def __init__(self) -> None:
        self._ahead = _ahead()

    def now_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return time.monotonic_ns() + self._ahead.ahead_ns

    def stepped(self) -> Offset:
        """How far the machine's clock has been set ahead since; negative where it was set back."""
        ahead = _ahead()
        return Offset(ahead_ns=ahead.ahead_ns - self._ahead.ahead_ns, bound_ns=ahead.bound_ns + self._ahead.bound_ns)


def _ahead() -> Offset:
    """How far the time of day is ahead of the monotonic clock: two readings between which we may have to wait."""
    return offset(time.time_ns, now=time.monotonic_ns)
