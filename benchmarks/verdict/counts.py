"""Counts over many synthetic comparisons: divided among processes, added up, and given as rates with their bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from scipy import stats

_PORTION = 50


def numbered(total: int) -> list[tuple[int, ...]]:
    """Numbers of comparisons, in portions for the processes."""
    return [tuple(range(start, min(start + _PORTION, total))) for start in range(0, total, _PORTION)]


def merged(parts: Iterable[Counter[str]]) -> Counter[str]:
    """Their sum, including zeros, which the sum of `Counter` drops."""
    total = Counter[str]()
    for part in parts:
        total.update(part)
    return total


def rate(count: int, total: int) -> list[float]:
    """The share, and its 95 % interval (Clopper & Pearson, Biometrika 26, 1934)."""
    interval = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    return [round(value, 5) for value in (count / total, interval.low, interval.high)]
