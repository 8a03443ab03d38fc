"""How large a worsening is ruled out."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.stats.noninferiority import upper_bound, within_reach
from pacecar.analysis.stats.pairs import paired_effect

QUIET = [0.010, -0.008, 0.004, 0.000]
NOISY = [0.3, -0.3, 0.2, -0.2]


def test_the_bound_is_where_a_one_sided_t_test_stops_ruling_out() -> None:
    bound = upper_bound(paired_effect(QUIET))
    assert stats.ttest_1samp(QUIET, bound, alternative="less").pvalue == pytest.approx(0.05)


def test_a_smaller_level_asks_for_a_higher_bound() -> None:
    effect = paired_effect(QUIET)
    assert upper_bound(effect, level=0.01) > upper_bound(effect, level=0.05)


def test_a_single_pair_rules_out_nothing() -> None:
    assert upper_bound(paired_effect([0.0])) == math.inf


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_what_is_within_reach_depends_on_the_scatter_alone(shift: float) -> None:
    stage = Stage(pairs=4, most=8)
    quiet, noisy = (paired_effect([change + shift for change in changes]) for changes in (QUIET, NOISY))
    assert within_reach(quiet, allowance=0.05, stage=stage)
    assert not within_reach(noisy, allowance=0.05, stage=stage)
    assert within_reach(noisy, allowance=0.05, stage=Stage(pairs=4, most=2000)), "a plan of very many pairs would do"
