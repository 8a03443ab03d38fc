"""Metrics as they would be if the machine had run equally fast beside both forks of a pair.

Who else uses the physical core of a service comes and goes within seconds, and slows it down on one side of a pair more
than on the other. A loop of fixed work that was timed beside it tells by how much (table `pace`). How far a metric
follows the loop is seen from one window of a fork to its next: the build is the same, and neighbours have about as
little time to come and go as between the sides, which take turns. What the loop says of the two sides of a pair is then
taken off. This is an analysis of covariance (Cochran, "Analysis of covariance: its nature and uses", Biometrics 13,
1957, section 2).

It holds only if no build moves the loop itself (section 3 there). A build that does more on one core of a pair of
hyperthreads slows down the other; therefore nothing is taken off for services with more than one core.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from pacecar.analysis.metrics.endpoints import mix_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import READERS
from pacecar.analysis.metrics.reading import ALL, Reading, Value
from pacecar.model.comparison import Metric

#: Fewest loops on a core in a window from which its speed is known.
_FEWEST = 10
#: What a loop may take: one of a fraction of a millisecond, from no work at all to a core that is all but gone.
_POSSIBLE_NS = (1.0, 1e9)
#: What is read from thousands of requests, or a counter, in each window; tails rest on few requests.
_FOLLOWING = ("cpu", "latency.typical", "latency.p50")
#: A slope less certain than this is none: one-sided p-value.
_CERTAIN = 0.001

_Readings = dict[Metric, Reading]
_ForkPair = tuple[MeasuredFork, MeasuredFork]
_Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Evened:
    """Readings of pairs at one pace.

    Attributes:
        pairs: (baseline, candidate) of each.
        apart: by how much the loop's time differed at most between the sides of a pair, as a fraction; None where
            nothing was changed.
    """

    pairs: Sequence[tuple[_Readings, _Readings]]
    apart: float | None = None


def at_one_pace(forks: Sequence[_ForkPair], pairs: Sequence[tuple[_Readings, _Readings]]) -> Evened:
    """The readings `pairs` of `forks`, those that follow the loop moved to its mean time in both forks of the pair.

    They stay as they are unless the loop is known beside every window of forks with one core each.
    """
    paces = [(log_pace(before), log_pace(after)) for before, after in forks]
    every = [fork for pair in forks for fork in pair]
    if np.isnan(paces).any() or any(len(fork.data.record.cpus) != 1 for fork in every):
        return Evened(pairs=pairs)
    slopes = _slopes(every, [metric for metric in pairs[0][0] if _may_follow(metric)])
    if not slopes:
        return Evened(pairs=pairs)
    halves = [(after - before) / 2 for before, after in paces]
    moved = [
        (_moved(before, slopes, by=half), _moved(after, slopes, by=-half))
        for (before, after), half in zip(pairs, halves, strict=True)
    ]
    return Evened(pairs=moved, apart=math.expm1(2 * max(map(abs, halves))))


def log_pace(fork: MeasuredFork) -> float:
    """Logarithm of the loop's time beside the windows of a fork; NaN where it is not known for all of them."""
    rows = fork.inside("pace")
    rows = rows[(rows["loops"] >= _FEWEST) & rows["loop_ns"].between(*_POSSIBLE_NS)]
    by_window = np.log(rows["loop_ns"]).groupby(rows["window"]).mean()
    return float(by_window.mean()) if len(by_window) == len(fork.windows) else math.nan


def _may_follow(metric: Metric) -> bool:
    # What one endpoint costs was counted after the windows, and the loop was not timed there.
    return metric.name in _FOLLOWING and (metric.name != "cpu" or metric.endpoint == ALL)


def _moved(readings: _Readings, slopes: Mapping[Metric, float], *, by: float) -> _Readings:
    """The readings had the logarithm of the loop's time been greater by `by`."""
    return {
        metric: replace(found, amount=found.amount * math.exp(slopes[metric] * by))
        if metric in slopes and isinstance(found, Value)
        else found
        for metric, found in readings.items()
    }


def _slopes(forks: Sequence[MeasuredFork], metrics: Sequence[Metric]) -> dict[Metric, float]:
    """By how much the logarithm of each metric grows with that of the loop's time from window to window of a fork.

    At most 1: nothing is taken to be slowed down more than the loop. Those not certain to grow are left out.
    """
    windows = [[replace(fork, windows=(window,)) for window in fork.windows] for fork in forks]
    # Rarely asked endpoints have a median in a whole fork, but not in each window.
    mix = mix_of([window for of_fork in windows for window in of_fork])
    steps = np.concatenate([_steps([replace(each, mix=mix) for each in of_fork], metrics) for of_fork in windows])
    found = {metric: _slope(steps[:, (0, column)]) for column, metric in enumerate(metrics, 1)}
    return {metric: slope for metric, slope in found.items() if slope > 0}


def _steps(windows: Sequence[MeasuredFork], metrics: Sequence[Metric]) -> _Array:
    """(windows - 1, 1 + metrics): steps of the logarithms of the loop's time and each metric; NaN where unknown."""
    logs = [[log_pace(window), *(_log_amount(metric, window) for metric in metrics)] for window in windows]
    steps: _Array = np.diff(np.array(logs, dtype="float64"), axis=0)
    return steps


def _log_amount(metric: Metric, window: MeasuredFork) -> float:
    reading = READERS[metric.name](window, metric.endpoint)
    return math.log(reading.amount) if isinstance(reading, Value) and reading.amount > 0 else math.nan


def _slope(steps: _Array) -> float:
    """The slope through the origin of the second column on the first; 0 where it is not certain to be above."""
    pace, amount = steps[np.isfinite(steps).all(axis=1)].T
    spread, degrees = float(pace @ pace), len(pace) - 1
    if degrees < 1 or spread == 0:
        return 0.0
    slope = float(pace @ amount) / spread
    error = math.sqrt(float(np.sum((amount - slope * pace) ** 2)) / degrees / spread)
    certain = slope > 0 and (error == 0 or float(stats.t.sf(slope / error, degrees)) < _CERTAIN)
    return min(slope, 1.0) if certain else 0.0
