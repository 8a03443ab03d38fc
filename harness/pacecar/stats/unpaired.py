"""The change against a stored baseline: forks of another day, perhaps of another machine.

Nothing cancels here. Beside the scatter of the forks there is the drift of the machine between days, which no number of
forks in one recording reveals; it is put in from experience, or estimated when there are several recordings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pacecar.stats.effect import Effect, single
from pacecar.stats.pairs import RESOLUTION, paired_effect

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


def predicted_effect(recordings: Sequence[float], candidate: float, *, resolution: float = RESOLUTION) -> Effect:
    """How far `candidate` lies from where one more recording of the baseline would fall.

    The prediction interval of a single new observation: the spread between recordings holds forks and drift alike, and
    counts once more for the new one (Hahn & Meeker, "Statistical intervals", 1991).

    Args:
        recordings: mean of each recording of the baseline, on an additive scale; at least one.
        candidate: mean of the candidate's recording.
        resolution: floor of the standard deviation between recordings.
    """
    earlier = paired_effect(recordings, resolution=resolution)
    count = len(recordings)
    return Effect(
        mean=candidate - earlier.mean,
        standard_error=earlier.standard_error * math.sqrt(count + 1),  # s sqrt(1 + 1/n) = s/sqrt(n) sqrt(n + 1)
        degrees=earlier.degrees,
        replicates=count,
    )
