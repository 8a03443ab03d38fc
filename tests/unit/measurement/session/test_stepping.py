"""How a step is planned: what load goes before its windows, and what ends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.measurement.session.stepping import plan_of_step, step_seconds
from pacecar.model.experiment import Plan

PLAN = Plan(pairs=8, side_s=35, slice_s=2.5, gap_s=0.5, warmup_s=75, burst_s=60, burst_users=4, seed=1)


def test_forks_that_are_cold_are_warmed_until_they_are_steady() -> None:
    first = plan_of_step(PLAN, cold=True, sides=1, by_users=False)
    assert first.steady
    assert first.burst_s > 30
    assert first.warmup_s == pytest.approx(first.burst_s + 2)
    assert step_seconds(first=True) == first.warmup_s + 2 * (first.slice_s + first.gap_s)


@pytest.mark.parametrize("by_users", [False, True])
def test_forks_that_are_warm_only_get_used_to_the_rate(by_users: bool) -> None:
    later = plan_of_step(PLAN, cold=False, sides=2, by_users=by_users)
    assert not later.steady
    assert later.burst_s == (2 if by_users else 0)
    assert later.warmup_s == 2
    assert step_seconds(first=False, sides=2) == later.warmup_s + 4 * (later.slice_s + later.gap_s)


def test_a_load_without_a_burst_ends_by_the_clock() -> None:
    first = plan_of_step(replace(PLAN, burst_s=0.0), cold=True, sides=1, by_users=False)
    assert not first.steady
    assert first.burst_s == 0
    assert first.warmup_s < step_seconds(first=True) / 2
