"""Shares of failed requests."""

from __future__ import annotations

import numpy as np
import pytest

from pacecar.analysis.stats.noninferiority import upper_bound
from pacecar.analysis.stats.rates import rate_effect, rule_of_three


def test_steady_failures_are_seen_in_few_pairs() -> None:
    effect = rate_effect([(0, 1500)] * 4, [(15, 1500)] * 4)
    assert effect.mean == pytest.approx(0.01)
    assert effect.p_value() < 0.001


def test_one_bad_fork_is_not_a_bad_build() -> None:
    effect = rate_effect([(0, 1500)] * 4, [(60, 1500), (0, 1500), (0, 1500), (0, 1500)])
    assert effect.mean == pytest.approx(0.01)
    assert effect.p_value() > 0.2, "the same number of failures as above, all in one fork"


def test_no_failures_in_many_requests_is_evidence_and_in_few_is_not() -> None:
    assert upper_bound(rate_effect([(0, 1500)] * 3, [(0, 1500)] * 3)) < 0.005
    assert not upper_bound(rate_effect([(0, 10)] * 3, [(0, 10)] * 3)) < 0.005


def test_one_pair_has_no_interval() -> None:
    assert not rate_effect([(0, 1500)], [(100, 1500)]).certain


def test_everything_failing_on_both_sides_is_no_change() -> None:
    effect = rate_effect([(100, 100)] * 3, [(100, 100)] * 3)
    assert effect.mean == 0
    assert effect.p_value() == 1.0


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_identical_builds_are_rarely_called_different(spread: float) -> None:
    # spread: standard deviation of the logarithm of a fork's own failure rate
    rng = np.random.default_rng(3)
    called = 0
    for _ in range(2000):
        rates = 0.01 * np.exp(rng.normal(0, spread, 8))
        forks = [(int(failed), 1500) for failed in rng.binomial(1500, np.minimum(rates, 1))]
        called += rate_effect(forks[:4], forks[4:]).p_value() < 0.02
    assert called <= 60, f"{called} of 2000 at a level of 2 %"


def test_rule_of_three() -> None:
    assert rule_of_three(6000) == pytest.approx(0.0005)
    assert rule_of_three(1) == 1.0
