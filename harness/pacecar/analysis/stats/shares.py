"""What part of a change something accounts for, over pairs."""

from __future__ import annotations

import math

import numpy as np

from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.dispersion import Scatter
from pacecar.analysis.stats.effect import CONFIDENCE, Effect
from pacecar.analysis.stats.moderation import contradicted, moderated
from pacecar.analysis.stats.pairs import RESOLUTION
from pacecar.model.causes import Share
from pacecar.model.comparison import Spread


def share_of(
    claimed: Numbers, whole: Numbers, *, scatter: Scatter | None = None, whole_varies: float = 0.0
) -> Share | None:
    """The ratio of two mean changes with its 95 % interval; None where the whole did not change at all.

    The variance of a ratio of means over the same pairs is that of `claimed - ratio * whole`, over the square of the
    mean of `whole` (Cochran, Sampling Techniques, 1977, section 2.11). It is asked only of a `whole` that is certain
    to have changed, for which that holds.

    Three or four pairs hardly know that variance. Where the claim was sampled, what samples and metrics are assumed to
    scatter by moderates it (Smyth 2004, see `moderation`), unless the pairs contradict that.

    Args:
        claimed: (pairs,) what is claimed to be a part, NaN where it is not known.
        whole: (pairs,) the change itself, likewise.
        scatter: of one pair's claim; None where it was not sampled, and the pairs alone say how much it scatters.
        whole_varies: variance that is assumed of one pair's `whole`.
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
    own = Spread(variance=float(np.var(claimed - part * whole, ddof=1)), degrees=count - 1)
    prior = None if scatter is None else scatter.prior(beside=part**2 * whole_varies)
    if prior is not None and contradicted(prior, own):
        prior = None
    least = max(0.0 if scatter is None else scatter.counted, (RESOLUTION * mean) ** 2)
    error = math.sqrt(max(own.variance, least) / count)
    claim = Effect(mean=part * abs(mean), standard_error=error, degrees=count - 1, replicates=count)
    low, high = moderated(claim, prior).scaled(1 / abs(mean)).interval(CONFIDENCE)
    return Share(part=part, low=low, high=high)
