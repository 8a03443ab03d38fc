"""How far another clock is ahead, found by asking it over a way that takes its time."""

from __future__ import annotations

from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.pods.clock import PROBES, offset

DELAYS = st.lists(st.integers(min_value=1_000, max_value=50_000_000), min_size=2, max_size=2 * PROBES)


@given(ahead=st.integers(min_value=-(10**12), max_value=10**12), delays=DELAYS)
def test_the_truth_lies_within_the_bound(ahead: int, delays: list[int]) -> None:
    now, way = 10**18, cycle(delays)

    def asked() -> int:
        nonlocal now
        now += next(way)
        there = now + ahead
        now += next(way)
        return there

    found = offset(asked, now=lambda: now)
    assert abs(found.ahead_ns - ahead) <= found.bound_ns + 1
    assert found.bound_ns <= max(delays)


def test_the_quickest_answer_is_believed() -> None:
    now, waits = 0, iter([10**9] * (PROBES - 1) + [1_000])

    def asked() -> int:
        nonlocal now
        now += next(waits)
        return now + 250_000_000

    found = offset(asked, now=lambda: now)
    assert found.bound_ns == 500
    assert abs(found.ahead_ns - 250_000_000) <= 500
