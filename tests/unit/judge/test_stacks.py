"""Stacks to costs: who owns what."""

from __future__ import annotations

import pytest

from pacecar.experiment import Side
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.stacks import ForkCosts, fork_costs, pool_of

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Api.handle\nshop.Orders.price\njava.util.HashMap.get"
WRITE = f"{RUN}\nshop.Api.handle\njson.Mapper.write"
RECURSIVE = f"{RUN}\nshop.Tree.walk\nshop.Tree.walk\nshop.Tree.walk"
IDLE = f"{RUN}\njdk.Selector.poll"


@pytest.fixture
def costs(make_pair, truth) -> ForkCosts:
    """A profile of four stacks costing 1, 2, 4 and 8 ms per request, up to 2 % noise each."""
    stacks = {PRICE: 1.0, WRITE: 2.0, RECURSIVE: 4.0, IDLE: 8.0}
    pair = make_pair(candidate=truth(stacks_ms=stacks))
    found = fork_costs(MeasuredFork.of(pair, Side.CANDIDATE), application=("shop.",))
    assert found is not None
    return found


def test_own_cost_goes_to_the_deepest_application_frame(costs: ForkCosts) -> None:
    assert costs.own["shop.Orders.price"] == pytest.approx(1.0, rel=0.1)
    assert costs.own["shop.Api.handle"] == pytest.approx(2.0, rel=0.1)
    assert costs.own["java.util.HashMap.get"] == 0


def test_a_stack_without_application_frame_goes_to_its_leaf(costs: ForkCosts) -> None:
    assert costs.own["jdk.Selector.poll"] == pytest.approx(8.0, rel=0.1)
    assert costs.own[RUN] == 0


def test_every_cost_has_one_owner(costs: ForkCosts) -> None:
    assert costs.own.sum() == pytest.approx(costs.total[RUN])


def test_total_counts_a_recursive_frame_once_per_stack(costs: ForkCosts) -> None:
    assert costs.total["shop.Tree.walk"] == pytest.approx(4.0, rel=0.1)
    assert costs.total["shop.Api.handle"] == pytest.approx(3.0, rel=0.1)


def test_folded_library_time_is_kept_by_its_leaf(costs: ForkCosts) -> None:
    assert costs.below["shop.Orders.price", "java.util.HashMap.get"] == costs.own["shop.Orders.price"]
    assert ("shop.Tree.walk", "shop.Tree.walk") not in costs.below.index


def test_costs_are_known_by_pool(costs: ForkCosts) -> None:
    assert costs.pools["shop.Orders.price", "http-nio-exec"] == pytest.approx(costs.own["shop.Orders.price"])


def test_poisson_variance_follows_the_samples(costs: ForkCosts) -> None:
    # n samples of one size s: variance n s^2 = cost x s; a sample is 10 ms, spread over 1,600 requests
    assert costs.variance["jdk.Selector.poll"] == pytest.approx(costs.own["jdk.Selector.poll"] * 10 / 1600, rel=0.05)


def test_without_samples_of_the_event_there_is_nothing(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(stacks_ms={PRICE: 1.0}))
    assert fork_costs(MeasuredFork.of(pair, Side.CANDIDATE), application=("shop.",), event="lock") is None
    assert fork_costs(MeasuredFork.of(pair, Side.BASELINE), application=("shop.",)) is None


@pytest.mark.parametrize(
    ("thread", "pool"),
    [
        ("http-nio-8080-exec-7", "http-nio-exec"),
        ("pricing-3", "pricing"),
        ("ForkJoinPool-1-worker-12", "ForkJoinPool-worker"),
        ("C2 CompilerThread0", "C2 CompilerThread"),
        ("GC Thread#3", "GC Thread"),
        ("qtp1845623216-45", "qtp"),
        ("main", "main"),
        ("42", "42"),
        ("", ""),
    ],
)
def test_pools(thread: str, pool: str) -> None:
    assert pool_of(thread) == pool
