"""The order of sides and windows."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.schedule import counted_seconds, pair_seconds, pair_seed, recording_order, slice_order
from pacecar.model.experiment import Plan, Side
from pacecar.model.tiers import Tier, after_windows

PLAN = Plan(pairs=4, side_s=20, slice_s=5, gap_s=0.5, warmup_s=15, burst_s=8, burst_users=4, seed=1)


def test_sides_alternate_a_b_b_a() -> None:
    order = slice_order(PLAN, 1)
    a, b = order[0], order[0].other
    assert order == (a, b, b, a, a, b, b, a)


@given(seed=st.integers(0, 2**31), number=st.integers(1, 100), slices=st.integers(1, 40))
def test_both_sides_get_the_same_and_the_seed_decides(seed: int, number: int, slices: int) -> None:
    plan = replace(PLAN, seed=seed, side_s=5.0 * slices)
    order = slice_order(plan, number)
    assert order.count(Side.BASELINE) == order.count(Side.CANDIDATE) == slices
    assert order == slice_order(plan, number)
    assert pair_seed(plan, number) != pair_seed(plan, number + 1)


def test_each_side_leads_once_in_two_pairs() -> None:
    leaders = [slice_order(PLAN, number)[0] for number in range(1, 201)]
    assert all(first is second.other for first, second in zip(leaders[::2], leaders[1::2], strict=True))
    assert 30 < leaders[::2].count(Side.BASELINE) < 70


def test_a_recording_is_one_side_throughout() -> None:
    assert recording_order(PLAN, Side.CANDIDATE) == (Side.CANDIDATE,) * 4


def test_a_pair_takes_at_least_its_load() -> None:
    assert pair_seconds(PLAN) > 15 + 8 * 5.5
    assert pair_seconds(PLAN, sides=1) < pair_seconds(PLAN)
    assert pair_seconds(PLAN, together=False) == pytest.approx(2 * pair_seconds(PLAN, sides=1))


def test_what_follows_the_windows_is_part_of_a_pair() -> None:
    counted = replace(PLAN, counted=after_windows(10.0))
    added = [pair_seconds(counted, endpoints=many) - pair_seconds(PLAN) for many in (0, 2, 40, 400)]
    assert 0 < added[1] < added[0] == added[2] == added[3] == counted_seconds(after_windows(10.0))
    assert 10 < added[0] < 20
    taking_turns = pair_seconds(counted, together=False) - pair_seconds(PLAN, together=False)
    assert taking_turns == pytest.approx(2 * added[0])
    quick = replace(counted, tier=Tier.QUICK)
    assert pair_seconds(quick) == pair_seconds(replace(quick, counted=None))


def test_a_staircase_is_part_of_a_pair_of_the_full_tier() -> None:
    assert pair_seconds(PLAN, steps_s=240) == pytest.approx(pair_seconds(PLAN) + 240)
    assert pair_seconds(PLAN, together=False, steps_s=240) == pytest.approx(pair_seconds(PLAN, together=False) + 240)
    quick = replace(PLAN, tier=Tier.QUICK)
    assert pair_seconds(quick, steps_s=240) == pair_seconds(quick)
