"""Profiles of many forks on one tree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.merged import Merged, merge
from pacecar.analysis.profiles.sampled import Forks, Sampled
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Api.handle\nshop.Orders.price\njava.util.HashMap.get"
WRITE = f"{RUN}\nshop.Api.handle\njson.Mapper.write"
RECURSIVE = f"{RUN}\nshop.Tree.walk\nshop.Node.each\nshop.Tree.walk\nshop.Tree.walk"
IDLE = f"{RUN}\njdk.Selector.poll"


@pytest.fixture
def merged(make_pair, truth) -> Merged:
    """Four stacks of 1, 2, 4 and 8 ms per request on the candidate, up to 2 % noise each; half of that before."""
    stacks = {PRICE: 1.0, WRITE: 2.0, RECURSIVE: 4.0, IDLE: 8.0}
    pair = make_pair(
        baseline=truth(stacks_ms={frames: cost / 2 for frames, cost in stacks.items()}),
        candidate=truth(stacks_ms=stacks),
    )
    found = _merged([_sides(pair)], event=ProfileKind.CPU)
    assert found is not None
    return found


def _sides(pair) -> tuple[MeasuredFork, MeasuredFork]:
    return MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)


def _merged(forks: Forks, *, event: ProfileKind, application: tuple[str, ...] = ("shop.",)) -> Merged | None:
    sampled = Sampled.of(forks, application=application)
    return merge(sampled, sampled.of_event(event))


def _own(merged: Merged, name: str) -> float:
    return float(merged.tree.by_frame(merged.candidate)[0][merged.names.index(name)])


def _total(merged: Merged, name: str) -> float:
    return float(merged.tree.totals_by_frame(merged.candidate)[0][merged.names.index(name)])


def test_own_cost_goes_to_the_deepest_frame_of_the_application(merged: Merged) -> None:
    assert _own(merged, "shop.Orders.price") == pytest.approx(1.0, rel=0.1)
    assert _own(merged, "shop.Api.handle") == pytest.approx(2.0, rel=0.1)
    assert "java.util.HashMap.get" not in merged.names


def test_a_stack_without_a_frame_of_the_application_keeps_its_leaf(merged: Merged) -> None:
    assert _own(merged, "jdk.Selector.poll") == pytest.approx(8.0, rel=0.1)
    assert RUN not in merged.names


def test_a_proxy_is_the_class_it_stands_for(make_pair, truth) -> None:
    proxied = f"{RUN}\nshop.Api.handle\nshop.Orders$$SpringCGLIB.price\ntx.Interceptor.invoke"
    stacks = {proxied: 1.0, f"{proxied}\nshop.Orders.price": 2.0, f"{proxied}\nshop.Orders.price\njdk.Map.get": 4.0}
    pair = make_pair(baseline=truth(stacks_ms=stacks), candidate=truth(stacks_ms=stacks))
    merged = _merged([_sides(pair)], event=ProfileKind.CPU)
    assert merged is not None
    assert set(merged.names) == {"", "shop.Api.handle", "shop.Orders.price"}
    assert _own(merged, "shop.Orders.price") == pytest.approx(7.0, rel=0.1)
    assert set(merged.parts["leaf"]) == {"tx.Interceptor.invoke", "jdk.Map.get", ""}
    assert set(merged.parts["endpoint"]) == {"shop.Api.handle"}


def test_total_counts_a_recursive_frame_once(merged: Merged) -> None:
    assert _total(merged, "shop.Tree.walk") == pytest.approx(4.0, rel=0.1)
    assert _total(merged, "shop.Api.handle") == pytest.approx(3.0, rel=0.1)


def test_every_cost_lies_below_its_pool(merged: Merged) -> None:
    assert set(merged.pools) == {"http-nio-exec"}
    assert _total(merged, "") == pytest.approx(float(merged.candidate.sum()))
    assert merged.baseline.sum() == pytest.approx(merged.candidate.sum() / 2, rel=0.05)


def test_folded_library_time_is_kept_by_its_leaf(merged: Merged) -> None:
    price = merged.parts[merged.parts["frame"] == merged.names.index("shop.Orders.price")]
    assert price["leaf"].tolist() == ["java.util.HashMap.get"]
    assert price["endpoint"].tolist() == ["shop.Api.handle"]
    assert price["candidate"].sum() == pytest.approx(_own(merged, "shop.Orders.price"))


def test_poisson_variance_follows_the_samples(make_pair, truth) -> None:
    # n samples of one size s: variance n s^2 = cost x s; a sample is 10 ms, spread over 1,600 requests
    merged = _merged([_sides(make_pair(candidate=truth(stacks_ms={IDLE: 8.0})))], event=ProfileKind.CPU)
    assert merged is not None
    assert merged.poisson.sum() == pytest.approx(merged.candidate.sum() * 10 / 1600, rel=0.05)


def test_without_prefixes_every_frame_is_there(make_pair, truth) -> None:
    sides = [_sides(make_pair(candidate=truth(stacks_ms={PRICE: 1.0})))]
    merged = _merged(sides, event=ProfileKind.CPU, application=())
    assert merged is not None
    assert list(merged.names) == ["", *PRICE.split("\n")]
    assert _own(merged, "java.util.HashMap.get") == pytest.approx(1.0, rel=0.1)


def test_idle_threads_are_no_part_of_wall_clock_time(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(waits_ms={PRICE: 1.0, IDLE: 50.0}))
    fork = pair.forks[Side.CANDIDATE]
    samples = fork.tables["samples"].assign(state="STATE_SLEEPING")
    sleeping = replace(
        pair, forks={**pair.forks, Side.CANDIDATE: replace(fork, tables={**fork.tables, "samples": samples})}
    )
    merged = _merged([_sides(sleeping)], event=ProfileKind.WALL)
    assert merged is not None
    assert merged.candidate.sum() == pytest.approx(1.0, rel=0.1)


def test_without_samples_of_the_event_there_is_nothing(make_pair, truth) -> None:
    sides = [_sides(make_pair(candidate=truth(stacks_ms={PRICE: 1.0})))]
    assert _merged(sides, event=ProfileKind.LOCK) is None
    assert _merged([(sides[0][0], None)], event=ProfileKind.CPU) is None
