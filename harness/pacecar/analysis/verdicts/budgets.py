"""Which budget a metric is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Metric, Scale
from pacecar.model.experiment import Budget


def budget_for(metric: Metric, budgets: Sequence[Budget]) -> Budget | None:
    """The budget of `metric`: its endpoint's own, else the one for every endpoint, else the catalogue's default.

    None means that nothing was promised: a change can be shown, but not that there is none. Of one endpoint some
    metrics are promised nothing unless a budget names it (`MetricKind.named`).
    """
    kind = METRICS.get(metric.name)
    by_name_only = bool(metric.endpoint) and kind is not None and kind.named
    named = [budget for budget in budgets if budget.metric == metric.name]
    for endpoint in (metric.endpoint or None, *([] if by_name_only else [None])):
        for budget in named:
            if budget.endpoint == endpoint:
                return budget
    if by_name_only:
        return None
    return None if kind is None or kind.budget is None else Budget(metric=metric.name, relative=kind.budget)


#: What must be ruled out, as a multiple of the budget, where neither the user nor the catalogue says otherwise: a build
#: that is worse by nearly its budget cannot be told from one that is worse by a little more.
ROOM = 1.5


def margin_of(metric: Metric, budget: Budget | None) -> float | None:
    """The relative budget on the scale of the metric's effect; None when there is none.

    On the ratio scale it is a log-ratio, so that a budget of 10 % reaches from 1 / 1.1 to 1.1 and swapping the
    sides mirrors the verdict. On the difference scale it is the tolerated difference
    itself, in the metric's unit; of shares 0.005 is half a percentage point.
    """
    return None if budget is None or budget.relative is None else _on_scale(metric, budget.relative)


def allowance_of(metric: Metric, budget: Budget | None) -> float | None:
    """The worsening that must be ruled out for `metric` to pass, on the scale of its effect; None without a budget.

    Never less than the budget's own: the user's, else the catalogue's, else `ROOM` times the budget.
    """
    if budget is None or budget.relative is None:
        return None
    kind = METRICS.get(metric.name)
    named = budget.allowance or (kind.allowance if kind else None) or ROOM * budget.relative
    return _on_scale(metric, max(named, budget.relative))


def _on_scale(metric: Metric, amount: float) -> float:
    if metric.scale is Scale.RATIO:
        return math.log1p(amount)
    return amount * (100 if metric.unit == "%" else 1)
