"""By how much everything alike became slower or faster: the machine, the day, what the JIT made of all frames."""

from __future__ import annotations

import math

import numpy as np

from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.dispersion import SUM_DEGREES, SUM_PHI
from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.moderation import Prior, contradicted, moderated, spread_of
from pacecar.analysis.stats.pairs import paired_effect

#: Frames of at least this share of the whole tell of it.
_SHARE = 0.005
_FEWEST = 8
#: Standard deviation of the logarithm of one frame's cost in a fork, beside what its samples make: taken to be so.
_FRAMES_DIFFER = 0.06
#: Largest standard error of what they tell, as a logarithm.
_KNOWN_TO = 0.10


def common_change(before: Numbers, after: Numbers, poisson: Numbers) -> Numbers:
    """(pairs,) the middle log-ratio of the costly frames.

    Each frame counts by what its samples are worth. Nothing is taken out where they are worth too little: a handful of
    frames with a handful of samples says nothing of everything.

    Args:
        before: (pairs, frames) own cost.
        after: (pairs, frames).
        poisson: (frames,) Poisson variance of one pair's difference, mean over pairs.
    """
    both = before + after
    # A fork may have no wait for a lock at all.
    share = (both / np.maximum(both.sum(axis=1, keepdims=True), np.finfo(float).tiny)).mean(axis=0)
    costly = (share >= _SHARE) & (before > 0).all(axis=0) & (after > 0).all(axis=0)
    if np.count_nonzero(costly) < _FEWEST:
        return np.zeros(len(before))
    level = both[:, costly].mean(axis=0) / 2
    worth = 1 / (poisson[costly] / level**2 + 2 * _FRAMES_DIFFER**2)
    worth = np.minimum(worth, 2 * np.median(worth))  # a single hot frame must not outvote the rest
    ratios = np.log(after[:, costly] / before[:, costly])
    if math.pi / 2 / worth.sum() > _KNOWN_TO**2:  # variance of a median
        return np.zeros(len(before))
    found: Numbers = np.quantile(
        ratios, 0.5, axis=1, weights=np.broadcast_to(worth, ratios.shape), method="inverted_cdf"
    )
    return found


def common_effect(changes: Numbers) -> Effect:
    """The mean of `common_change` over pairs, with its uncertainty.

    Few pairs hardly know how much they scatter. A fork may have a tenth more or less of everything than another of its
    build, which moderates their variance (Smyth 2004, see `moderation`), unless the pairs contradict that.

    Args:
        changes: (pairs,) log-ratios, of two pairs at least.
    """
    effect = paired_effect(changes.tolist())
    prior, own = Prior(variance=SUM_PHI, degrees=SUM_DEGREES), spread_of(effect)
    return effect if own is None or contradicted(prior, own) else moderated(effect, prior)
