"""The change of a share of failed requests, from counts per fork.

Failures are counted, so their noise has a known floor, the binomial. But forks are not coins: a fork that lost its
connections fails often, its neighbour not at all. So the binomial variance is multiplied by what the forks show
beyond it (quasi-binomial; McCullagh & Nelder, "Generalized linear models", 2nd edition 1989, section 4.5), and
Student's t with the forks' degrees of freedom stands in for the normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pacecar.analysis.stats.effect import Effect, single


def rate_effect(
    baseline: Sequence[tuple[int, int]],
    candidate: Sequence[tuple[int, int]],
    *,
    shared: Sequence[int] = (),
) -> Effect:
    """The difference of two pooled shares, candidate minus baseline, as a fraction.

    The variance is that under "no change": one share for both sides. That makes it a score test, which keeps its
    level where a side has no failures at all. Half a failure and half a success are added to that share, so that zero
    failures in few requests do not count as certainty.

    What fails on both sides alike takes nothing away from the difference and adds no chance to it, as in McNemar's
    test ("Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika
    12, 1947): the variance is that of requests of which only one of two twins failed.

    Args:
        baseline: (failed, requests) of each fork, requests above zero.
        candidate: the same; as many forks or not.
        shared: of each pair of forks how many requests failed on both sides; nothing where forks are no pairs.
    """
    before, after = np.array(baseline, dtype=float), np.array(candidate, dtype=float)
    change = float(after[:, 0].sum() / after[:, 1].sum() - before[:, 0].sum() / before[:, 1].sum())
    if shared:
        before[:, 0] -= shared
        after[:, 0] -= shared
    shares = [float(side[:, 0].sum() / side[:, 1].sum()) for side in (before, after)]
    degrees = len(before) + len(after) - 2
    replicates = min(len(before), len(after))
    if replicates < 2:
        return single(change)
    common = (before[:, 0].sum() + after[:, 0].sum() + 0.5) / (before[:, 1].sum() + after[:, 1].sum() + 1)
    variance = float(common * (1 - common))
    scatter = sum(
        float((((side[:, 0] - side[:, 1] * share) ** 2) / (side[:, 1] * variance)).sum())
        for side, share in zip((before, after), shares, strict=True)
    )
    overdispersion = max(1.0, scatter / degrees)
    inverse_requests = 1 / before[:, 1].sum() + 1 / after[:, 1].sum()
    return Effect(
        mean=change,
        standard_error=math.sqrt(overdispersion * variance * float(inverse_requests)),
        degrees=degrees,
        replicates=replicates,
    )


def rule_of_three(requests: int) -> float:
    """The largest share, with 95 % confidence, when none of `requests` failed.

    Hanley & Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983.
    """
    return min(1.0, 3 / requests)
