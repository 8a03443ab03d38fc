"""Whether the clock of a fork's machine could be told from the load generator's, which may be on another.

A clock that is ahead is no matter: what it timed was moved by that (`measurement.session.clock`). One that jumped, or
that nobody could ask quickly, would make a window's samples and pauses another window's. On one machine there is one
clock, which may be set while the generator, which reads it once, keeps its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.experiment import Side
from pacecar.text.units import format_duration

#: Of a window of some seconds, so much is nothing.
NOTED_NS, TOLERATED_NS = 5_000_000, 25_000_000
_REMEDY = "Have both machines follow the same time server: chronyc tracking."
_REMEDY_HERE = "Have the clock slewed, not set, while Pacecar measures: chronyc tracking."


def clocks_apart(forks: Mapping[Side, MeasuredFork]) -> Caution | None:
    """Why a pair cannot be trusted for its clocks."""
    for side, fork in forks.items():
        clock, here = fork.data.record.clock, fork.data.record.node is None
        if clock is None:
            continue
        if (jumped := abs(clock.after_ns - clock.before_ns)) > TOLERATED_NS:
            if here:
                return _set_here(side, jumped)
            return _told("the clock of the {side}'s node jumped by {ms} while it was measured", side, jumped)
        if not here and clock.bound_ns > TOLERATED_NS:
            return _told("the clock of the {side}'s node is known only to within {ms}", side, clock.bound_ns)
    return None


def clocks_noted(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    """What is said of clocks that were apart all the time."""
    return [
        _told("the clock of the {side}'s node was {ms} off; its times were corrected by that", side, clock.most_ns)
        for side, fork in forks.items()
        if (clock := fork.data.record.clock) is not None
        and fork.data.record.node is not None
        and clock.most_ns - clock.bound_ns > NOTED_NS
    ]


def _set_here(side: Side, off_ns: int) -> Caution:
    shown = Figure(value=off_ns / 1e9, shown=format_duration(off_ns / 1e9))
    words: LiteralString = "this machine's clock was set by {much} while the {side} was measured"
    return Caution.of(CautionKind.CLOCKS, words, side=side, much=shown, remedy=_REMEDY_HERE)


def _told(words: LiteralString, side: Side, off_ns: int) -> Caution:
    ms = off_ns / 1e6
    shown = Figure(value=ms, shown=f"{ms:.0f} ms")
    return Caution.of(CautionKind.CLOCKS, words, side=side, ms=shown, remedy=_REMEDY)
