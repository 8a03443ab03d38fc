"""Corrected p-values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from pacecar.analysis.stats.multiplicity import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20)


def test_holm_by_hand() -> None:
    # 4 x 0.005, 3 x 0.01, 2 x 0.03, 1 x 0.04 raised to the one before it
    assert holm([0.01, 0.04, 0.03, 0.005], level=0.99) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_holm_never_exceeds_one_and_takes_nothing() -> None:
    assert holm([0.6, 0.7], level=0.05) == (1.0, 1.0)
    assert holm([], level=0.05) == ()


def test_holm_asks_no_further_once_a_test_is_kept() -> None:
    asked = []

    def nominal(part: float) -> float:
        asked.append(part)
        return part / 2

    adjusted = holm([0.2, 0.001, 0.3, 0.012], level=0.04, nominal=nominal)
    assert adjusted == pytest.approx((1.0, 4 * 2 * 0.001, 1.0, 3 * 2 * 0.012))
    assert asked == pytest.approx([0.04 / 4, 0.04 / 3]), "0.072 is above the level: the procedure ends"


@given(P_VALUES)
def test_holm_lies_between_the_raw_p_and_bonferroni(p_values: list[float]) -> None:
    for raw, adjusted in zip(p_values, holm(p_values, level=0.05), strict=True):
        assert raw <= adjusted <= min(1.0, raw * len(p_values)) + 1e-12


@given(P_VALUES)
def test_holm_keeps_the_order(p_values: list[float]) -> None:
    pairs = sorted(zip(p_values, holm(p_values, level=0.05), strict=True))
    adjusted = [after for _, after in pairs]
    assert adjusted == sorted(adjusted)


@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy_to_the_last_bit(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == tuple(false_discovery_control(p_values).tolist())


def test_benjamini_hochberg_by_hand() -> None:
    assert benjamini_hochberg([0.01, 0.02, 0.03, 0.5]) == pytest.approx((0.04, 0.04, 0.04, 0.5))
    assert benjamini_hochberg([]) == ()
