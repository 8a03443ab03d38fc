"""A staircase on forks that are up: how it goes on, and what is kept of it when it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pacecar.errors import Interrupted
from pacecar.measurement.deploy import ForkDied
from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.session.climbing import Climbing
from pacecar.measurement.session.step_tables import pools, steps
from pacecar.measurement.session.stepping import Stepping
from pacecar.model.capacity import Top
from pacecar.model.experiment import Profiler, Side
from pacecar.model.recording import ForkData, Pair
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.model.tables import TABLES, empty_table
from support.recordings import pair

BASELINE, CANDIDATE = Side
SCENARIO = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.STAIRCASE,
    rate_per_s=100,
    users=8,
    think_time_s=0.05,
    endpoints=(),
    within_ms=60.0,
)
#: What a request takes while a service keeps up.
_SERVED_MS = 5.0


@dataclass
class Forks:
    """Two services that answer so many requests a second, in place of `Stepping`: what it measures, it makes up."""

    most: dict[Side, float]
    fails: Callable[[float], BaseException | None] = lambda rate: None
    asked: list[tuple[float, tuple[Side, ...]]] = field(default_factory=list)
    dead: set[Side] = field(default_factory=set)
    time_for_another: bool = True

    def __post_init__(self) -> None:
        self.context = SimpleNamespace(say=lambda phase, detail: None)
        self.forks = {side: SimpleNamespace(check=lambda side=side: self._check(side)) for side in self.most}

    def _check(self, side: Side) -> None:
        if side in self.dead:
            raise ForkDied(f"The {side.value} has ended.", side=side)

    def step(self, scenario: Scenario, sides: Sequence[Side]) -> Pair:
        rate = scenario.rate_per_s
        self.asked.append((rate, tuple(sides)))
        if (failure := self.fails(rate)) is not None:
            raise failure
        recorded = pair(1)
        forks = {side: self._answered(recorded.forks[side], kept=rate < self.most[side]) for side in sides}
        return replace(recorded, forks=forks)

    def _answered(self, fork: ForkData, *, kept: bool) -> ForkData:
        latency_ms = _SERVED_MS if kept else 100 * _SERVED_MS
        requests = fork.tables["requests"].assign(latency_ms=latency_ms, ok=True)
        return ForkData(record=fork.record, tables={**fork.tables, "requests": requests})


def climbing(forks: Forks) -> Climbing:
    return Climbing(stepping=cast(Stepping, forks), scenario=SCENARIO, within_ms=SCENARIO.within_ms)


def test_each_side_climbs_until_it_breaks_the_budget() -> None:
    forks = Forks({BASELINE: 400, CANDIDATE: 200})
    found = climbing(forks).climb()
    assert found.top is Top.FOUND
    for side, most in forks.most.items():
        capacity = found.capacities[side]
        assert capacity.broke_per_s is not None
        assert capacity.kept_per_s < most <= capacity.broke_per_s <= 1.16 * capacity.kept_per_s
    assert all(CANDIDATE not in sides for rate, sides in forks.asked if rate > 300)


def test_a_fork_that_dies_has_broken_the_budget() -> None:
    forks = Forks({BASELINE: 900, CANDIDATE: 900})

    def fails(rate: float) -> BaseException | None:
        if rate < 300:
            return None
        forks.dead.add(CANDIDATE)
        return ForkDied("The candidate has ended.", side=CANDIDATE)

    forks.fails = fails
    ended = climbing(forks)
    found = ended.climb()
    assert found.top is Top.DIED
    assert found.capacities[CANDIDATE].broke_per_s == forks.asked[-1][0]
    assert found.capacities[BASELINE].at_least
    assert "The candidate has ended." in ended.notes[0]
    table = steps(ended.made[CANDIDATE])
    assert table["latency_ms"].iloc[-1] == float("inf")
    assert table.dtypes.equals(empty_table("steps").dtypes)


def test_a_fork_that_dies_at_once_is_an_error() -> None:
    forks = Forks({BASELINE: 900}, fails=lambda rate: ForkDied("The baseline has ended.", side=BASELINE))
    with pytest.raises(ForkDied):
        climbing(forks).climb()


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (LoadError("Gatling ended."), "While the load was raised step by step: Gatling ended; its capacity is missing"),
        (Interrupted("Ended by you."), "The run was interrupted while the load was raised step by step; its capacity"),
    ],
)
def test_a_pair_outlives_its_staircase(failure: Any, said: str) -> None:
    forks = Forks({BASELINE: 900}, fails=lambda rate: failure if rate > 200 else None)
    ended = climbing(forks)
    ended.climb_if_possible()
    assert ended.made == {}
    assert said in ended.notes[0]
    assert ended.interrupted is (failure if isinstance(failure, Interrupted) else None)


def test_without_time_the_highest_rate_so_far_is_the_least_that_is_borne() -> None:
    found = climbing(Forks({BASELINE: 900}, time_for_another=False)).climb()
    assert found.top is Top.TIME
    assert found.capacities[BASELINE].at_least


def test_what_was_not_measured_has_tables_without_rows() -> None:
    assert steps([]).empty
    assert list(pools([], [], profiler=Profiler()).columns) == list(TABLES["pools"])
