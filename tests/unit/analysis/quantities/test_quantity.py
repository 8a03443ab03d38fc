"""What of a quantity moved beyond chance."""

from __future__ import annotations

import numpy as np
import pytest

from pacecar.analysis.quantities.quantity import Quantity
from pacecar.model.causes import Scope
from pacecar.text.units import Unit

#: A time that trebles, on a machine that grows quicker from pair to pair.
BEFORE = np.array([[1.41], [1.03], [0.87]])
AFTER = np.array([[3.93], [3.29], [2.73]])


def _quantity(unit: Unit, baseline: np.ndarray, candidate: np.ndarray) -> Quantity:
    keys = tuple(Scope(pool=str(number)) for number in range(baseline.shape[1]))
    return Quantity(name="Something", unit=unit, keys=keys, baseline=baseline, candidate=candidate)


def test_times_scatter_in_proportion_to_what_they_are() -> None:
    (moved,) = _quantity("ms", BEFORE, AFTER).moved
    assert moved.fact.change == pytest.approx(float((AFTER - BEFORE).mean()))
    low, high = moved.fact.low, moved.fact.high
    assert low is not None
    assert high is not None
    assert 0 < low < moved.fact.change < high, "told as a difference"


def test_counts_do_not() -> None:
    assert _quantity("1", BEFORE, AFTER).moved == ()
    (moved,) = _quantity("1", np.array([[20.0], [30.0], [40.0]]), np.array([[25.0], [35.0], [45.0]])).moved
    assert moved.fact.change == pytest.approx(5)


def test_a_time_that_was_not_there_before_is_a_difference() -> None:
    (moved,) = _quantity("ms", np.zeros((3, 1)), np.array([[2.0], [2.1], [2.05]])).moved
    assert moved.fact.baseline == 0


@pytest.mark.parametrize("unit", ["ms", "1"])
def test_what_scatters_as_much_as_it_moves_has_not_moved(unit: Unit) -> None:
    before, after = np.array([[1.0], [2.0], [1.2]]), np.array([[1.9], [1.8], [1.6]])
    assert _quantity(unit, before, after).moved == ()


def test_where_nothing_changed_one_family_in_two_hundred_has_moved() -> None:
    random = np.random.default_rng(20_261_126)
    families = 4_000
    found = 0
    for _ in range(families):
        level = random.lognormal(0.0, 0.5, (4, 5))
        before, after = (level * random.lognormal(0.0, 0.2, level.shape) for _ in range(2))
        found += bool(_quantity("ms", before, after).moved)
    assert found / families < 0.0085, "0.5 %, and three standard errors of this many families"
