"""From the noise of a build against itself to what a plan can see with so many pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.stats.moderation import moderated, prior_of
from pacecar.analysis.verdicts.budgets import budget_for, margin_of
from pacecar.analysis.verdicts.rules import single_level
from pacecar.model.comparison import Metric, Noise, Role, Scale, Spread, Visible
from pacecar.model.experiment import Budget, Query

#: Numbers of pairs of which the study tells what they see.
PAIRS = (3, 5, 8)
#: Guaranteed metrics of a usual comparison, which share a level.
_TESTS = 5


def visible(noise: Noise, *, budgets: Sequence[Budget], queries: Sequence[Query] = ()) -> list[Visible]:
    """What a later comparison on this kind of machine can see, metric by metric.

    It will know of this study's noise, and look after the pairs that `stats.looks` names.

    Args:
        noise: of a run of one build against itself.
        budgets: what a worsening must reach to count.
        queries: metrics that Prometheus was asked for.
    """
    found = []
    for key, spread in sorted(noise.items()):
        metric = metric_of(*key, queries)
        if metric is None:  # recorded by another version of Pacecar
            continue
        margin = margin_of(metric, budget_for(metric, budgets)) or 0.0
        smallest = {pairs: _smallest(spread, pairs, margin=margin) for pairs in PAIRS}
        found.append(
            Visible(
                metric=metric,
                noise=math.sqrt(spread.variance),
                smallest={pairs: _as_change(metric, amount) for pairs, amount in smallest.items()},
            )
        )
    return found


def _smallest(spread: Spread, pairs: int, *, margin: float) -> float:
    # How loud the later pairs will be is known no better than this study knows it.
    degrees = min(pairs - 1, spread.degrees)
    plain = Effect(mean=0.0, standard_error=math.sqrt(spread.variance / pairs), degrees=degrees, replicates=pairs)
    level = single_level(Role.GUARANTEED, tests=_TESTS, stage=Stage(pairs=pairs, most=max(PAIRS)))
    return moderated(plain, prior_of([spread])).smallest_visible(level, margin=margin)


def _as_change(metric: Metric, amount: float) -> float:
    return math.expm1(amount) if metric.scale is Scale.RATIO else amount
