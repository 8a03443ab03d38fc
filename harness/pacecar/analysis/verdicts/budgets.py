"""Which budget a metric is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Metric, Scale
from pacecar.model.experiment import Budget


def budget_for(metric: Metric, budgets: Sequence[Budget]) -> Budget | None:
    """The budget of `metric`: its endpoint's own, else the one for every endpoint, else the catalogue's default.

    None means that nothing was promised: a change can be shown, but not that there is none.
    """
    named = [budget for budget in budgets if budget.metric == metric.name]
    for endpoint in (metric.endpoint or None, None):
        for budget in named:
            if budget.endpoint == endpoint:
                return budget
    kind = METRICS.get(metric.name)
    return None if kind is None or kind.budget is None else Budget(metric=metric.name, relative=kind.budget)


def margin_of(metric: Metric, budget: Budget | None) -> float | None:
    """The relative budget on the scale of the metric's effect; None when there is none.

    On the ratio scale it is a log-ratio, so that a budget of 10 % reaches from 1 / 1.1 to 1.1 and swapping the
    sides mirrors the verdict. On the difference scale it is the tolerated difference
    itself, in the metric's unit; of shares 0.005 is half a percentage point.
    """
    if budget is None or budget.relative is None:
        return None
    if metric.scale is Scale.RATIO:
        return math.log1p(budget.relative)
    return budget.relative * (100 if metric.unit == "%" else 1)
