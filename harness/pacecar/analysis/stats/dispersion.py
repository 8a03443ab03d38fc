"""How much counts of profile samples scatter, and tests of many frames at once.

A frame that costs exactly the same shows Poisson noise in its samples, and two forks of one build differ beyond that:
their costs are overdispersed counts, of variance

    Poisson variance + phi x (mean cost)^2

as counts of reads per gene are (Robinson & Smyth, "Moderated statistical tests for assessing differences in tag
abundance", Bioinformatics 23, 2007). One phi serves all frames, by moments of their paired differences. Each frame's
own variance over the pairs is then moderated with the one expected of it (Smyth 2004, see `moderation`).

Sums of the same samples by few keys cannot say this of themselves. They scatter at least as their frames do. They share
the luck of their fork, too, which small frames hardly show, so a cautious phi is the least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.effect import CONFIDENCE
from pacecar.analysis.stats.moderation import Prior, prior_of
from pacecar.analysis.stats.roots import root
from pacecar.model.comparison import Spread

#: Frames below this share of the whole cost say nothing about phi: their samples are too few.
_FOR_PHI = 0.002
_MOST_PHI = 100.0
#: Fewer frames than these only say of their own scatter what they have said already.
_FEWEST = 8
#: What hundreds of frames say together of how much one scatters is known better than what a few runs say of a metric.
_MOST_DEGREES = 40.0
#: Of a sum: each fork has a tenth more or less of it than another of its build. The pairs of a long run say more.
SUM_PHI = 2 * 0.1**2
SUM_DEGREES = 6.0
#: Of a sum beside what it is a part of: half of that tenth is the profiler's, which samples one fork more than another.
_INSTRUMENT_PHI = 2 * 0.05**2


@dataclass(frozen=True, kw_only=True)
class Differences:
    """Paired differences of many frames.

    Attributes:
        each: (pairs, frames) candidate minus baseline.
        level: (frames,) mean cost of both sides.
        poisson: (frames,) Poisson variance of one pair's difference.
        kin: the frames that these are sums of; None where they are frames themselves.
    """

    each: Numbers
    level: Numbers
    poisson: Numbers
    kin: Differences | None = None

    @property
    def mean(self) -> Numbers:
        """(frames,)."""
        found: Numbers = self.each.mean(axis=0)
        return found

    @property
    def own(self) -> Numbers:
        """(frames,) variance of one pair's difference, as the pairs show it."""
        found: Numbers = self.each.var(axis=0, ddof=1)
        return found

    def expected(self, phi: float) -> Numbers:
        """(frames,) the same, as counting and `phi` make it."""
        found: Numbers = self.poisson + phi * self.level**2
        return found

    def chosen(self, frames: npt.NDArray[np.bool_]) -> Differences:
        """Some of them."""
        return Differences(each=self.each[:, frames], level=self.level[frames], poisson=self.poisson[frames])


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """What is known of a sum of samples before its pairs are looked at: variances of one pair's difference.

    Attributes:
        counted: by counting samples alone, which no agreement of pairs undercuts.
        expected: with the luck of the instrument in each fork, cautiously. That a fork really costs more moves what the
            sum is a part of, too.
    """

    counted: float
    expected: float

    @classmethod
    def of(cls, counted: float, *, level: float) -> Scatter:
        """Of a sum whose mean cost of both sides is `level`."""
        return cls(counted=counted, expected=counted + _INSTRUMENT_PHI * level**2)

    def scaled(self, factor: float) -> Scatter:
        """Of so many times the sum."""
        return Scatter(counted=self.counted * factor**2, expected=self.expected * factor**2)

    @staticmethod
    def together(scatters: Iterable[Scatter]) -> Scatter:
        """Of sums of samples that have none in common."""
        each = list(scatters)
        return Scatter(counted=sum(one.counted for one in each), expected=sum(one.expected for one in each))

    def prior(self, beside: float) -> Prior | None:
        """The same with a variance of something else `beside`, and what it is worth; None where nothing scatters."""
        variance = self.expected + beside
        return Prior(variance=variance, degrees=SUM_DEGREES) if variance > 0 else None


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What the pairs say about each frame.

    Attributes:
        mean: (frames,) mean difference.
        error: (frames,) its standard error, moderated; infinite with a single pair.
        degrees: of freedom of `error`.
    """

    mean: Numbers
    error: Numbers
    degrees: float

    @property
    def p_values(self) -> Numbers:
        """(frames,) two-sided, of no change; 1 where there is neither difference nor error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.error > 0, np.abs(self.mean) / self.error, 0.0)
        found: Numbers = np.minimum(1.0, 2 * special.stdtr(self.degrees, -ratio))
        return found

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Numbers, Numbers]:
        """Lower and upper ends, (frames,) each."""
        half = float(special.stdtrit(self.degrees, 0.5 + confidence / 2)) * self.error
        return self.mean - half, self.mean + half


def tested(differences: Differences, *, whole: float) -> Tested:
    """Test every frame, its variance moderated by that of all frames.

    Args:
        differences: at least one pair.
        whole: mean cost of everything together.
    """
    pairs, mean = len(differences.each), differences.mean
    if pairs == 1:
        return Tested(mean=mean, error=np.full_like(mean, math.inf), degrees=1.0)
    own = differences.own
    kin = differences.kin or differences
    counted = kin.chosen((kin.level >= _FOR_PHI * whole) & (kin.poisson > 0))
    phi = _phi(counted)
    if differences.kin is None:
        prior = _prior(counted.own, counted.expected(phi), degrees=pairs - 1)
    else:
        phi, prior = max(phi, SUM_PHI), Prior(variance=1.0, degrees=SUM_DEGREES)
    degrees = prior.degrees + pairs - 1
    variance = (prior.degrees * prior.variance * differences.expected(phi) + (pairs - 1) * own) / degrees
    # Where pairs happen to agree better than counting allows, they are not believed.
    return Tested(mean=mean, error=np.sqrt(np.maximum(variance, differences.poisson) / pairs), degrees=degrees)


def _phi(counted: Differences) -> float:
    """Where the mean of own variance over expected variance is one (Williams, Applied Statistics 31, 1982)."""
    own = counted.own

    def beyond_one(phi: float) -> float:
        return float(np.mean(own / counted.expected(phi))) - 1.0

    if len(own) == 0 or beyond_one(0.0) <= 0:
        return 0.0
    if beyond_one(_MOST_PHI) >= 0:
        return _MOST_PHI
    return root(beyond_one, 0.0, _MOST_PHI)


def _prior(own: Numbers, expected: Numbers, *, degrees: int) -> Prior:
    spreads = [Spread(variance=float(ratio), degrees=degrees) for ratio in own / expected if ratio > 0]
    together = prior_of(spreads, most=_MOST_DEGREES) if len(spreads) >= _FEWEST else None
    return together or Prior(variance=1.0, degrees=0.0)
