"""Effects: intervals, p-values, power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pacecar.analysis.stats.effect import Effect, single

FOUR_PAIRS = Effect(mean=0.10, standard_error=0.02, degrees=3, replicates=4)


def test_interval_is_students() -> None:
    low, high = FOUR_PAIRS.interval()
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 3, loc=0.10, scale=0.02))


def test_p_value_is_two_sided_and_p_above_one_sided() -> None:
    assert FOUR_PAIRS.p_value() == pytest.approx(2 * stats.t.sf(5.0, 3))
    assert FOUR_PAIRS.p_above() == pytest.approx(stats.t.sf(5.0, 3))
    assert FOUR_PAIRS.reversed().p_above() == pytest.approx(1 - stats.t.sf(5.0, 3))


def test_one_replicate_says_nothing_of_its_uncertainty() -> None:
    effect = single(0.3)
    assert effect.interval() == (-math.inf, math.inf)
    assert effect.p_value() == 1.0
    assert effect.smallest_visible(0.02) == math.inf
    assert not effect.certain


def test_smallest_visible_change_by_hand() -> None:
    # t[0.975; 3] = 3.18245, z[0.8] = 0.84162: k = 5.531 solves k - t = z root(1 + (k^2 + t^2) / 6)
    assert FOUR_PAIRS.smallest_visible(0.05) == pytest.approx(5.531 * 0.02, rel=1e-3)


@pytest.mark.parametrize("degrees", [5, 7, 16])
def test_smallest_visible_change_is_found_about_four_times_in_five(degrees: int) -> None:
    level, random, many = 0.01, np.random.default_rng(degrees), 20_000
    seen, other = (np.sqrt(random.chisquare(degrees, many) / degrees) for _ in range(2))
    printed = Effect(mean=0.0, standard_error=1.0, degrees=degrees, replicates=degrees + 1).smallest_visible(level)
    statistic = (printed * seen + random.standard_normal(many)) / other
    assert np.mean(statistic > stats.t.ppf(1 - level / 2, degrees)) == pytest.approx(0.8, abs=0.03)


def test_projection_keeps_the_scatter_and_narrows_the_interval() -> None:
    more = FOUR_PAIRS.projected(16)
    assert more.standard_error == pytest.approx(0.01)
    assert more.degrees == 15
    assert more.mean == FOUR_PAIRS.mean
