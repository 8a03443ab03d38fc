"""The change against a stored baseline: forks of another day, perhaps of another machine.

Nothing cancels here. Beside the scatter of the forks there is the drift of the machine between days, which no number of
forks in one recording reveals; it is put in from experience, or estimated when there are several recordings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pacecar.analysis.stats.effect import Effect, single
from pacecar.analysis.stats.pairs import RESOLUTION, paired_effect

#: Standard deviation of the log-ratio between two recordings of one build, on machines of one kind, for
#: whatever depends on the machine's speed. Counts, such as allocated bytes, have none.
MACHINE_DRIFT = 0.10
#: The same when both recordings were normalised by a yardstick run beside them: it does not see all a service feels.
NORMALISED_DRIFT = 0.05
#: Recordings from which the drift is estimated instead of assumed.
ENOUGH_RECORDINGS = 5


def welch_effect(
    baseline: Sequence[float], candidate: Sequence[float], *, drift: float, resolution: float = RESOLUTION
) -> Effect:
    """The difference of two means whose forks scatter differently, with the machine's drift in quadrature.

    Welch, "The generalization of Student's problem when several different population variances are involved",
    Biometrika 34, 1947, with Satterthwaite's degrees of freedom. The drift is taken as known: it adds to the variance
    but costs no degrees of freedom.

    Args:
        baseline: one value per fork, on an additive scale (logarithms for ratios); at least one.
        candidate: the same.
        drift: standard deviation of the difference between two recordings of one build.
        resolution: floor of each side's standard deviation.
    """
    change = math.fsum(candidate) / len(candidate) - math.fsum(baseline) / len(baseline)
    replicates = min(len(baseline), len(candidate))
    if replicates < 2:
        return single(change)
    parts = [max(float(np.std(side, ddof=1)), resolution) ** 2 / len(side) for side in (baseline, candidate)]
    total = sum(parts) + drift**2
    spread = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (baseline, candidate), strict=True))
    return Effect(mean=change, standard_error=math.sqrt(total), degrees=total**2 / spread, replicates=replicates)


def predicted_effect(
    recordings: Sequence[Sequence[float]], candidate: Sequence[float], *, resolution: float = RESOLUTION
) -> Effect:
    """How far the candidate lies from the first of `recordings`, by how far any two of them lie apart.

    The spread between recordings holds forks and drift alike, and counts for both of those that are compared: the
    prediction interval of one more recording around a single one (Hahn & Meeker, "Statistical intervals", 1991). The
    others tell of the spread alone: what they were recorded of may have been slower or faster than the first. A
    candidate of fewer forks than they had scatters by what forks scatter more, in quadrature, with Satterthwaite's
    degrees of freedom.

    Args:
        recordings: values of the forks of each recording, on an additive scale, that compared with first; at least one
            recording, of at least one fork each.
        candidate: values of the candidate's forks, at least one.
        resolution: floor of the standard deviation between recordings.
    """
    between = paired_effect([_mean(forks) for forks in recordings], resolution=resolution)
    change = _mean(candidate) - _mean(recordings[0])
    if not between.certain:
        return single(change)
    of_recordings = 2 * between.standard_error**2 * len(recordings)
    fewer = max(0.0, 1 / len(candidate) - _mean([1 / len(forks) for forks in recordings]))
    within, degrees = _within(recordings)
    of_forks = fewer * within
    total = of_recordings + of_forks
    spread = of_recordings**2 / between.degrees + (of_forks**2 / degrees if degrees else 0.0)
    return Effect(mean=change, standard_error=math.sqrt(total), degrees=total**2 / spread, replicates=len(recordings))


def _within(recordings: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Variance of the forks of one recording, pooled over all, and its degrees of freedom; 0 where none has two."""
    degrees = sum(len(forks) - 1 for forks in recordings)
    squares = [(value - _mean(forks)) ** 2 for forks in recordings for value in forks]
    return (math.fsum(squares) / degrees if degrees else 0.0), degrees


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
