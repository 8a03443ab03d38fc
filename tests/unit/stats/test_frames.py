"""Intervals of many frames at once."""

from __future__ import annotations

import numpy as np
import pytest

from pacecar.stats.frames import certain_part, paired_intervals
from pacecar.stats.pairs import paired_effect


def test_is_the_paired_interval_of_each_frame() -> None:
    differences = np.array([[0.1, -0.2], [0.3, 0.1], [0.2, 0.0]])
    found = paired_intervals(differences, np.zeros(2))
    for frame in range(2):
        low, high = paired_effect(differences[:, frame].tolist()).interval()
        assert (found.low[frame], found.high[frame]) == pytest.approx((low, high))


def test_one_sample_in_every_pair_is_not_certainty() -> None:
    one_sample = np.full((4, 1), 0.01)
    assert paired_intervals(one_sample, np.zeros(1)).low[0] > 0
    assert paired_intervals(one_sample, np.array([0.01**2])).low[0] < 0


def test_one_pair_claims_nothing() -> None:
    found = paired_intervals(np.array([[0.5]]), np.zeros(1))
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)
    assert certain_part(found.low, found.high)[0] == 0


def test_certain_part_is_the_end_nearest_zero() -> None:
    low, high = np.array([0.1, -0.3, -0.1]), np.array([0.3, -0.2, 0.1])
    assert certain_part(low, high).tolist() == [0.1, 0.2, 0.0]
