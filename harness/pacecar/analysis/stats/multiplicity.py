"""Many metrics, one comparison: p-values corrected for how often one has looked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np


def holm(
    p_values: Sequence[float], *, level: float, nominal: Callable[[float], float] = lambda part: part
) -> tuple[float, ...]:
    """Adjusted p-values that hold the chance of *any* false rejection, whatever the dependence between the metrics.

    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6, 1979: the smallest
    is held to a part of the level as large as there are tests, the next to one part more of it, and so on; none may
    fall below the one before it.

    Args:
        p_values: of all tests.
        level: of all of them together.
        nominal: the p-value that must be undercut to reject at a level, where that is not the level itself because
            there are other looks (`looks.Stage.nominal`). It is asked only as long as tests are rejected.

    Returns:
        What is below `level` where, and only where, the test is rejected.
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(order))
    before, factor = 0.0, 1.0
    for place, test in enumerate(order):
        if before < level:  # else the procedure has ended
            part = nominal(level / (len(order) - place))
            factor = level / part if part > 0 else math.inf
        before = adjusted[test] = min(1.0, max(before, p_values[test] * factor)) if p_values[test] > 0 else before
    return tuple(float(p) for p in adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values that hold the expected *share* of false ones among the rejections.

    Benjamini & Hochberg, "Controlling the false discovery rate", J. of the Royal Statistical Society B 57, 1995.
    """
    # As `scipy.stats.false_discovery_control`, without the half second and the 40 MB that importing scipy.stats takes.
    order = np.argsort(p_values)
    scaled = np.sort(p_values) * (len(p_values) / np.arange(1, len(p_values) + 1))
    adjusted = np.empty(len(scaled))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return tuple(float(p) for p in np.clip(adjusted, 0.0, 1.0))
