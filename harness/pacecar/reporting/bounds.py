"""The geometry of the strip below the verdict: for each metric that decides, what is ruled out beside what must be.

Every row has a scale of its own, from a little better than the baseline to twice what must be ruled out. So rows whose
budgets differ by a factor of ten can be read below each other. Right of zero is worse, whatever the sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.document import wording
from pacecar.reporting.document.shapes import JudgedMetric

#: Ends of a row, as multiples of what must be ruled out.
_LEFT, _RIGHT = -1.25, 2.0
#: Percent of the width that is kept free at either end: a point there is not cut off on a narrow screen, either.
_MARGIN = 2.0
#: Rows that a first screen has room for: of guaranteed metrics, and of tripwires below them.
_ROWS = 10
_TRIPPED = 4


@dataclass(frozen=True, kw_only=True)
class Bound:
    """One metric on its scale, every place in percent of the width; None where there is none.

    Attributes:
        point: the estimate, at an end where it lies beyond it.
        beyond: which end that is: -1 the left one, 1 the right one, 0 neither.
        bound: from where on everything is ruled out; None also where that is off the scale.
    """

    metric: JudgedMetric
    point: float | None = None
    beyond: int = 0
    low: float | None = None
    high: float | None = None
    budget: float | None = None
    allowance: float | None = None
    bound: float | None = None

    @property
    def drawn(self) -> bool:
        """Whether there is a scale to draw anything on."""
        return self.budget is not None or self.allowance is not None

    @property
    def words(self) -> str:
        """What the picture shows."""
        metric, estimate = self.metric, self.metric.estimate
        must = wording.allowance(metric)
        interval = wording.interval(metric, estimate) if estimate else ""
        parts = [
            f"estimate {wording.change(metric, estimate.change)} {interval}".strip() if estimate else "",
            wording.ruled_out(metric),
            wording.budget(metric),
            "" if must is None else f"to be ruled out: {wording.magnitude(metric, must)}",
        ]
        return ", ".join(filter(None, parts))


@dataclass(frozen=True, kw_only=True)
class Strip:
    """The rows, how many more there are, and where zero lies in each of them."""

    rows: tuple[Bound, ...]
    more: int
    zero: float


def strip(judgements: Sequence[JudgedMetric]) -> Strip:
    """A row for each guaranteed metric, and for whatever else regressed; what regressed first."""
    regressed = [
        metric for metric in judgements if metric.role is Role.TRIPWIRE and metric.verdict is Verdict.REGRESSED
    ]
    guaranteed = [metric for metric in judgements if metric.role is Role.GUARANTEED]
    told = sorted(
        [*guaranteed[:_ROWS], *regressed[:_TRIPPED]], key=lambda metric: metric.verdict is not Verdict.REGRESSED
    )
    return Strip(rows=tuple(map(_row, told)), more=len(guaranteed) + len(regressed) - len(told), zero=_place(0.0))


def _row(metric: JudgedMetric) -> Bound:
    budget, must = wording.budget_as_change(metric), wording.allowance(metric)
    unit = must or budget
    if not unit or not math.isfinite(unit):
        return Bound(metric=metric)

    def at(value: float | None) -> float | None:
        return None if value is None else _place(value / unit)

    estimate = metric.estimate
    bound = metric.ruled_out.bound if metric.ruled_out else None
    ends = [wording.worsening(metric, end) for end in (estimate.low, estimate.high)] if estimate else [None]
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    point = wording.worsening(metric, estimate.change) if estimate else None
    return Bound(
        metric=metric,
        point=at(point),
        beyond=0 if point is None else _beyond(point / unit),
        low=at(low),
        high=at(high),
        budget=at(budget),
        allowance=at(must),
        bound=at(bound) if bound is not None and _beyond(bound / unit) <= 0 else None,
    )


def _beyond(share: float) -> int:
    """See `Bound.beyond`."""
    return 1 if share > _RIGHT else -1 if share < _LEFT else 0


def _place(share: float) -> float:
    """Where a multiple of what must be ruled out lies, at the edge where it lies beyond."""
    within = (min(_RIGHT, max(_LEFT, share)) - _LEFT) / (_RIGHT - _LEFT)
    return round(_MARGIN + (100 - 2 * _MARGIN) * within, 2)
