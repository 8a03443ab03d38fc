"""The change over pairs: one number per pair, their mean, Student's t.

The two forks of a pair were measured side by side, so what moved both of them cancels in their
difference; what is left differs from pair to pair and is the noise that decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from pacecar.analysis.stats.effect import Effect, single, t_quantile
from pacecar.analysis.stats.noninferiority import upper_bound

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
    effect: Effect, *, margin: float, allowance: float, level: float, bound_level: float, most: int = MOST_PAIRS
) -> int | None:
    """About how many more pairs would decide, if estimate and scatter stayed as they are.

    Decided means: a change of at least `margin` that is significant at `level`, or a smaller one of which a worsening
    by `allowance` is ruled out.

    Args:
        effect: what the pairs so far show; above zero is worse.
        margin: the budget, on the scale of the effect.
        allowance: what must be ruled out, likewise.
        level: two-sided level of the test, already corrected for the number of metrics.
        bound_level: one-sided level of the bound.
        most: the largest total number of pairs considered.

    Returns:
        Pairs beyond those measured, at least one; None when `most` would not do, or nothing is known of the scatter.
    """
    if not effect.certain:
        return None
    for replicates in range(effect.replicates + 1, most + 1):
        expected = effect.projected(replicates)
        changed = reaches(expected, margin) and expected.p_value() < level
        if changed or (expected.mean < margin and upper_bound(expected, level=bound_level) <= allowance):
            return replicates - effect.replicates
    return None


@dataclass(frozen=True, kw_only=True)
class Chances:
    """How likely the end of a plan decides a metric, either way, if the scatter stays as it is."""

    regressed: float
    passed: float


def chances(effect: Effect, *, margin: float, allowance: float, level: float, bound_level: float, most: int) -> Chances:
    """What the `most` pairs of a plan are likely to decide, given those so far.

    The mean at the end differs from the present one by the pairs to come: a normal of variance s^2 (1/n - 1/most)
    around it (predictive power; Spiegelhalter, Freedman & Blackburn, "Monitoring clinical trials: conditional or
    predictive power?", Controlled Clinical Trials 7, 1986). Arguments as those of `pairs_to_settle`.
    """
    end = effect.projected(max(most, effect.replicates))
    ahead = max(effect.standard_error**2 - end.standard_error**2, 0.0) ** 0.5
    needed = max(margin, t_quantile(1 - level / 2, end.degrees) * end.standard_error)
    tolerated = min(margin, allowance - t_quantile(1 - bound_level, end.degrees) * end.standard_error)
    if ahead == 0:
        return Chances(regressed=float(effect.mean >= needed), passed=float(effect.mean <= tolerated))
    return Chances(
        regressed=float(special.ndtr((effect.mean - needed) / ahead)),
        passed=float(special.ndtr((tolerated - effect.mean) / ahead)),
    )
