"""Many metrics, one comparison: p-values corrected for how often one has looked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values that hold the chance of *any* false rejection, whatever the dependence between the metrics.

    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6, 1979. The smallest
    is multiplied by the number of tests, the next by one less, and so on; none may fall below the one before it.
    """
    ordered = np.sort(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))
    adjusted = np.empty(len(ordered))
    adjusted[order] = np.minimum(stepped, 1.0)
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
