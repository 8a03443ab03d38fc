"""Looking more than once: after which pairs the judge looks, and how little each look may spend.

Whoever tests after every pair and stops at the first "significant" one is wrong far more often than the level says. The
whole level is therefore spent bit by bit over the looks, as an alpha-spending function says:

    Lan & DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983;
    the power functions  level x t^rho  at the fraction t of all pairs (Kim & DeMets, "Design and analysis of group
    sequential tests based on the type I error spending rate function", Biometrika 74, 1987): with rho = 2 for changes,
    so that little is spent on few pairs, whose scatter is known least; with rho = 1 for what is ruled out, so that
    harmless builds are let through early.

The nominal level of each look follows from the joint normal distribution of the statistics of all looks, whose
increments are independent (Jennison & Turnbull, "Group sequential methods", 2000, section 19.2). It is applied to
p-values of Student's t, as usual for small samples (section 3.8 there). With several metrics, Holm's procedure is used
at each look: the metric in question is held to the boundary that the k-th part of the level has at this look, where k
are still to be decided (Ye, Li, Liu & Yao, "A group sequential Holm procedure with multiple primary endpoints",
Statistics in Medicine 32, 2013, section 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import special

from pacecar.analysis.stats.roots import root

_Line = npt.NDArray[np.float64]
#: Fraction of all pairs and level of the whole comparison -> what may be spent until then.
Spending = Callable[[float, float], float]

#: Numbers of pairs after which the judge looks; the last pair of a plan is always looked at.
SCHEDULE = (3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 60)
#: Points at which densities are kept; the error of a nominal level is below 1e-6 with so many.
_GRID = 801
#: Statistics beyond so many standard deviations are not followed.
_FAR = 9.0


def looks_of(most: int) -> tuple[int, ...]:
    """After how many pairs a plan of at most `most` pairs is looked at, ascending, `most` last."""
    return (*(pairs for pairs in SCHEDULE if pairs < most), most)


def looks_until(pairs: int, *, most: int) -> tuple[int, ...]:
    """The looks made when `pairs` pairs have been measured of a plan of `most`: the scheduled ones, and this one."""
    return (*(look for look in looks_of(max(most, pairs)) if look < pairs), pairs)


def rising(fraction: float, level: float) -> float:
    """More at each look than at those before."""
    return level * min(1.0, fraction) ** 2


def even(fraction: float, level: float) -> float:
    """In proportion to the pairs."""
    return level * min(1.0, fraction)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Where a comparison stands when it is looked at.

    Attributes:
        pairs: that were measured.
        most: pairs of the plan; None when this is the only look.
        last: see `nominal_level`.
    """

    pairs: int = 0
    most: int | None = None
    last: bool = False

    def nominal(self, level: float, *, spending: Spending = rising) -> float:
        """What may be spent at this look of a two-sided `level` of the whole comparison."""
        if self.most is None:
            return level
        return nominal_level(self.pairs, most=self.most, level=level, last=self.last, spending=spending)

    @property
    def end(self) -> Stage:
        """The last look of the plan."""
        return self if self.most is None else replace(self, pairs=max(self.most, self.pairs), last=False)


#: Of a comparison that is looked at once.
ONE_LOOK = Stage()


def nominal_level(pairs: int, *, most: int, level: float, last: bool = False, spending: Spending = rising) -> float:
    """The two-sided level at which p-values are tested after `pairs` pairs of a plan of at most `most`.

    Args:
        pairs: measured so far; earlier looks have been made as `looks_until` says.
        most: pairs of the whole plan.
        level: two-sided level of the whole comparison, 0 to 1.
        last: no further look will follow, for a reason that has nothing to do with what was seen, such as time: this
            one may spend all that is left (a maximum of information reached early; Lan & DeMets 1983, section 3).
        spending: how the level is spent over the looks.
    """
    if pairs <= 0:
        return 0.0
    return _nominal_levels(looks_until(pairs, most=most), max(most, pairs), level, last, spending)[-1]


@cache
def _nominal_levels(
    looks: tuple[int, ...], most: int, level: float, last: bool, spending: Spending
) -> tuple[float, ...]:
    line = _line()
    going_on = np.where(line == 0, 1 / (line[1] - line[0]), 0.0)  # before the first pair the statistic is zero
    levels: list[float] = []
    spent = 0.0
    for before, after in pairwise((0, *looks)):
        due = level if last and after == looks[-1] else spending(after / most, level)
        boundary = _boundary(line, going_on, before, after, spend=due - spent)
        going_on = np.where(np.abs(line) < boundary, _steps(before, after) @ going_on, 0.0)
        levels.append(float(2 * special.ndtr(-boundary)))
        spent = due
    return tuple(levels)


# The statistic after n pairs is the sum of n standard normal steps, divided by the root of n. What is kept from look to
# look is its density where the test has not stopped, on a line of points.


def _line() -> _Line:
    return np.linspace(-_FAR, _FAR, _GRID)


# Whatever the level, these steps are the same, and Holm's correction asks for dozens of levels.
@cache
def _steps(before: int, after: int) -> npt.NDArray[np.float64]:
    """(after, before) what takes the density after `before` pairs to that after `after`, where nothing has stopped."""
    line, step = _line(), math.sqrt(after - before)
    steps = (line[:, None] * math.sqrt(after) - line[None, :] * math.sqrt(before)) / step
    kernel = np.exp(-(steps**2) / 2) * math.sqrt(after / (2 * math.pi)) / step
    return np.asarray(kernel * (line[1] - line[0]))


def _boundary(line: _Line, density: _Line, before: int, after: int, *, spend: float) -> float:
    """The boundary beyond which, either way, the probability `spend` lies after `after` pairs."""
    from_, step = line * math.sqrt(before), math.sqrt(after - before)

    def beyond(boundary: float) -> float:
        reach = boundary * math.sqrt(after)
        both = special.ndtr((from_ - reach) / step) + special.ndtr((-from_ - reach) / step)
        return float(np.sum(density * both) * (line[1] - line[0]))

    return root(lambda boundary: beyond(boundary) - spend, 0.0, _FAR)
