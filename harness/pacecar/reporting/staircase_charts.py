"""Staircases as drawings: how latency grows and where throughput ends, as the rate rises.

All axes are logarithmic: rates rise by factors, and latency near the limit grows by factors, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pacecar.model.experiment import Side
from pacecar.reporting.axes import Tick
from pacecar.reporting.document.staircase_shapes import ClimbRow, StepRow
from pacecar.text.units import format_quantity

#: Size of a drawing, in its own units, and the box of its axes; beside it stand their ticks.
WIDTH, HEIGHT = 420.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 410.0, 12.0, 204.0
#: Steps of a tick within a power of ten, by how many powers there are.
_DENSE, _SPARSE = (1, 2, 5), (1,)
_FEW_DECADES = 2.5
#: Ticks of an axis; numbers beyond all sense would have hundreds.
_TICKS = 8
#: Numbers outside of this are nobody's rate or latency.
_SMALLEST, _LARGEST = 1e-6, 1e9
#: An axis of a single value gets some room on both sides.
_ROOM = 1.25


@dataclass(frozen=True, kw_only=True)
class Line:
    """The steps of one fork: the points of a line, and each of them by itself."""

    side: Side
    points: tuple[tuple[float, float], ...]

    @property
    def path(self) -> str:
        """As SVG's `points` has it."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Where the capacity of a fork lies."""

    side: Side
    at: float


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One quantity over the rate.

    Attributes:
        title: what it shows.
        lines: one for each fork.
        marks: capacities.
        limit: height of the latency budget; None where the chart is not about latency.
        across: ticks of the rate.
        up: ticks of the quantity.
    """

    title: str
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    limit: float | None
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def charts(climbs: Sequence[ClimbRow]) -> tuple[Chart, ...]:
    """Latency and throughput over the rate; none where no step has numbers."""
    rates = [step.rate_per_s for climb in climbs for step in climb.steps if _known(step.rate_per_s)]
    if not rates:
        return ()
    across = _Axis.around(rates, start=LEFT, end=RIGHT)
    budgets = [climb.within_ms for climb in climbs if _known(climb.within_ms)]
    latencies = [[step.latency_ms for step in each.steps] for each in climbs]
    answered = [[step.answered_per_s for step in each.steps] for each in climbs]
    return (
        _chart("p95 latency", "ms", climbs, latencies, across, budgets),
        _chart("Answered requests", "/s", climbs, answered, across),
    )


def _chart(
    title: str,
    unit: str,
    climbs: Sequence[ClimbRow],
    amounts: Sequence[Sequence[float | None]],
    across: _Axis,
    budgets: Sequence[float | None] = (),
) -> Chart:
    up = _Axis.around([*(each for of_fork in amounts for each in of_fork), *budgets], start=BOTTOM, end=TOP)
    return Chart(
        title=title,
        lines=tuple(
            Line(side=climb.side, points=_points(climb.steps, of_fork, across, up))
            for climb, of_fork in zip(climbs, amounts, strict=True)
        ),
        marks=tuple(
            Mark(side=climb.side, at=across.place(climb.capacity_per_s))
            for climb in climbs
            if _known(climb.capacity_per_s)
        ),
        limit=up.place(budgets[0]) if budgets else None,
        across=across.ticks("/s"),
        up=up.ticks(unit),
    )


def _points(
    steps: Iterable[StepRow], amounts: Iterable[float | None], across: _Axis, up: _Axis
) -> tuple[tuple[float, float], ...]:
    both = zip((step.rate_per_s for step in steps), amounts, strict=True)
    return tuple((across.place(rate), up.place(amount)) for rate, amount in both if _known(rate) and _known(amount))


def _known(amount: float | None) -> bool:
    return amount is not None and _SMALLEST <= amount <= _LARGEST


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, amounts: Iterable[float | None], *, start: float, end: float) -> _Axis:
        known = [math.log10(amount) for amount in amounts if amount is not None and _known(amount)] or [0.0]
        low, high = min(known), max(known)
        room = math.log10(_ROOM) if high - low < math.log10(_ROOM) else 0.0
        return cls(low=low - room, high=high + room, start=start, end=end)

    def place(self, amount: float | None) -> float:
        """Of an amount that is known; what lies beyond an end stands at it."""
        part = (math.log10(amount or 1.0) - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, part)) * (self.end - self.start)

    def ticks(self, unit: str) -> tuple[Tick, ...]:
        steps = _DENSE if self.high - self.low <= _FEW_DECADES else _SPARSE
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        amounts = [step * 10.0**power for power in powers for step in steps]
        inside = [amount for amount in amounts if self.low <= math.log10(amount) <= self.high]
        thinned = inside[:: math.ceil(len(inside) / _TICKS)] if inside else []
        return tuple(Tick(at=self.place(amount), label=format_quantity(amount, unit)) for amount in thinned)
