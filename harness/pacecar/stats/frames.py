"""Paired intervals of many frames at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pacecar.stats.effect import CONFIDENCE, t_quantile

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Mean and 95 % interval per frame; the ends are infinite when there is one pair."""

    mean: Numbers
    low: Numbers
    high: Numbers


def paired_intervals(differences: Numbers, sampling_variance: Numbers) -> Intervals:
    """The mean difference of each frame over pairs, and its interval.

    A profile counts samples, so even a frame that costs exactly the same shows Poisson noise. Where pairs happen to
    agree better than that (one sample each, say), their spread is not believed: the Poisson variance is the floor.

    Args:
        differences: shape (pairs, frames), at least one pair.
        sampling_variance: shape (frames,): Poisson variance of one pair's difference, mean over pairs.
    """
    pairs = differences.shape[0]
    mean = differences.mean(axis=0)
    if pairs == 1:
        infinite = np.full_like(mean, math.inf)
        return Intervals(mean=mean, low=-infinite, high=infinite)
    variance = np.maximum(differences.var(axis=0, ddof=1), sampling_variance)
    half = t_quantile(0.5 + CONFIDENCE / 2, pairs - 1) * np.sqrt(variance / pairs)
    return Intervals(mean=mean, low=mean - half, high=mean + half)


def certain_part(low: Numbers, high: Numbers) -> Numbers:
    """How large the change is at least: the end of the interval nearest zero, 0 where zero lies inside."""
    return np.maximum(0.0, np.maximum(low, -high))
