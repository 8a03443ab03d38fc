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

import numpy as np
import numpy.typing as npt

#: Requests beyond a quantile that must be there before it is reported: 1,000 requests for p99, 10,000 for p99.9.
BEYOND = 10
#: Requests that even a median needs.
FEWEST = 50


def requests_needed(quantile: float) -> int:
    """How many requests one fork must have answered before `quantile` (0 to 1) is reported."""
    return max(FEWEST, math.ceil(round(BEYOND / (1 - quantile), 6)))


def refusal(count: int, quantile: float) -> str:
    """Why `count` requests cannot carry `quantile`, or "" when they can."""
    needed = requests_needed(quantile)
    if count >= needed:
        return ""
    return f"p{100 * quantile:g} needs {needed:,} requests per side and pair, and there were {count:,}"


def blurred(amount: float, quantile: float, *, resolution: float) -> bool:
    """Whether a quantile is so few steps of the clock large that rounding decides it more than what took so long.

    A request of a fraction of a step is noted with no step or one, so the slowest of such a service seem to take one
    and a half whatever they do: where its median doubled from 0.15 to 0.3 steps, p99 moved by 2 %. From three steps on
    (a median: from one) a rise by 20 % was shown as one of 14 to 22 % (log-normal latencies, sigma 0.5).
    """
    return amount < (1.0 if quantile <= 0.5 else 3.0) * resolution


def grouped_quantile(values: npt.NDArray[np.float64], quantile: float, *, resolution: float = 1.0) -> float:
    """The quantile of values known only to the nearest multiple of `resolution`.

    Args:
        values: at least one, not negative, in any order.
        quantile: 0 to 1.
        resolution: width of a class, in the unit of `values`.
    """
    classes, counts = np.unique(np.rint(values / resolution), return_counts=True)
    below = np.concatenate(([0], np.cumsum(counts)))
    rank = quantile * len(values)
    place = min(int(np.searchsorted(below[1:], rank, side="left")), len(classes) - 1)
    # Nothing takes less than no time: the class of zero is only half as wide.
    lower = max(0.0, float(classes[place]) - 0.5)
    width = float(classes[place]) + 0.5 - lower
    return resolution * (lower + width * (rank - float(below[place])) / float(counts[place]))
