"""TOST: no change is a claim too."""

from __future__ import annotations

import pytest
from scipy import stats

from pacecar.analysis.stats.equivalence import equivalent, one_sided_bounds
from pacecar.analysis.stats.pairs import paired_effect

QUIET = [0.010, -0.008, 0.004, 0.000]


def test_agrees_with_two_one_sided_t_tests() -> None:
    margin = 0.02
    upper = stats.ttest_1samp(QUIET, margin, alternative="less").pvalue
    lower = stats.ttest_1samp(QUIET, -margin, alternative="greater").pvalue
    assert max(upper, lower) < 0.05
    assert equivalent(paired_effect(QUIET), margin=margin)
    assert max(stats.ttest_1samp(QUIET, 0.008, alternative="less").pvalue, lower) > 0.05
    assert not equivalent(paired_effect(QUIET), margin=0.008)


def test_bounds_are_the_ninety_percent_interval() -> None:
    effect = paired_effect(QUIET)
    assert one_sided_bounds(effect) == pytest.approx(effect.interval(0.90))


def test_a_smaller_level_asks_for_wider_bounds() -> None:
    effect = paired_effect(QUIET)
    assert one_sided_bounds(effect, level=0.01) == pytest.approx(effect.interval(0.98))
    widest = max(abs(bound) for bound in effect.interval(0.90))
    assert [equivalent(effect, margin=1.01 * widest, level=level) for level in (0.05, 0.01)] == [True, False]


def test_noise_or_a_single_pair_show_no_equivalence() -> None:
    assert not equivalent(paired_effect([0.3, -0.3, 0.2, -0.2]), margin=0.1)
    assert not equivalent(paired_effect([0.0]), margin=10.0)
