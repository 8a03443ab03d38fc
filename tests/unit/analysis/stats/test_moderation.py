"""Variances moderated by earlier runs: textbook cases, and what the guards are for, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.moderation import (
    ENOUGH_RUNS,
    MOST_DEGREES,
    Prior,
    contradicted,
    moderated,
    on_a_louder_day,
    prior_of,
    spread_of,
)
from pacecar.analysis.stats.pairs import paired_effect
from pacecar.model.comparison import Spread


def _spreads(variance: float, *, runs: int, degrees: int, seed: int = 1) -> list[Spread]:
    chances = np.random.default_rng(seed).chisquare(degrees, runs)
    return [Spread(variance=variance * float(chance) / degrees, degrees=degrees) for chance in chances]


def test_few_runs_count_for_half_their_degrees() -> None:
    runs = [Spread(variance=0.01, degrees=2), Spread(variance=0.04, degrees=4)]
    assert len(runs) < ENOUGH_RUNS
    prior = prior_of(runs)
    assert prior is not None
    assert (prior.variance, prior.degrees) == (pytest.approx(0.03), 3)


def test_without_a_run_that_scattered_there_is_no_prior() -> None:
    assert prior_of([]) is None
    assert prior_of([Spread(variance=0.0, degrees=5)] * 10) is None


def test_runs_that_agree_give_their_common_variance_and_the_most_degrees() -> None:
    prior = prior_of(_spreads(0.0025, runs=400, degrees=5))
    assert prior is not None
    assert prior.variance == pytest.approx(0.0025, rel=0.1)
    assert prior.degrees == MOST_DEGREES


def test_runs_that_disagree_are_worth_few_degrees() -> None:
    # Scaled inverse chi-squared variances with 4 degrees of freedom: the model that Smyth 2004 fits.
    random = np.random.default_rng(2)
    runs = [
        Spread(variance=0.01 * 4 / float(random.chisquare(4)) * float(random.chisquare(5)) / 5, degrees=5)
        for _ in range(2000)
    ]
    prior = prior_of(runs)
    assert prior is not None
    assert prior.degrees == pytest.approx(4, rel=0.15)
    assert prior.variance == pytest.approx(0.01, rel=0.1)


def test_the_posterior_is_weighted_by_degrees_of_freedom() -> None:
    effect = Effect(mean=0.1, standard_error=math.sqrt(0.04 / 4), degrees=3, replicates=4)
    result = moderated(effect, Prior(variance=0.01, degrees=6))
    assert result.degrees == 9
    assert result.standard_error**2 * 4 == pytest.approx((6 * 0.01 + 3 * 0.04) / 9)
    assert result.mean == 0.1
    assert moderated(effect, None) is effect


def test_a_single_pair_rests_on_the_prior() -> None:
    result = moderated(paired_effect([0.2]), Prior(variance=0.01, degrees=6))
    assert (result.standard_error, result.degrees) == (pytest.approx(0.1), 6)
    assert result.projected(4).degrees == 9
    assert spread_of(paired_effect([0.2])) is None


def test_what_scatters_far_more_contradicts_its_prior() -> None:
    prior = Prior(variance=0.01, degrees=10)
    assert not contradicted(prior, Spread(variance=0.01, degrees=5))
    assert contradicted(prior, Spread(variance=0.2, degrees=5))


def test_what_was_known_from_quieter_days_is_scaled_up_and_worth_less() -> None:
    prior = Prior(variance=0.01, degrees=10)
    same, louder = on_a_louder_day(prior, 1.0), on_a_louder_day(prior, 2.0)
    assert (same.variance, same.degrees) == (0.01, pytest.approx(10))
    # That a variance doubled, a deviation of ln 2, has the variance of the logarithm of one with 2 / ln(2)^2 degrees.
    assert (louder.variance, louder.degrees) == (0.02, pytest.approx(1 / (1 / 10 + math.log(2) ** 2 / 2)))
    assert on_a_louder_day(prior, 4.0).degrees < louder.degrees
