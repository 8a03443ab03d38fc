"""An estimated change with its uncertainty: the one shape that every test in this package reads.

An `Effect` lives on an additive scale: the logarithm of candidate / baseline, or candidate minus
baseline. Its uncertainty is Student's t with as many degrees of freedom as the replicates allow; the
replicate is a pair of forks, never a request.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scipy import special

#: Confidence of the interval that is printed.
CONFIDENCE = 0.95
#: Power at which a change counts as visible.
POWER = 0.80


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A change: its estimate and how sure that is.

    Attributes:
        mean: the estimate.
        standard_error: of `mean`; infinite when there is one replicate, for then nothing is known of it.
        degrees: degrees of freedom of `standard_error`.
        replicates: pairs (or forks of the smaller side) it rests on.
        prior_degrees: how many of `degrees` come from earlier runs; more replicates add to the others only.
    """

    mean: float
    standard_error: float
    degrees: float
    replicates: int
    prior_degrees: float = 0.0

    @property
    def certain(self) -> bool:
        """Whether anything is known about the uncertainty."""
        return math.isfinite(self.standard_error)

    def reversed(self) -> Effect:
        """The same with the sides swapped."""
        return replace(self, mean=-self.mean)

    def minus(self, amount: float) -> Effect:
        """The same measured from `amount` instead of from zero."""
        return replace(self, mean=self.mean - amount)

    def scaled(self, factor: float) -> Effect:
        """The same in another unit; `factor` is above zero."""
        return replace(self, mean=factor * self.mean, standard_error=factor * self.standard_error)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Two-sided interval; infinite on both ends when nothing is known of the uncertainty."""
        half = t_quantile(0.5 + confidence / 2, self.degrees) * self.standard_error
        return self.mean - half, self.mean + half

    def p_value(self) -> float:
        """Two-sided probability of an estimate this far from zero if there were no change."""
        return min(1.0, 2 * t_tail(abs(self.mean) / self.standard_error, self.degrees))

    def p_above(self) -> float:
        """One-sided probability of an estimate this far above zero if the truth were zero or below."""
        return t_tail(self.mean / self.standard_error, self.degrees)

    def smallest_visible(self, level: float, *, margin: float = 0.0, power: float = POWER) -> float:
        """The smallest true change that another measurement of this kind would find with probability `power`.

        Found means: significant in a two-sided test at `level`, and estimated at `margin` or more. Neither standard
        error is known, the one measured here from which the answer is made no more than the other's, which the test
        there divides by. With t = t[1 - level/2] and k standard errors as the answer, the other's statistic passes
        with the probability that k s - t s' + Z > 0, where Z is normal and s and s' scatter around 1 with variance
        1 / (2 degrees) (the delta method on the chi of a variance), so

            k - t = z[power] x root of (1 + (k^2 + t^2) / (2 degrees)).

        Usual approximations (t[1 - level/2] + t[power]) take s for 1 and promise too much when pairs are few.
        """
        critical, normal = t_quantile(1 - level / 2, self.degrees), float(special.ndtri(power))
        scatter = normal**2 / (2 * self.degrees)
        if not self.certain or scatter >= 1:
            return math.inf
        inner = critical**2 - (1 - scatter) * (critical**2 * (1 - scatter) - normal**2)
        errors = (critical + math.sqrt(inner)) / (1 - scatter)
        return max(errors * self.standard_error, margin + t_quantile(power, self.degrees) * self.standard_error)

    def projected(self, replicates: int) -> Effect:
        """What `replicates` of the same kind would show if estimate and scatter stayed as they are."""
        each = (self.degrees - self.prior_degrees) / (self.replicates - 1) if self.replicates > 1 else 1.0
        return replace(
            self,
            standard_error=self.standard_error * math.sqrt(self.replicates / replicates),
            degrees=self.prior_degrees + each * (replicates - 1),
            replicates=replicates,
        )


def single(mean: float) -> Effect:
    """The effect seen in one replicate: an estimate without any knowledge of its uncertainty."""
    return Effect(mean=mean, standard_error=math.inf, degrees=1.0, replicates=1)


# `scipy.special` instead of `scipy.stats.t`: the same functions without its argument handling, which
# costs a hundred times more and is paid for every metric of every endpoint.


def t_quantile(probability: float, degrees: float) -> float:
    """Quantile of Student's t."""
    return float(special.stdtrit(degrees, probability))


def t_tail(value: float, degrees: float) -> float:
    """Probability that Student's t exceeds `value`."""
    return float(special.stdtr(degrees, -value))
