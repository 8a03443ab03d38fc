"""Looks at a growing number of pairs: the schedule, published levels, and the level held in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.stats.looks import looks_of, looks_until, nominal_level
from pacecar.analysis.stats.pairs import paired_effect


def test_the_last_pair_is_always_looked_at() -> None:
    assert looks_of(12) == (3, 4, 5, 6, 8, 10, 12)
    assert looks_of(4) == (3, 4)
    assert looks_of(7) == (3, 4, 5, 6, 7)
    assert looks_of(1) == (1,)


def test_a_run_that_ends_between_two_looks_is_looked_at_there() -> None:
    assert looks_until(7, most=12) == (3, 4, 5, 6, 7)
    assert looks_until(3, most=12) == (3,)
    assert looks_until(14, most=12) == (3, 4, 5, 6, 8, 10, 12, 14)


def test_levels_of_seven_looks_are_the_known_ones() -> None:
    """Computed independently: four million walks of twelve steps, of which each look takes what is due at 0.05."""
    levels = [nominal_level(pairs, most=12, level=0.05) for pairs in (3, 4, 5, 6, 8, 10, 12)]
    assert levels == pytest.approx([0.0032, 0.0038, 0.0054, 0.0075, 0.015, 0.0231, 0.033], abs=0.0005)


def test_one_look_spends_everything() -> None:
    assert nominal_level(3, most=3, level=0.02) == pytest.approx(0.02, rel=1e-3)
    assert nominal_level(1, most=1, level=0.05) == pytest.approx(0.05, rel=1e-3)
    assert nominal_level(0, most=4, level=0.05) == 0.0


def test_a_run_that_ran_out_of_time_spends_what_is_left() -> None:
    ordinary = nominal_level(7, most=12, level=0.02)
    last = nominal_level(7, most=12, level=0.02, last=True)
    assert ordinary < last < 0.02
    assert nominal_level(12, most=12, level=0.02, last=True) == pytest.approx(nominal_level(12, most=12, level=0.02))


def test_stopping_by_the_clock_keeps_the_level() -> None:
    random = np.random.default_rng(5)
    changes = random.standard_normal((4000, 7))
    levels = {pairs: nominal_level(pairs, most=12, level=0.05) for pairs in (3, 4, 5, 6)}
    levels[7] = nominal_level(7, most=12, level=0.05, last=True)
    wrong = sum(
        any(paired_effect(row[:pairs]).p_value() < level for pairs, level in levels.items()) for row in changes.tolist()
    )
    assert 0.03 < wrong / len(changes) < 0.06


@given(most=st.integers(1, 100), pairs=st.integers(1, 100), level=st.sampled_from([0.01, 0.02, 0.05]))
def test_no_look_spends_more_than_the_level(most: int, pairs: int, level: float) -> None:
    assert 0 < nominal_level(pairs, most=most, level=level) <= level * 1.001


def test_stopping_at_the_first_significant_look_keeps_the_level() -> None:
    random = np.random.default_rng(4)
    changes = random.standard_normal((4000, 12))
    levels = {pairs: nominal_level(pairs, most=12, level=0.05) for pairs in looks_of(12)}

    def stopped(row: list[float], thresholds: dict[int, float]) -> bool:
        return any(paired_effect(row[:pairs]).p_value() < level for pairs, level in thresholds.items())

    corrected = sum(stopped(row, levels) for row in changes.tolist()) / len(changes)
    naive = sum(stopped(row, dict.fromkeys(levels, 0.05)) for row in changes.tolist()) / len(changes)
    assert corrected < 0.06
    assert naive > 0.10
