"""When a fork is steady, on made-up warm-ups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from pacecar.measurement.warmup import SOONEST_S, Steadiness, Warmth, lengthened
from pacecar.model.experiment import Plan, Side
from pacecar.model.recording import PairRecord


def _watched(cost_ms: Callable[[float], float], jit_share: Callable[[float], float], *, seconds: int) -> Steadiness:
    """A fork that answers 200 requests a second at `cost_ms` of CPU each; compilers take `jit_share` of all CPU."""
    steadiness = Steadiness()
    cpu_s = jit_s = 0.0
    for second in range(seconds + 1):
        steadiness.add(Warmth(time_s=second, requests=200 * second, cpu_s=cpu_s, jit_s=jit_s))
        spent = 200 * cost_ms(second) / 1e3
        cpu_s += spent
        jit_s += spent * jit_share(second) / (1 - jit_share(second))
    return steadiness


def _flat(_: float) -> float:
    return 1.0


def _quiet(_: float) -> float:
    return 0.01


def test_a_flat_and_quiet_fork_is_steady() -> None:
    steadiness = _watched(_flat, _quiet, seconds=30)
    assert steadiness.steady
    assert steadiness.unsettled is None
    assert steadiness.state == "1 ms CPU per request"


def test_no_fork_is_steady_at_once() -> None:
    steadiness = _watched(_flat, _quiet, seconds=int(SOONEST_S) - 1)
    assert not steadiness.steady
    assert "less than" in str(steadiness.unsettled)


def test_falling_cpu_per_request_is_not_steady_until_it_levels_off() -> None:
    def cost(second: float) -> float:
        return 1 + 3 * math.exp(-second / 10)

    assert not _watched(cost, _quiet, seconds=20).steady
    assert "CPU per request still fell" in str(_watched(cost, _quiet, seconds=20).unsettled)
    assert _watched(cost, _quiet, seconds=90).steady


def test_busy_compilers_are_not_steady() -> None:
    steadiness = _watched(_flat, lambda _: 0.4, seconds=30)
    assert not steadiness.steady
    assert steadiness.unsettled == "compilers still took 40% of its CPU time"


@pytest.mark.parametrize("jit", [math.nan, 0.0])
def test_a_jvm_that_does_not_tell_is_judged_by_its_cpu(jit: float) -> None:
    assert _watched(_flat, lambda _: jit, seconds=30).steady


def test_a_single_collection_does_not_look_like_a_trend() -> None:
    assert _watched(lambda second: 2.5 if second == 28 else 1.0, _quiet, seconds=30).steady


def test_seconds_that_differ_are_no_trend() -> None:
    assert _watched(lambda second: 1.0 + 0.1 * (second % 2), _quiet, seconds=30).steady


def test_spurts_of_the_compilers_are_tolerated() -> None:
    assert _watched(_flat, lambda second: 0.7 if second % 5 == 0 else 0.1, seconds=30).steady


def test_a_fork_without_requests_is_not_steady() -> None:
    steadiness = Steadiness()
    for second in range(40):
        steadiness.add(Warmth(time_s=second, requests=0, cpu_s=0.01 * second, jit_s=0.0))
    assert not steadiness.steady
    assert steadiness.unsettled == "too few requests to tell"
    assert steadiness.state == "no requests yet"


def _record(make_pair, **unsettled: str | None) -> PairRecord:
    record = make_pair(1).record
    forks = {side: replace(fork, unsettled=unsettled.get(side.value)) for side, fork in record.forks.items()}
    return replace(record, forks=forks)


def test_a_pair_after_one_that_was_not_steady_is_warmed_for_longer(make_pair) -> None:
    unsteady, steady = _record(make_pair, candidate="it fell"), _record(make_pair)
    assert set(unsteady.forks) == set(Side)
    short = Plan(
        pairs=8,
        side_s=20.0,
        slice_s=2.5,
        gap_s=0.5,
        burst_users=4,
        seed=1,
        warmup_s=40.0,
        burst_s=35.0,
        warmup_at_most_s=75.0,
    )
    longer = lengthened(short, unsteady)
    assert (longer.warmup_s, longer.burst_s) == (60.0, 55.0)
    assert lengthened(longer, unsteady).warmup_s == 75.0
    assert lengthened(lengthened(longer, unsteady), unsteady).warmup_s == 75.0
    assert lengthened(longer, steady) == longer
    assert lengthened(replace(short, warmup_at_most_s=None), unsteady).warmup_s == 40.0
    assert lengthened(replace(short, burst_s=0.0), unsteady).burst_s == 0.0
