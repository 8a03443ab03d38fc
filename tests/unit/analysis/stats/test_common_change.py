"""How sure it is by how much everything alike became slower."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pacecar.analysis.stats.common_change import common_effect


def test_pairs_that_happen_to_agree_are_not_believed() -> None:
    low, high = common_effect(np.full(3, 0.2)).interval()
    assert low < 0.05
    assert (low + high) / 2 == pytest.approx(0.2)


def test_many_pairs_are_believed_more() -> None:
    three, twelve = (common_effect(np.full(count, 0.2)).interval() for count in (3, 12))
    assert three[0] < 0.1 < twelve[0] < twelve[1] < three[1]


def test_pairs_that_scatter_more_than_forks_of_one_build_stand_alone() -> None:
    changes = np.array([-0.9, 0.2, 1.3])
    half = stats.t.ppf(0.975, 2) * float(np.std(changes, ddof=1)) / math.sqrt(3)
    assert common_effect(changes).interval() == pytest.approx((0.2 - half, 0.2 + half))


@pytest.mark.parametrize("seed", range(5))
def test_identical_builds_hardly_ever_differ_for_certain(seed: int) -> None:
    random = np.random.default_rng(seed)
    drawn = [common_effect(random.normal(0, 0.1 * math.sqrt(2), 6)).interval() for _ in range(200)]
    assert sum(low > 0 or high < 0 for low, high in drawn) <= 20
