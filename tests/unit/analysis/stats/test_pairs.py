"""The change over pairs, and how many more would settle it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pacecar.analysis.stats.equivalence import equivalent
from pacecar.analysis.stats.pairs import RESOLUTION, paired_effect, pairs_to_settle, reaches

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
    more = pairs_to_settle(effect, margin=margin, level=level)

    def decided(replicates: int) -> bool:
        expected = effect.projected(replicates)
        found = reaches(expected, margin) and expected.p_value() < level
        return found or equivalent(expected, margin=margin)

    undecided_until = 61 if more is None else effect.replicates + more
    assert not any(decided(n) for n in range(effect.replicates + 1, undecided_until))
    if more is not None:
        assert decided(effect.replicates + more)


def test_noise_that_no_number_of_pairs_beats() -> None:
    assert pairs_to_settle(paired_effect([0.9, -0.8, 0.1]), margin=0.01, level=0.004) is None
    assert pairs_to_settle(paired_effect([0.1]), margin=0.01, level=0.004) is None
