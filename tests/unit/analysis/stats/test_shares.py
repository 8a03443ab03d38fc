"""What part of a change something accounts for, and how sure that is with few pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pacecar.analysis.stats.dispersion import Scatter
from pacecar.analysis.stats.shares import share_of

_WHOLE = np.array([1.0, 1.1, 0.9])
_CLAIMED = np.array([0.8, 0.95, 0.65])


def test_pairs_alone_are_a_t_interval_of_the_ratio() -> None:
    share = share_of(_CLAIMED, _WHOLE)
    assert share is not None
    error = np.std(_CLAIMED - 0.8 * _WHOLE, ddof=1) / np.sqrt(3)
    half = stats.t.ppf(0.975, 2) * error
    assert (share.part, share.low, share.high) == pytest.approx((0.8, 0.8 - half, 0.8 + half))


def test_what_samples_are_known_to_scatter_steadies_few_pairs() -> None:
    scatter = Scatter.of(0.001, level=0.5)
    alone, moderated = share_of(_CLAIMED, _WHOLE), share_of(_CLAIMED, _WHOLE, scatter=scatter, whole_varies=0.001)
    assert alone is not None
    assert moderated is not None
    assert moderated.part == alone.part
    assert alone.low < moderated.low < moderated.high < alone.high


def test_pairs_that_happen_to_agree_are_not_believed() -> None:
    whole = np.array([1.0, 1.0, 1.0])
    share = share_of(0.8 * whole, whole, scatter=Scatter.of(0.03, level=0.5), whole_varies=0.0)
    assert share is not None
    assert share.high - share.part > 0.1


def test_pairs_that_contradict_what_is_known_stand_alone() -> None:
    claimed = np.array([5.0, -4.0, 1.4])
    scatter = Scatter.of(0.0001, level=0.01)
    assert share_of(claimed, _WHOLE, scatter=scatter) == share_of(claimed, _WHOLE)


def test_a_change_for_the_better_has_shares_like_one_for_the_worse() -> None:
    scatter = Scatter.of(0.01, level=0.5)
    worse = share_of(_CLAIMED, _WHOLE, scatter=scatter, whole_varies=0.01)
    better = share_of(-_CLAIMED, -_WHOLE, scatter=scatter, whole_varies=0.01)
    assert worse == better


def test_one_pair_says_nothing_of_its_scatter() -> None:
    share = share_of(np.array([0.5]), np.array([1.0]), scatter=Scatter.of(0.01, level=0.5))
    assert share is not None
    assert (share.part, share.low, share.high) == (0.5, -np.inf, np.inf)


def test_a_scaled_claim_scatters_by_the_square() -> None:
    once = Scatter.of(0.02, level=0.7)
    assert once.scaled(3.0).counted == pytest.approx(0.18)
    assert once.scaled(3.0).expected == pytest.approx(9 * once.expected)
    assert Scatter.together([once, once]).expected == pytest.approx(2 * once.expected)


@pytest.mark.parametrize("pairs", [3, 4, 6])
def test_the_interval_holds_the_truth_of_forks_that_differ_as_assumed(pairs: int) -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(2_000):
        costs = np.array([0.5, 1.5])[:, np.newaxis] * (1 + 0.1 * random.standard_normal((2, pairs)))
        sampled = costs * (1 + 0.05 * random.standard_normal((2, pairs))) + 0.1 * random.standard_normal((2, pairs))
        claimed = sampled[1] - sampled[0]
        whole = costs[1] - costs[0] + 0.25 + 0.16 * random.standard_normal(pairs)
        share = share_of(claimed, whole, scatter=Scatter.of(0.02, level=1.0), whole_varies=0.16**2)
        held += share is not None and share.low <= 0.8 <= share.high
    assert 0.93 <= held / 2_000 <= 0.99


def test_what_does_not_scatter_needs_no_prior() -> None:
    nothing = np.zeros(3)
    share = share_of(nothing, _WHOLE, scatter=Scatter.of(0.0, level=0.0))
    assert share is not None
    assert share.part == 0
