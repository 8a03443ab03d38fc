"""Which load is tried next, when no other is, and which one is proposed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.sizing import MOST_STEPS, Range, next_load, proposed, step_of
from pacecar.analysis.validity.room import MOST_AT_ONCE
from pacecar.model.experiment import Side
from pacecar.model.sizing import ENOUGH, RAISED_TO, Step, StopReason

RATES = Range(start=50.0, least=0.1, most=2000.0)
USERS = Range(start=4.0, least=1.0, most=200.0, whole=True)


def step(amount: float, busy: float, **other: Any) -> Step:
    """A step of 6 s in which all went well, but for what is said."""
    planned = other.pop("planned", round(6 * amount))
    facts = {"answered": planned, "failed": 0, "slow_ms": 5.0} | other
    return Step(amount=amount, busy=busy, planned=planned, **facts)


def searched(respond: Callable[[float], Step], limits: Range = RATES) -> tuple[list[Step], StopReason]:
    """All steps of a search on a service that responds so."""
    steps: list[Step] = []
    while not isinstance(found := next_load(steps, limits), StopReason):
        steps.append(respond(found))
        assert len(steps) <= MOST_STEPS
    return steps, found


def service(*, background: float, per_request: float) -> Callable[[float], Step]:
    return lambda amount: step(amount, min(1.0, background + per_request * amount))


@pytest.mark.parametrize(
    ("background", "per_request"), [(0.05, 0.0008), (0.0, 0.002), (0.02, 0.0002), (0.1, 0.02), (0.05, 0.0055)]
)
def test_a_load_is_found_that_leaves_room_and_outweighs_the_jvm(background: float, per_request: float) -> None:
    steps, end = searched(service(background=background, per_request=per_request))
    assert end is StopReason.FITS
    fitting = proposed(steps)
    assert fitting is steps[-1]
    assert ENOUGH <= fitting.busy <= RAISED_TO
    assert steps[0].amount == 50


def test_one_that_fits_is_left_alone() -> None:
    steps, end = searched(lambda amount: step(amount, 0.3))
    assert [each.amount for each in steps] == [50.0]
    assert end is StopReason.FITS


def test_a_load_is_never_raised_by_more_than_a_few_times_at_once() -> None:
    steps, end = searched(lambda amount: step(amount, 0.001))
    amounts = [each.amount for each in steps]
    assert all(after <= MOST_AT_ONCE * before for before, after in itertools.pairwise(amounts))
    assert (amounts[-1], end) == (2000.0, StopReason.MOST)
    assert proposed(steps).amount == 2000.0


def test_a_load_is_rounded_down_so_that_it_is_never_more_than_was_meant() -> None:
    assert next_load([step(67, 0.0)], RATES) == 330
    assert [RATES.nearest(amount) for amount in (9.96, 0.129, 1250.0, 99.9)] == [9.9, 0.12, 1200, 99]


def test_a_service_that_is_busy_at_once_is_asked_for_less() -> None:
    steps, end = searched(service(background=0.04, per_request=0.012))
    assert steps[0].busy == pytest.approx(0.64)
    assert steps[1].amount < 50
    assert end is StopReason.FITS
    assert proposed(steps).amount == pytest.approx(24, abs=4)


def test_one_that_is_always_busy_fits_nothing_and_is_soon_left_alone() -> None:
    steps, end = searched(lambda amount: step(amount, 0.95))
    assert (len(steps), end) == (3, StopReason.NEAR)
    assert proposed(steps) is None


@pytest.mark.parametrize("busy", [math.nan, math.inf, -math.inf])
def test_without_knowing_how_busy_it_is_nothing_is_raised(busy: float) -> None:
    steps, end = searched(lambda amount: step(amount, busy))
    assert (len(steps), end, proposed(steps)) == (1, StopReason.UNKNOWN, None)


def test_what_was_known_before_is_still_proposed() -> None:
    steps = [step(50, 0.1), step(170, math.nan)]
    assert next_load(steps, RATES) is StopReason.UNKNOWN
    assert proposed(steps) is steps[0]


def test_a_service_that_fails_at_once_is_told_so() -> None:
    steps, end = searched(lambda amount: step(amount, 0.1, failed=round(6 * amount)))
    assert (len(steps), end, proposed(steps)) == (1, StopReason.FAILING, None)


def test_failures_that_were_there_before_do_not_end_it() -> None:
    steps, end = searched(lambda amount: step(amount, 0.02 + 0.001 * amount, failed=round(6 * amount / 4)))
    assert end is StopReason.FITS
    assert proposed(steps).failing == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"failed": 30}, StopReason.MORE_FAILURES),
        ({"slow_ms": 80.0}, StopReason.LATE),
        ({"answered": 800}, StopReason.NOT_ANSWERED),
        ({"answered": 0, "slow_ms": math.nan}, StopReason.NOT_ANSWERED),
        ({"generator_at_limit": True}, StopReason.GENERATOR),
    ],
)
def test_nothing_is_raised_once_something_goes_wrong(wrong: dict[str, Any], why: StopReason) -> None:
    steps = [step(50, 0.1), step(170, 0.22, **wrong)]
    assert next_load(steps, RATES) is why
    assert proposed(steps) is steps[0]


@pytest.mark.parametrize("slow_ms", [14.0, 24.0, math.nan])
def test_answers_that_are_late_by_little_are_not_late(slow_ms: float) -> None:
    assert isinstance(next_load([step(50, 0.1), step(170, 0.2, slow_ms=slow_ms)], RATES), float)


def test_an_overshoot_is_followed_by_less_and_never_by_more() -> None:
    steps = [step(50, 0.1), step(200, 0.9, slow_ms=500.0, answered=900)]
    between = next_load(steps, RATES)
    assert isinstance(between, float)
    assert 50 < between < 200


def test_of_a_service_that_jumps_from_idle_to_full_the_last_good_load_is_proposed() -> None:
    steps, end = searched(lambda amount: step(amount, 0.1 if amount < 100 else 0.9))
    assert end in {StopReason.NEAR, StopReason.STEPS}
    assert proposed(steps).busy == 0.1
    assert all(each.amount < 250 for each in steps)


def test_a_load_so_small_that_nothing_was_due_is_raised_blindly_but_not_for_ever() -> None:
    steps, end = searched(lambda amount: step(amount, math.nan, planned=0, slow_ms=math.nan))
    assert [each.amount for each in steps] == [50, 250, 1200, 2000]
    assert (end, proposed(steps)) == (StopReason.MOST, None)


def test_requests_that_nobody_answers_end_it_at_once() -> None:
    steps, end = searched(lambda amount: step(amount, 0.0, answered=0, slow_ms=math.nan))
    assert (len(steps), end, proposed(steps)) == (1, StopReason.NOT_ANSWERED, None)


def test_a_start_beyond_the_limits_is_brought_inside() -> None:
    assert next_load([], Range(start=20_000.0, least=0.1, most=2000.0)) == 2000.0


def test_users_are_whole() -> None:
    steps, end = searched(lambda users: step(users, 0.011 * users), USERS)
    assert all(each.amount == int(each.amount) for each in steps)
    assert end is StopReason.FITS


def test_a_single_user_may_be_too_many() -> None:
    steps, end = searched(lambda users: step(users, 0.9), USERS)
    assert (steps[-1].amount, end, proposed(steps)) == (1.0, StopReason.LEAST, None)


STEPS = st.builds(
    step,
    st.floats(0.1, 2000.0),
    st.floats(),
    planned=st.integers(0, 10_000),
    answered=st.integers(0, 10_000),
    failed=st.integers(0, 10_000),
    slow_ms=st.floats(),
    generator_at_limit=st.booleans(),
)


@given(st.lists(STEPS, min_size=1, max_size=8), st.sampled_from([RATES, USERS]))
@pytest.mark.hostile
def test_whatever_was_measured_the_next_load_is_new_and_within_bounds(steps: list[Step], limits: Range) -> None:
    found = next_load(steps, limits)
    if not isinstance(found, StopReason):
        assert limits.least <= found <= limits.most
        assert found not in {each.amount for each in steps}
        # A user more may be more than that, where there was hardly one.
        assert found <= MOST_AT_ONCE * max(each.amount for each in steps) + (1 if limits.whole else 1e-9)
        assert len(steps) < MOST_STEPS
    fitting = proposed(steps)
    assert fitting is None or 0 < fitting.busy <= RAISED_TO


def test_a_step_is_read_off_what_was_recorded(make_pair, truth) -> None:
    pair = make_pair(baseline=truth(cpu_ms=3.0, failing=0.02))
    found = step_of(pair, amount=100.0)
    assert found.busy == pytest.approx(0.24, abs=0.02)
    assert found.planned == found.answered > 100
    assert 0 < found.failed < found.answered / 10
    assert found.failures
    assert all(each.startswith(("GET", "POST")) and each.endswith("found 500") for each in found.failures)
    assert found.slow_ms > 5
    assert not found.generator_at_limit


def test_a_late_generator_says_nothing_of_the_service(make_pair, truth) -> None:
    assert step_of(make_pair(baseline=truth(lag_ms=80.0)), amount=100.0).generator_at_limit


def test_a_generator_that_waits_for_others_is_not_at_its_limit(make_pair, truth) -> None:
    found = step_of(make_pair(baseline=truth(lag_ms=80.0, foreign_s=5.0)), amount=100.0)
    assert not found.generator_at_limit
    assert found.others == "50%"


def test_answers_that_wait_for_others_are_not_the_doing_of_the_load() -> None:
    steps = [step(50, 0.1), step(170, 0.2, slow_ms=90.0)]
    assert next_load(steps, RATES) is StopReason.LATE
    steps[-1] = step(170, 0.2, slow_ms=90.0, others="50%")
    assert isinstance(next_load(steps, RATES), float)


def test_a_step_without_a_single_request_is_a_step(make_pair, truth) -> None:
    pair = make_pair(baseline=truth())
    fork = pair.forks[Side.BASELINE]
    for name in ("requests", "arrivals"):
        fork.tables[name] = fork.tables[name].iloc[:0]
    found = step_of(pair, amount=0.1)
    assert (found.planned, found.answered, found.failed, found.failures) == (0, 0, 0, ())
    assert math.isnan(found.slow_ms)
