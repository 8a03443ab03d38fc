"""What a plan's requests are enough for."""

from __future__ import annotations

import pytest

from pacecar.analysis.metrics.carried import carried
from pacecar.model.experiment import Plan
from pacecar.model.scenario import Endpoint, LoadModel, Scenario

PLAN = Plan(pairs=8, side_s=20.0, slice_s=2.5, gap_s=0.5, warmup_s=10.0, burst_s=10.0, burst_users=4, seed=1)


def _asked(model: LoadModel = LoadModel.OPEN, **weights: float) -> Scenario:
    endpoints = tuple(Endpoint(name=name, method="GET", path="/", weight=weight) for name, weight in weights.items())
    return Scenario(
        simulation="s",
        module=None,
        jar=None,
        sliced=True,
        model=model,
        rate_per_s=100,
        users=4,
        think_time_s=0,
        endpoints=endpoints,
    )


def test_requests_follow_the_mix() -> None:
    found = {each.endpoint: each.requests for each in carried(_asked(often=90, seldom=10), PLAN)}
    assert found == pytest.approx({"": 2000, "often": 1800, "seldom": 200})


def test_what_is_asked_too_seldom_says_how_much_more_it_takes() -> None:
    everything, often, seldom = carried(_asked(often=90, seldom=10), PLAN)
    assert (everything.lacks, often.lacks) == ({}, {})
    assert seldom.lacks == pytest.approx({"tail": 500 / 200, "p99": 1000 / 200})


def test_nobody_knows_beforehand_how_often_users_come_back_or_a_simulation_asks() -> None:
    assert carried(_asked(LoadModel.CLOSED, often=1), PLAN) == []
    assert carried(_asked(), PLAN) == []
