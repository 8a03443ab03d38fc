"""The table of metrics and its forest plot: which rows stand in front, where intervals, pairs and budgets lie.

The axis shows worsening: right of zero is worse for every metric, whatever its sign. It is linear near zero and
logarithmic further out (inverse hyperbolic sine), so that 2 % and 200 % can be read in one picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pacecar.model.comparison import Role, Scale, Verdict
from pacecar.reporting.axes import Tick
from pacecar.reporting.document import wording
from pacecar.reporting.document.shapes import JudgedMetric

#: Where the axis bends from linear to logarithmic, as a fraction.
_BEND = 0.05
_LEAST_REACH = 0.12
#: What lies beyond is drawn here; the plot of numbers near the largest that a float holds would have no width.
_FURTHEST = 1e6
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INVALID)
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0)
#: Two tick labels nearer than this, in percent of the width, would touch.
_TICK_DISTANCE = 18.0
_MARGIN = 3.0
#: Rows in front; what more there is stands with the folded ones.
_ROWS = 40


@dataclass(frozen=True, kw_only=True)
class ForestRow:
    """One metric on the axis, every place in percent of the width; None where there is none.

    What has no place on an axis of percentages (milliseconds, say) has no point either.
    """

    metric: JudgedMetric
    point: float | None
    low: float | None
    high: float | None
    budget: float | None
    per_pair: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Forest:
    """The plot: rows that everybody should see, and the folded ones."""

    rows: tuple[ForestRow, ...]
    quiet: tuple[ForestRow, ...]
    zero: float
    ticks: tuple[Tick, ...]


def forest(judgements: Sequence[JudgedMetric]) -> Forest:
    """A row for every metric, what regressed first; those with an estimate in percent or in points are drawn."""
    front = [place for place, metric in enumerate(judgements) if in_front(metric)]
    front = sorted(front, key=lambda place: judgements[place].verdict is not Verdict.REGRESSED)[:_ROWS]
    axis = _Axis.around(value for metric in judgements if _drawable(metric) for value in _extent(metric))
    rows = [_row(metric, axis) for metric in judgements]
    return Forest(
        rows=tuple(rows[place] for place in front),
        quiet=tuple(row for place, row in enumerate(rows) if place not in front),
        zero=axis.place(0.0),
        ticks=axis.ticks(),
    )


@dataclass(frozen=True)
class _Axis:
    left: float
    right: float

    @classmethod
    def around(cls, values: Iterable[float]) -> _Axis:
        reach = [*values, -_LEAST_REACH, _LEAST_REACH]
        return cls(_bent(min(reach)), _bent(max(reach)))

    def place(self, value: float) -> float:
        share = (_bent(value) - self.left) / (self.right - self.left)
        return round(_MARGIN + (100 - 2 * _MARGIN) * min(1.0, max(0.0, share)), 2)

    def ticks(self) -> tuple[Tick, ...]:
        kept = [Tick(at=self.place(0.0), label="0")]
        for size in sorted(_TICKS, key=lambda size: (size not in (0.1, 0.05), size)):
            for value in (-size, size):
                x = self.place(value)
                inside = self.left <= _bent(value) <= self.right
                if inside and all(abs(x - tick.at) >= _TICK_DISTANCE for tick in kept):
                    kept.append(Tick(at=x, label=f"{100 * value:+.0f}%"))
        return tuple(sorted(kept, key=lambda tick: tick.at))


def _bent(value: float) -> float:
    return math.asinh(max(-_FURTHEST, min(_FURTHEST, value)) / _BEND)


def in_front(metric: JudgedMetric) -> bool:
    """Whether everybody should see it: it is guaranteed; or can fail the comparison, and changed or looks worse."""
    if metric.role is Role.OBSERVED:
        return False
    return metric.role is Role.GUARANTEED or metric.verdict in _CHANGED or wording.beyond_budget(metric)


def _drawable(metric: JudgedMetric) -> bool:
    relative = metric.scale is Scale.RATIO or metric.unit == "%"
    return relative and metric.estimate is not None and metric.estimate.change is not None


def _row(metric: JudgedMetric, axis: _Axis) -> ForestRow:
    estimate = metric.estimate
    if estimate is None or not _drawable(metric):
        return ForestRow(metric=metric, point=None, low=None, high=None, budget=None, per_pair=())
    ends = [_fraction(metric, end) for end in (estimate.low, estimate.high)]
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    point, budget = _fraction(metric, estimate.change), _budget(metric)
    pairs = [_fraction(metric, change) for change in estimate.per_pair]
    return ForestRow(
        metric=metric,
        point=_place(axis, point),
        low=_place(axis, low),
        high=_place(axis, high),
        budget=_place(axis, budget),
        per_pair=tuple(axis.place(change) for change in pairs if change is not None),
    )


def _place(axis: _Axis, value: float | None) -> float | None:
    return None if value is None else axis.place(value)


def _extent(metric: JudgedMetric) -> list[float]:
    assert metric.estimate is not None
    estimate = metric.estimate
    values = [_fraction(metric, value) for value in (estimate.low, estimate.change, estimate.high)]
    return [value for value in (*values, _budget(metric)) if value is not None]


def _fraction(metric: JudgedMetric, change: float | None) -> float | None:
    """Worsening as a fraction: a percentage point is drawn as wide as a percent."""
    worse = wording.worsening(metric, change)
    return worse / 100 if worse is not None and metric.scale is Scale.DIFFERENCE else worse


def _budget(metric: JudgedMetric) -> float | None:
    budget = wording.budget_as_change(metric)
    return budget / 100 if budget is not None and metric.scale is Scale.DIFFERENCE else budget
