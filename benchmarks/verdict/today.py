"""Rules that people use today, on the same data.

Each takes a synthetic comparison and returns the metrics that it calls worse, and the pairs that it looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.verdict.model import Array, Drawn

Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: its name, and how it decides."""

    name: str
    worse: Callable[[Drawn], set[Key]]
    pairs: int


def _threshold(drawn: Drawn, *, limit: float, other_machine: bool) -> set[Key]:
    """One run of each build, with the baseline from the same day or from another."""
    day = 1 if other_machine else 0
    ratios = {key: _ratio(values[0, 1], values[day, 0]) for key, values in drawn.by_fork.items()}
    return {key for key, ratio in ratios.items() if ratio > 1 + limit}


def _ratio(candidate: float, baseline: float) -> float:
    return float(candidate / baseline) if baseline > 0 else (np.inf if candidate > 0 else 1.0)


def _welch(drawn: Drawn, *, pairs: int) -> set[Key]:
    """Welch's t-test on one value per run, as if all runs were independent."""
    found = set()
    for key, values in drawn.by_fork.items():
        before, after = values[:pairs, 0], values[:pairs, 1]
        if np.ptp(before) == 0 and np.ptp(after) == 0:
            continue
        result = stats.ttest_ind(after, before, equal_var=False)
        if result.pvalue < 0.05 and result.statistic > 0:
            found.add(key)
    return found


def _pooled(drawn: Drawn, *, pairs: int) -> set[Key]:
    """Mann-Whitney on all requests of an endpoint, as if requests were independent."""
    found = set()
    for number, values in enumerate(drawn.requests):
        before, after = values[:pairs, 0].ravel(), values[:pairs, 1].ravel()
        if _rank_test(after, before) < 0.01 and np.median(after) > np.median(before):
            found.add(("latency.p50", f"endpoint {number}"))
    return found


def _rank_test(first: Array, second: Array) -> float:
    return float(stats.mannwhitneyu(first, second, method="asymptotic").pvalue)


def _kayenta(drawn: Drawn, *, pairs: int) -> set[Key]:
    """The judge of Spinnaker's Kayenta (MannWhitneyClassifier): a 98 % interval of the shift, a quarter tolerated."""
    found = set()
    for key, values in drawn.by_slice.items():
        before, after = values[:pairs, 0].ravel(), values[:pairs, 1].ravel()
        low, estimate = _shift(after, before, confidence=0.98)
        if low > 0.25 * abs(estimate):
            found.add(key)
    return found


def _shift(first: Array, second: Array, *, confidence: float) -> tuple[float, float]:
    """Hodges-Lehmann shift of `first` against `second`, and the lower end of its Mann-Whitney interval."""
    differences = np.sort((first[:, None] - second[None, :]).ravel())
    n, m = len(first), len(second)
    spread = np.sqrt(n * m * (n + m + 1) / 12)
    rank = int(n * m / 2 - 0.5 - stats.norm.ppf(0.5 + confidence / 2) * spread)
    return float(differences[max(0, rank)]), float(np.median(differences))


RULES = (
    Rule(
        name="+10 % on one run each, another day",
        worse=lambda d: _threshold(d, limit=0.10, other_machine=True),
        pairs=1,
    ),
    Rule(
        name="+10 % on one run each, side by side",
        worse=lambda d: _threshold(d, limit=0.10, other_machine=False),
        pairs=1,
    ),
    Rule(
        name="+5 % on one run each, side by side",
        worse=lambda d: _threshold(d, limit=0.05, other_machine=False),
        pairs=1,
    ),
    Rule(name="Welch's t on 6 runs each, p < 0.05", worse=lambda d: _welch(d, pairs=6), pairs=6),
    Rule(name="Mann-Whitney on pooled requests, p < 0.01", worse=lambda d: _pooled(d, pairs=6), pairs=6),
    Rule(name="Kayenta's classification of windows", worse=lambda d: _kayenta(d, pairs=6), pairs=6),
)
