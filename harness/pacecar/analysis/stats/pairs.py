"""The change over pairs: one number per pair, their mean, Student's t.

The two forks of a pair were measured side by side, so what moved both of them cancels in their
difference; what is left differs from pair to pair and is the noise that decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pacecar.analysis.stats.effect import Effect, single
from pacecar.analysis.stats.equivalence import LEVEL, equivalent

#: Smallest standard deviation believed, as a fraction of the measured value. Allocation counted by the JVM can
#: agree to the byte in every pair; taken at its word, a spread of zero would make a change of one byte certain.
RESOLUTION = 1e-4
#: No plan is extended beyond this many pairs: past it the noise is the problem, not the number of pairs.
MOST_PAIRS = 60


def paired_effect(changes: Sequence[float], *, resolution: float = RESOLUTION) -> Effect:
    """The mean change and its standard error.

    Args:
        changes: one per pair, at least one: log-ratios, or differences.
        resolution: floor of the standard deviation, in the unit of `changes`; above zero.
    """
    count = len(changes)
    mean = math.fsum(changes) / count
    if count == 1:
        return single(mean)
    deviation = max(float(np.std(changes, ddof=1)), resolution)
    return Effect(mean=mean, standard_error=deviation / math.sqrt(count), degrees=count - 1, replicates=count)


def reaches(effect: Effect, margin: float) -> bool:
    """Whether the estimate is at least `margin`, either way; equal counts, whatever the last bit of both says."""
    return abs(effect.mean) >= margin * (1 - 1e-9)


def pairs_to_settle(
    effect: Effect, *, margin: float, level: float, equality_level: float = LEVEL, most: int = MOST_PAIRS
) -> int | None:
    """About how many more pairs would decide, if estimate and scatter stayed as they are.

    Decided means: a change of at least `margin` that is significant at `level`, or equivalence within it.

    Args:
        effect: what the pairs so far show.
        margin: the budget, on the scale of the effect.
        level: two-sided level of the test, already corrected for the number of metrics.
        equality_level: one-sided level of each test of equality.
        most: the largest total number of pairs considered.

    Returns:
        Pairs beyond those measured, at least one; None when `most` would not do, or nothing is known of the scatter.
    """
    if not effect.certain:
        return None
    for replicates in range(effect.replicates + 1, most + 1):
        expected = effect.projected(replicates)
        changed = reaches(expected, margin) and expected.p_value() < level
        if changed or equivalent(expected, margin=margin, level=equality_level):
            return replicates - effect.replicates
    return None
