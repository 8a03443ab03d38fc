"""Variances of few pairs, steadied by what earlier runs have shown.

Three or four pairs say little about how much pairs scatter: their own variance may by chance be ten times too small,
and then anything looks significant. Earlier runs of the same service on the same kind of machine know that scatter.
Their knowledge counts as so many further degrees of freedom, the moderated t of

    Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
    experiments", Statistical Applications in Genetics and Molecular Biology 3(1), 2004, sections 3 and 6.2.

A machine can be louder today than it ever was, so the earlier knowledge is guarded: it never weighs more than
`MOST_DEGREES`, it is dropped for a metric that contradicts it, and when the metrics of the run are, in their median,
louder than it says, it is scaled up as a whole and counts for less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.roots import root
from pacecar.model.comparison import Spread

#: Most degrees of freedom that earlier runs may count for: with more, today's own pairs would not be heard.
MOST_DEGREES = 10.0
#: From so many runs on it can be told how much the scatter itself differs from run to run.
ENOUGH_RUNS = 3
#: Below this p-value of the F test a metric contradicts its earlier runs. In as many runs one does by chance, and has
#: only its own few pairs left; at 0.05 three pairs of a change of 20 % too often showed nothing (`benchmarks/verdict`).
CONTRADICTED = 0.02


@dataclass(frozen=True, kw_only=True)
class Prior:
    """What earlier runs say of a variance, and the degrees of freedom that this knowledge is worth."""

    variance: float
    degrees: float


def prior_of(runs: Sequence[Spread], *, most: float = MOST_DEGREES) -> Prior | None:
    """What `runs` say together; None when there is none.

    A scaled F distribution is fitted to the variances by the moments of their logarithms (Smyth 2004, section 6.2).
    Where they differ no more than chance makes them, the formula gives infinite degrees; the guard applies to those.
    One or two runs cannot tell how much runs differ: their pooled variance counts for half its degrees.
    """
    usable = [run for run in runs if run.variance > 0 and run.degrees > 0]
    if not usable:
        return None
    if len(usable) < ENOUGH_RUNS:
        total = math.fsum(run.degrees for run in usable)
        pooled = math.fsum(run.degrees * run.variance for run in usable) / total
        return Prior(variance=pooled, degrees=min(total / 2, most))
    half = np.array([run.degrees for run in usable]) / 2
    centred = np.log([run.variance for run in usable]) - special.digamma(half) + np.log(half)
    middle = float(np.mean(centred))
    excess = float(np.var(centred, ddof=1) - np.mean(special.polygamma(1, half)))
    degrees = 2 * _inverse_trigamma(excess) if excess > 0 else math.inf
    # The formula tends to exp(middle) as the degrees grow; the correction is finite where they are.
    correction = 0.0 if math.isinf(degrees) else float(special.digamma(degrees / 2) - math.log(degrees / 2))
    return Prior(variance=math.exp(middle + correction), degrees=min(degrees, most))


def moderated(effect: Effect, prior: Prior | None) -> Effect:
    """`effect` with the variance of its pairs moderated by `prior`; as it is where there is none.

    The posterior variance is the mean of both, weighted by degrees of freedom, and has their sum (Smyth 2004,
    section 3). An effect of a single pair rests on the prior alone.
    """
    if prior is None:
        return effect
    if not effect.certain:
        return replace(
            effect, standard_error=math.sqrt(prior.variance), degrees=prior.degrees, prior_degrees=prior.degrees
        )
    own = effect.replicates * effect.standard_error**2
    degrees = prior.degrees + effect.degrees
    variance = (prior.degrees * prior.variance + effect.degrees * own) / degrees
    return replace(
        effect,
        standard_error=math.sqrt(variance / effect.replicates),
        degrees=degrees,
        prior_degrees=prior.degrees,
    )


def spread_of(effect: Effect) -> Spread | None:
    """How much the pairs behind a plain `effect` scatter; None when there is one pair only."""
    if not effect.certain:
        return None
    return Spread(variance=effect.replicates * effect.standard_error**2, degrees=effect.degrees)


def on_a_louder_day(prior: Prior, louder: float) -> Prior:
    """What earlier runs say, on a day on which variances are `louder` times as large: scaled up, and believed less."""
    # The logarithm of a variance known with d degrees of freedom has a variance of about 2 / d (Smyth 2004, section
    # 6.2, for large d). That the day differs by so much adds the square of its own logarithm.
    degrees = 1 / (1 / prior.degrees + math.log(louder) ** 2 / 2)
    return Prior(variance=prior.variance * louder, degrees=degrees)


def contradicted(prior: Prior, today: Spread) -> bool:
    """Whether today's pairs scatter so much more that the earlier knowledge cannot hold (F test, `CONTRADICTED`)."""
    ratio = today.variance / prior.variance
    return float(special.fdtrc(today.degrees, prior.degrees, ratio)) < CONTRADICTED


def _inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = `value`, above zero."""
    if value > 1e7:
        return 1 / math.sqrt(value)  # both ends of trigamma in closed form: 1/x^2 near zero, 1/x far out
    if value < 1e-6:
        return 1 / value
    return root(lambda x: float(special.polygamma(1, x)) - value, 1e-4, 1e7)
