"""How a staircase climbs, where it ends, and what builds bear."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.capacity import (
    MOST_RATE,
    MOST_STEPS,
    budget_after,
    first_rate,
    next_step,
    step_of,
)
from pacecar.analysis.capacity_change import change_of, verdict_of
from pacecar.analysis.metrics.climb import Climb
from pacecar.model.capacity import Capacity, LoadStep, Top
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES

BASELINE, CANDIDATE = Side
Respond = Callable[[float], LoadStep]


def step(rate: float, latency_ms: float, *, busy: float = 0.5, **other: Any) -> LoadStep:
    return LoadStep(rate_per_s=rate, answered_per_s=rate, latency_ms=latency_ms, busy=busy, **other)


def queue(most: float, *, served_ms: float = 4.0) -> Respond:
    """A service that waits as a queue does, and answers nobody in time beyond `most` requests a second."""

    def respond(rate: float) -> LoadStep:
        busy = rate / most
        return step(rate, served_ms / (1 - busy) if busy < 1 else math.inf, busy=min(busy, 1.0))

    return respond


def climbed(services: Mapping[Side, Respond], *, start: float = 50.0, within_ms: float = 40.0) -> tuple[Any, Top]:
    """All steps on services that respond so."""
    steps: dict[Side, list[LoadStep]] = {side: [] for side in services}
    rate, sides = start, tuple(services)
    while True:
        for side in sides:
            steps[side].append(services[side](rate))
        climbs = {side: Climb(steps=made, within_ms=within_ms) for side, made in steps.items()}
        found = next_step(climbs)
        if isinstance(found, Top):
            return climbs, found
        rate, sides = found
        assert max(map(len, steps.values())) <= MOST_STEPS


@pytest.mark.parametrize("most", [60, 180, 900, 4_000])
def test_the_highest_rate_within_the_budget_is_found(most: float) -> None:
    climbs, top = climbed({BASELINE: queue(most)})
    found = climbs[BASELINE].capacity
    assert top is Top.FOUND
    assert found is not None
    assert not found.at_least
    assert found.rate_per_s == pytest.approx(0.9 * most, rel=0.08)  # where 4 ms have become 40
    assert found.kept_per_s <= found.rate_per_s <= found.broke_per_s
    assert len(climbs[BASELINE].steps) <= MOST_STEPS


def test_two_builds_climb_the_same_steps_until_one_breaks() -> None:
    climbs, top = climbed({BASELINE: queue(800), CANDIDATE: queue(400)})
    rates = {side: [each.rate_per_s for each in climb.steps] for side, climb in climbs.items()}
    shared = [rate for rate in rates[CANDIDATE] if rate in rates[BASELINE]]
    assert top is Top.FOUND
    assert rates[BASELINE][: len(shared)] == rates[CANDIDATE][: len(shared)]
    # What one cannot answer is not in the way of the other.
    assert all(rate <= climbs[CANDIDATE].broke_per_s for rate in rates[CANDIDATE])
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(2 * climbs[CANDIDATE].capacity.rate_per_s, rel=0.1)


def test_what_both_builds_are_to_be_asked_next_they_are_asked_in_one_step() -> None:
    alike = {side: Climb(steps=[step(100, 3.0), step(200, 9e3)], within_ms=40.0) for side in Side}
    assert _next(alike) == (141, (BASELINE, CANDIDATE))
    apart = {**alike, CANDIDATE: replace(alike[CANDIDATE], steps=[*alike[CANDIDATE].steps, step(141, 9e3)])}
    assert _next(apart) == (141, (BASELINE,))


def test_a_service_that_is_never_reached_bears_at_least_that() -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, 3.0, busy=0.1)}, start=5_000)
    assert top is Top.MOST
    assert climbs[BASELINE].capacity == Capacity(rate_per_s=MOST_RATE, kept_per_s=MOST_RATE, broke_per_s=None)
    assert climbs[BASELINE].capacity.at_least


@pytest.mark.parametrize("latency_ms", [90.0, math.inf])
def test_a_first_step_that_breaks_the_budget_ends_it(latency_ms: float) -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, latency_ms)})
    assert top is Top.FIRST
    assert climbs[BASELINE].capacity is None


def _next(climbs: Mapping[Side, Climb]) -> tuple[float, tuple[Side, ...]]:
    following = next_step(climbs, lowest_per_s=100)
    assert not isinstance(following, Top)
    return following


def test_below_a_first_step_that_breaks_the_budget_the_rate_is_lowered() -> None:
    climbs = {
        side: Climb(steps=[step(900, latency)], within_ms=40.0) for side, latency in ((BASELINE, 3.0), (CANDIDATE, 9e3))
    }
    assert next_step(climbs, lowest_per_s=100) == (450, (CANDIDATE,))
    assert next_step(climbs, lowest_per_s=700) == (700, (CANDIDATE,))
    assert next_step(climbs, lowest_per_s=900) is Top.FIRST
    climbs[CANDIDATE] = replace(climbs[CANDIDATE], steps=[*climbs[CANDIDATE].steps, step(450, 3.0)])
    # What both bear is looked for as ever: one has not broken its budget yet, the other one between the two rates.
    rate, sides = _next(climbs)
    assert (rate > 900, sides) == (True, (BASELINE,))
    climbs[BASELINE] = replace(climbs[BASELINE], steps=[step(900, 3.0), step(1_000, 9e3)])
    rate, sides = _next(climbs)
    assert (450 < rate < 900, sides) == (True, (CANDIDATE,))


def test_a_first_step_without_answers_keeps_no_budget_that_follows_from_it() -> None:
    silent = step(50, math.inf)
    assert Climb(steps=[silent], within_ms=budget_after(silent)).capacity is None


def test_a_generator_at_its_limit_says_nothing_of_the_service() -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, 3.0, busy=0.2, generator_at_limit=rate > 100)})
    assert top is Top.GENERATOR
    assert climbs[BASELINE].capacity.kept_per_s <= 100
    assert climbs[BASELINE].capacity.at_least


def test_a_generator_that_was_late_once_is_asked_again() -> None:
    asked: list[float] = []

    def once(rate: float) -> LoadStep:
        asked.append(rate)
        return step(rate, 300.0, generator_at_limit=True) if len(asked) == 2 else queue(800)(rate)

    climbs, top = climbed({BASELINE: once})
    assert asked[1] == asked[2]
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(720, rel=0.1)


def test_below_what_the_generator_cannot_send_the_budget_may_break() -> None:
    """Requests that a swamped service leaves without an answer are work for the generator, too."""

    def swamps(rate: float) -> LoadStep:
        made = queue(400)(rate)
        return step(rate, 900.0, generator_at_limit=True) if rate > 600 else made

    climbs, top = climbed({BASELINE: swamps}, start=170)
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(360, rel=0.1)


def test_a_generator_at_its_limit_in_the_first_step_ends_it() -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, 3.0, generator_at_limit=True)})
    assert top is Top.GENERATOR
    assert climbs[BASELINE].capacity is None


def test_a_step_that_others_disturbed_is_made_again() -> None:
    asked: list[float] = []

    def once(rate: float) -> LoadStep:
        asked.append(rate)
        disturbed = len(asked) == 2
        return step(rate, 300.0, others="40%") if disturbed else queue(800)(rate)

    climbs, top = climbed({BASELINE: once})
    assert asked[1] == asked[2]
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(720, rel=0.1)


def test_a_step_that_breaks_the_budget_by_little_is_made_again() -> None:
    asked: list[float] = []

    def compiling(rate: float) -> LoadStep:
        asked.append(rate)
        return step(rate, 70.0) if len(asked) == 2 else queue(800)(rate)

    climbs, top = climbed({BASELINE: compiling})
    assert asked[1] == asked[2]
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(720, rel=0.1)


def test_what_breaks_it_twice_is_broken() -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, 4.0 if rate <= 50 else 70.0)})
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s < 60


def test_a_machine_that_stays_busy_ends_it() -> None:
    climbs, top = climbed({BASELINE: lambda rate: step(rate, 3.0 if rate < 60 else 300.0, others="40%")})
    assert top is Top.DISTURBED
    assert climbs[BASELINE].capacity.at_least


def test_keeping_the_budget_beside_others_counts() -> None:
    climbs, top = climbed({BASELINE: lambda rate: LoadStep(**vars(queue(800)(rate)) | {"others": "30%"})})
    assert top is Top.DISTURBED
    assert climbs[BASELINE].capacity.kept_per_s > 500


def test_a_service_of_unknown_business_climbs_too() -> None:
    climbs, top = climbed({BASELINE: lambda rate: LoadStep(**vars(queue(500)(rate)) | {"busy": math.nan})})
    assert top is Top.FOUND
    assert climbs[BASELINE].capacity.rate_per_s == pytest.approx(450, rel=0.1)


def capacity(rate: float, *, at_least: bool = False) -> Capacity:
    return Capacity(rate_per_s=rate, kept_per_s=rate, broke_per_s=None if at_least else 1.1 * rate)


def pairs_of(*rates: tuple[float, float]) -> list[dict[Side, Capacity]]:
    return [{BASELINE: capacity(before), CANDIDATE: capacity(after)} for before, after in rates]


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [
        ([(800, 640), (820, 660), (790, 630)], Verdict.REGRESSED),
        ([(800, 810), (820, 815), (790, 780)], Verdict.PASSED),
        ([(640, 800), (660, 820), (630, 790)], Verdict.IMPROVED),
        ([(800, 500), (500, 800), (790, 700)], Verdict.INCONCLUSIVE),
        ([(800, 740), (820, 750), (790, 720)], Verdict.INCONCLUSIVE),
    ],
)
def test_a_change_beyond_its_budget_is_a_regression(rates: list[tuple[float, float]], verdict: Verdict) -> None:
    change = change_of(pairs_of(*rates))
    assert change is not None
    assert verdict_of(change, budget=0.1) is verdict


def test_pairs_without_an_upper_end_say_nothing_of_a_change() -> None:
    open_ended = {BASELINE: capacity(800, at_least=True), CANDIDATE: capacity(500)}
    assert change_of([open_ended]) is None
    change = change_of([open_ended, *pairs_of((800, 640), (800, 650))])
    assert change is not None
    assert change.replicates == 2


@pytest.mark.parametrize("pairs", [1, 2, 3, 6])
def test_builds_that_are_alike_seldom_regress(pairs: int) -> None:
    random = np.random.default_rng(5)
    verdicts = []
    for _ in range(1_000):
        rates = 800 * np.exp(0.05 * random.standard_normal((pairs, 2)))
        change = change_of(pairs_of(*((float(before), float(after)) for before, after in rates)))
        assert change is not None
        verdicts.append(verdict_of(change, budget=0.1))
    assert verdicts.count(Verdict.REGRESSED) <= 12


def test_a_step_counts_what_failed_as_never_answered(make_pair, truth) -> None:
    pair = make_pair(baseline=truth(cpu_ms=3.0, failing=0.02), candidate=truth(cpu_ms=3.0, failing=0.3))
    before, after = (step_of(pair, side, rate_per_s=100.0) for side in Side)
    assert 0 < before.latency_ms < math.inf
    assert after.latency_ms == math.inf
    assert after.answered_per_s == pytest.approx(0.7 / 0.98 * before.answered_per_s, rel=0.1)
    assert before.busy == pytest.approx(0.24, abs=0.02)


def test_a_step_tells_a_late_generator_from_others(make_pair, truth) -> None:
    late = step_of(make_pair(baseline=truth(lag_ms=80.0)), BASELINE, rate_per_s=100.0)
    beside = step_of(make_pair(baseline=truth(lag_ms=80.0, foreign_s=5.0)), BASELINE, rate_per_s=100.0)
    assert (late.generator_at_limit, late.others) == (True, None)
    assert (beside.generator_at_limit, beside.others) == (False, "50%")


class TestFirstRate:
    """Where the staircase of a further pair begins."""

    def test_three_quarters_of_what_the_weakest_fork_has_borne(self, make_pair) -> None:
        pairs = [_climbed_pair(make_pair, number, {BASELINE: 800.0, CANDIDATE: 600.0 + number}) for number in (1, 2)]
        assert first_rate(pairs, rate_per_s=50.0) == pytest.approx(450, rel=0.02)

    def test_it_is_never_below_the_scenarios_own(self, make_pair) -> None:
        pairs = [_climbed_pair(make_pair, 1, {BASELINE: 800.0, CANDIDATE: 600.0})]
        assert first_rate(pairs, rate_per_s=500.0) == 500.0

    def test_before_anything_is_known_it_is_the_scenarios(self, make_pair) -> None:
        assert first_rate([], rate_per_s=50.0) == 50.0
        assert first_rate([make_pair(1)], rate_per_s=50.0) == 50.0

    def test_a_fork_that_has_borne_nothing_yet_begins_where_it_did(self, make_pair) -> None:
        pairs = [_climbed_pair(make_pair, 1, {BASELINE: 800.0, CANDIDATE: 10.0})]
        assert first_rate(pairs, rate_per_s=50.0) == 50.0


def _climbed_pair(make_pair, number: int, most: Mapping[Side, float]) -> Pair:
    """A pair whose forks keep the budget up to these rates."""
    pair = make_pair(number)
    forks = {}
    for side, fork in pair.forks.items():
        rows = [
            {"step": place, "rate_per_s": rate, "latency_ms": 10.0 if rate <= most[side] else 900.0}
            for place, rate in enumerate((50.0, 100.0, 200.0, 400.0, most[side], 1_000.0), start=1)
        ]
        steps = pd.DataFrame(rows).assign(
            start_ns=0, end_ns=1, answered_per_s=1.0, busy=0.5, machine_busy=0.5, generator_at_limit=False, others=""
        )
        steps = steps[list(TABLES["steps"])].astype(TABLES["steps"])
        forks[side] = replace(fork, tables=fork.tables | {"steps": steps})
    return replace(pair, record=replace(pair.record, within_ms=50.0), forks=forks)
