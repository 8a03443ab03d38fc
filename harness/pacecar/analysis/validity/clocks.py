"""Whether forks on another machine than the load generator had its time: windows are cut by the generator's clock."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.experiment import Side

#: Of a window of some seconds, so much of another one's samples is nothing.
NOTED_NS, TOLERATED_NS = 5_000_000, 25_000_000
_REMEDY = "Have both machines follow one server of time: chronyc tracking."


def clocks_apart(forks: Mapping[Side, MeasuredFork]) -> Caution | None:
    """Why a pair cannot be trusted for its clocks: a window's samples and pauses would be another window's."""
    return _apart(
        forks, beyond_ns=TOLERATED_NS, words="the clock of the {side}'s node was {ms} off, or jumped by so much"
    )


def clocks_noted(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    """What is said of clocks that are less far apart."""
    found = _apart(forks, beyond_ns=NOTED_NS, words="the clock of the {side}'s node was {ms} off")
    return [] if found is None else [found]


def _apart(forks: Mapping[Side, MeasuredFork], *, beyond_ns: int, words: str) -> Caution | None:
    for side, fork in forks.items():
        clock = fork.data.record.clock
        if clock is not None and clock.most_ns - clock.bound_ns > beyond_ns:
            ms = clock.most_ns / 1e6
            return Caution.of(
                CautionKind.CLOCKS, words, side=side, ms=Figure(value=ms, shown=f"{ms:.0f} ms"), remedy=_REMEDY
            )
    return None
