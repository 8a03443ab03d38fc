"""What part of a change something accounts for, over pairs."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pacecar.analysis.stats.effect import CONFIDENCE, t_quantile
from pacecar.analysis.stats.pairs import RESOLUTION
from pacecar.model.causes import Share

Numbers = npt.NDArray[np.float64]


def share_of(claimed: Numbers, whole: Numbers, *, poisson: float = 0.0) -> Share | None:
    """The ratio of two mean changes with its 95 % interval; None where the whole did not change at all.

    The variance of a ratio of means over the same pairs is that of `claimed - ratio * whole`, over the square of the
    mean of `whole` (Cochran, Sampling Techniques, 1977, section 2.11). It is asked only of a `whole` that is certain
    to have changed, for which that holds.

    Args:
        claimed: (pairs,) what is claimed to be a part, NaN where it is not known.
        whole: (pairs,) the change itself, likewise.
        poisson: variance of one pair's claim by counting alone, which no agreement of pairs undercuts.
    """
    known = np.isfinite(claimed) & np.isfinite(whole)
    claimed, whole = claimed[known], whole[known]
    count = len(whole)
    if count == 0 or whole.mean() == 0:
        return None
    mean = float(whole.mean())
    part = float(claimed.mean()) / mean
    if count == 1:
        return Share(part=part, low=-math.inf, high=math.inf)
    scatter = float(np.var(claimed - part * whole, ddof=1))
    error = math.sqrt(max(scatter, poisson, (RESOLUTION * mean) ** 2) / count) / abs(mean)
    half = t_quantile(0.5 + CONFIDENCE / 2, count - 1) * error
    return Share(part=part, low=part - half, high=part + half)
