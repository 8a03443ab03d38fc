"""The slowest requests: whether something stood still while they were served."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pacecar.model.causes import Cause
from pacecar.model.experiment import Side
from support import asked
from support.evidence import (
    Change,
    both,
    changed,
    with_pauses,
    with_pauses_of_injector,
    with_requests_held,
    with_slow_requests,
)

Asked = Callable[..., tuple[Cause, ...]]


@pytest.fixture
def causes_of(make_pairs, truth) -> Asked:
    def find(before: Change, after: Change, *, metric: str = "latency.p99", endpoint: str = "") -> tuple[Cause, ...]:
        pairs = make_pairs(4, baseline=truth(), candidate=truth())
        pairs = changed(pairs, {Side.BASELINE: before, Side.CANDIDATE: after})
        return asked.causes_of(pairs, metric, endpoint=endpoint)

    return find


def _every(causes: tuple[Cause, ...]) -> list[Cause]:
    return [each for cause in causes for each in (cause, *cause.consequences)]


def _of_outliers(causes: tuple[Cause, ...]) -> list[Cause]:
    return [each for each in _every(causes) if each.name == "paused-outliers"]


@pytest.mark.parametrize("metric", ["latency.p90", "latency.tail", "latency.p99"])
def test_requests_that_pauses_hold_are_counted_as_theirs(causes_of: Asked, metric: str) -> None:
    (cause,) = _of_outliers(causes_of(with_requests_held(2.0), with_requests_held(120.0), metric=metric))
    assert cause.statement.startswith("Requests that are among the slowest because the JVM stood still went from 0 to ")
    assert cause.share is not None
    assert cause.share.part > 0.5
    assert cause.facts[0].candidate > 10


def test_a_middle_that_pauses_do_not_reach_has_no_outliers(causes_of: Asked) -> None:
    assert _of_outliers(causes_of(with_requests_held(2.0), with_requests_held(80.0), metric="latency.p50")) == []


def test_the_load_generator_is_named_as_such(causes_of: Asked) -> None:
    found = _every(causes_of(with_requests_held(0.0, "generator"), with_requests_held(150.0, "generator")))
    assert any("the load generator, not the service, stood still" in each.statement for each in found)
    assert not any("the JVM" in each.statement for each in found)


def test_the_pauses_of_one_injector_hold_no_requests_of_another(causes_of: Asked) -> None:
    def paused(lasting_ms: float) -> Change:
        return both(with_requests_held(lasting_ms, "generator"), with_pauses_of_injector(1))

    assert _of_outliers(causes_of(paused(0.0), paused(150.0))) == []


def test_pauses_beside_which_other_requests_are_slow_hold_none_of_them(causes_of: Asked) -> None:
    slow = with_slow_requests(one_in=30, by_ms=60.0)
    assert _of_outliers(causes_of(with_pauses(30.0), both(with_pauses(30.0), slow))) == []


def test_many_pauses_meet_slow_requests_by_chance(causes_of: Asked) -> None:
    # As many as chance has it: pauses cover a good part of the time on both sides.
    slow = with_slow_requests(one_in=30, by_ms=300.0)
    assert _of_outliers(causes_of(with_pauses(450.0), both(with_pauses(450.0), slow))) == []


def test_what_is_shown_holds_for_one_endpoint(causes_of: Asked) -> None:
    (cause,) = _of_outliers(causes_of(with_requests_held(2.0), with_requests_held(120.0), endpoint="GET /orders"))
    assert cause.scope.endpoint == "GET /orders"
