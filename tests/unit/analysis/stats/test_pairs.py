"""The change over pairs, and how many more would settle it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pacecar.analysis.stats.noninferiority import upper_bound
from pacecar.analysis.stats.pairs import RESOLUTION, chances, paired_effect, pairs_to_settle, reaches

CHANGES = st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=12)


def test_agrees_with_scipys_paired_t_test() -> None:
    changes = [0.05, 0.11, 0.02, 0.09, 0.07]
    effect = paired_effect(changes)
    expected = stats.ttest_1samp(changes, 0.0)
    assert effect.p_value() == pytest.approx(expected.pvalue)
    assert effect.interval() == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_one_pair_is_an_estimate_without_interval() -> None:
    effect = paired_effect([0.2])
    assert effect.mean == 0.2
    assert not effect.certain


def test_identical_changes_are_believed_to_the_resolution_only() -> None:
    effect = paired_effect([0.01] * 4)
    assert effect.standard_error == pytest.approx(RESOLUTION / 2)
    assert paired_effect([1e-5] * 4).p_value() > 0.5, "less than the resolution is no change"


@given(CHANGES)
def test_swapping_the_sides_flips_the_sign_and_nothing_else(changes: list[float]) -> None:
    effect, swapped = paired_effect(changes), paired_effect([-change for change in changes])
    assert swapped.mean == pytest.approx(-effect.mean)
    assert swapped.p_value() == pytest.approx(effect.p_value())
    assert swapped.interval() == pytest.approx(tuple(-end for end in reversed(effect.interval())))


@given(CHANGES)
def test_nothing_is_ever_nan(changes: list[float]) -> None:
    effect = paired_effect(changes)
    assert not any(math.isnan(n) for n in (*effect.interval(), effect.p_value(), effect.smallest_visible(0.003)))


@given(CHANGES, st.floats(0.01, 0.5))
def test_pairs_to_settle_is_the_first_number_that_decides(changes: list[float], margin: float) -> None:
    effect, level = paired_effect(changes), 0.004
    more = pairs_to_settle(effect, margin=margin, allowance=1.5 * margin, level=level, bound_level=0.05)

    def decided(replicates: int) -> bool:
        expected = effect.projected(replicates)
        found = reaches(expected, margin) and expected.p_value() < level
        return found or (expected.mean < margin and upper_bound(expected) <= 1.5 * margin)

    undecided_until = 61 if more is None else effect.replicates + more
    assert not any(decided(n) for n in range(effect.replicates + 1, undecided_until))
    if more is not None:
        assert decided(effect.replicates + more)


def test_noise_that_no_number_of_pairs_beats() -> None:
    for changes in ([0.9, -0.8, 0.1], [0.1]):
        effect = paired_effect(changes)
        assert pairs_to_settle(effect, margin=0.01, allowance=0.015, level=0.004, bound_level=0.05) is None


def test_chances_are_those_of_a_simulated_rest() -> None:
    """Drawn: four pairs more, of a scatter as large as that of the first four."""
    first = [0.02, 0.06, 0.01, 0.05]
    effect, random = paired_effect(first), np.random.default_rng(1)
    likely = chances(effect, margin=0.05, allowance=0.075, level=0.01, bound_level=0.05, most=8)
    end = effect.projected(8)
    # The mean of all eight, given the first four, whose own mean is as uncertain as they say.
    truth = random.normal(effect.mean, effect.standard_error, 20_000)
    rest = random.normal(truth, 2 * effect.standard_error / 2)
    means = (effect.mean + rest) / 2
    needed = max(0.05, stats.t.isf(0.005, end.degrees) * end.standard_error)
    tolerated = min(0.05, 0.075 - stats.t.isf(0.05, end.degrees) * end.standard_error)
    assert likely.regressed == pytest.approx(np.mean(means >= needed), abs=0.02)
    assert likely.passed == pytest.approx(np.mean(means <= tolerated), abs=0.02)


def test_nothing_is_left_to_chance_at_the_end_of_the_plan() -> None:
    effect = paired_effect([0.30, 0.31, 0.29, 0.30])
    likely = chances(effect, margin=0.05, allowance=0.075, level=0.01, bound_level=0.05, most=4)
    assert (likely.regressed, likely.passed) == (1.0, 0.0)
