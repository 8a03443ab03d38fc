"""Showing that nothing got worse: how large a worsening the data rule out.

A test that fails to find a change is no evidence of its absence. Its absence is shown by a one-sided bound that stays
below what would matter (non-inferiority; Piaggio et al., "Reporting of noninferiority and equivalence randomized
trials", JAMA 308, 2012). The bound itself is printed, so a reader learns what was shown, whatever had to be.

A comparison that ends at the first look whose bound is low enough picks a lucky one. So the error of the bound, too, is
spent over the looks (`looks.even`): those of all looks hold together.
"""

from __future__ import annotations

import math

from scipy import special

from pacecar.analysis.stats.effect import POWER, Effect, t_quantile
from pacecar.analysis.stats.looks import ONE_LOOK, Stage, even

#: Chance that the truth lies above the bound that is printed, over all looks.
LEVEL = 0.05
#: The part of it that several looks may spend: their levels are those of normal statistics, and Student's t of three or
#: four pairs lies beyond them up to a third more often, taken over all looks.
_FOR_NORMAL = 0.7


def bound_level(stage: Stage = ONE_LOOK) -> float:
    """The one-sided level of a bound at this look."""
    if stage.most is None:
        return LEVEL
    # Looks are planned two-sided; the upper side is half of twice the level.
    return stage.nominal(2 * _FOR_NORMAL * LEVEL, spending=even) / 2


def upper_bound(effect: Effect, *, level: float = LEVEL) -> float:
    """What the truth does not exceed, with confidence 1 - `level`; infinite when nothing is known of the scatter."""
    if not effect.certain:
        return math.inf
    return effect.mean + t_quantile(1 - level, effect.degrees) * effect.standard_error


def within_reach(effect: Effect, *, allowance: float, stage: Stage) -> bool:
    """Whether a plan that goes on to its end would mostly rule out `allowance` of a build that is no worse.

    Blind to the change that was seen: the scatter alone decides.
    """
    if not effect.certain:
        return True
    end = stage.end
    expected = effect.projected(max(end.pairs, effect.replicates))
    reach = t_quantile(1 - bound_level(end), expected.degrees) + float(special.ndtri(POWER))
    return reach * expected.standard_error <= allowance
