"""Two clocks of one measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ClockOffset:
    """How far the clock of a fork's machine was ahead of the load generator's, in ns.

    Attributes:
        before_ns: before the first request.
        after_ns: after the last window.
        bound_ns: neither is further from the truth: half of the quickest round trip.
    """

    before_ns: int
    after_ns: int
    bound_ns: int

    @property
    def most_ns(self) -> int:
        """The larger of both, whatever its sign."""
        return max(abs(self.before_ns), abs(self.after_ns))
