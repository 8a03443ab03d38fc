"""Quantiles of latencies written down in whole steps of a clock, and when there are too few to tell.

The steps are the milliseconds of a log, or microseconds, where all this hardly matters.

A fast endpoint answers within a handful of milliseconds, so thousands of requests share a value and the plain sample
quantile jumps by a whole millisecond, or not at all. The log rounds both the start and the end of a request, so a
request noted with v ms took between v - 1 and v + 1 ms, v on average. Its true latency is taken to be spread evenly
over the millisecond around v, and the quantile is read off inside it: the quantile of grouped data,

    lower bound of the class + width x (q n - requests below the class) / requests in the class

This is definition 4 of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50, 1996,
carried over from single values to classes. Why ties call for it: Ma, Genton & Parzen, "Asymptotic properties of sample
quantiles of discrete distributions", Annals of the Institute of Statistical Mathematics 63, 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

#: Requests beyond a quantile that must be there before it is reported: 1,000 requests for p99, 10,000 for p99.9.
BEYOND = 10
#: Requests that even a median needs.
FEWEST = 50
#: The levels that make the tail: beyond the last one single requests decide.
TAIL = tuple(level / 1000 for level in range(950, 1000, 5))
#: Requests that a tail needs: 25 of them are slower than its first level.
FEWEST_FOR_TAIL = 500


def requests_needed(quantile: float) -> int:
    """How many requests one fork must have answered before `quantile` (0 to 1) is reported."""
    return max(FEWEST, math.ceil(round(BEYOND / (1 - quantile), 6)))


def refusal(count: int, quantile: float) -> str | None:
    """Why `count` requests cannot carry `quantile`; None when they can."""
    needed = requests_needed(quantile)
    if count >= needed:
        return None
    return f"p{100 * quantile:g} needs {needed:,} requests per side and pair, and there were {count:,}"


def blurred(amount: float, quantile: float, *, resolution: float) -> bool:
    """Whether a quantile is so few steps of the clock large that rounding decides it more than what took so long.

    A request of a fraction of a step is noted with no step or one, so the slowest of such a service seem to take one
    and a half whatever they do: where its median doubled from 0.15 to 0.3 steps, p99 moved by 2 %. From three steps on
    (a median: from one) a rise by 20 % was shown as one of 14 to 22 % (log-normal latencies, sigma 0.5).
    """
    return amount < (1.0 if quantile <= 0.5 else 3.0) * resolution


def among_answered(quantile: float, *, answered: int, failed: int) -> float | None:
    """The quantile of all requests as one of the answered ones; None where it lies among the failed.

    Whoever waits for a request that fails waits for ever: it is slower than any that was answered. A service that
    fails the slowest requests would otherwise seem to have become faster.
    """
    moved = quantile * (answered + failed) / answered
    return moved if moved < 1 else None


def tail(values: npt.NDArray[np.float64], *, failed: int = 0, resolution: float = 1.0) -> float | None:
    """The geometric mean of the quantiles from p95 to p99.5, of all requests; None where failed ones are among them.

    Args:
        values: latencies of answered requests, at least one.
        failed: how many requests failed.
        resolution: see `grouped_quantile`.
    """
    levels = [among_answered(level, answered=len(values), failed=failed) for level in TAIL]
    if None in levels:
        return None
    quantiles = grouped_quantiles(values, [level for level in levels if level is not None], resolution=resolution)
    return math.exp(float(np.mean(np.log(np.maximum(quantiles, resolution / 2)))))


def grouped_quantile(values: npt.NDArray[np.float64], quantile: float, *, resolution: float = 1.0) -> float:
    """One quantile, see `grouped_quantiles`."""
    return float(grouped_quantiles(values, [quantile], resolution=resolution)[0])


def grouped_quantiles(
    values: npt.NDArray[np.float64], quantiles: Sequence[float], *, resolution: float = 1.0
) -> npt.NDArray[np.float64]:
    """The quantiles of values known only to the nearest multiple of `resolution`.

    Args:
        values: at least one, not negative, in any order.
        quantiles: 0 to 1 each.
        resolution: width of a class, in the unit of `values`.

    Returns:
        (quantiles,) in the unit of `values`.
    """
    classes, counts = np.unique(np.rint(values / resolution), return_counts=True)
    below = np.concatenate(([0], np.cumsum(counts)))
    ranks = np.asarray(quantiles) * len(values)
    places = np.minimum(np.searchsorted(below[1:], ranks, side="left"), len(classes) - 1)
    # Nothing takes less than no time: the class of zero is only half as wide.
    lower = np.maximum(0.0, classes[places] - 0.5)
    with np.errstate(invalid="ignore"):  # of infinite latencies the quantile is not a number
        width = classes[places] + 0.5 - lower
        found: npt.NDArray[np.float64] = resolution * (lower + width * (ranks - below[places]) / counts[places])
    return found
