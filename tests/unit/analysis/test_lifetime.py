"""What a fork costs before it is warm, and what it does not give back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.trend import slope
from pacecar.model.experiment import Side
from pacecar.model.recording import HeapGrowth, Pair
from pacecar.model.tables import TABLES

NAMES = {
    "startup.ready",
    "startup.first_answer",
    "warmup.cpu",
    "heap.growth",
    "connections.open",
    "threads.growth",
    "connections.growth",
    "descriptors.growth",
}
GROWTHS = ("threads", "connections", "descriptors")


@pytest.fixture
def pair(make_pair) -> Pair:
    """Four windows of 400 requests on each side."""
    return make_pair()


def _fork(pair: Pair, *, tables: dict[str, pd.DataFrame] | None = None, **recorded: Any) -> MeasuredFork:
    """The candidate's, with these tables and fields of its record in place of its own."""
    data = pair.forks[Side.CANDIDATE]
    typed = {name: table.astype(TABLES[name]) for name, table in (tables or {}).items()}
    data = replace(data, tables=data.tables | typed, record=replace(data.record, **recorded))
    return MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)


def _counters(pair: Pair, **levels: Sequence[float] | float) -> dict[str, pd.DataFrame]:
    return {"counters": pair.forks[Side.CANDIDATE].tables["counters"].assign(**levels)}


def _warmup(*rows: tuple[int, float]) -> dict[str, pd.DataFrame]:
    """Rows of requests and CPU seconds, one a second."""
    table = pd.DataFrame(rows, columns=["requests", "cpu_s"])
    return {"warmup": table.assign(time_ns=table.index * 10**9, cpu_ns=table["cpu_s"] * 1e9, jit_ms=0.0)}


def _read(fork: MeasuredFork, name: str) -> Reading:
    return next(reading for metric, reading in readings(fork, []).items() if metric.name == name)


def _amount(fork: MeasuredFork, name: str) -> float:
    reading = _read(fork, name)
    assert isinstance(reading, Value), reading
    return reading.amount


def _missing(fork: MeasuredFork, name: str) -> Missing:
    reading = _read(fork, name)
    assert isinstance(reading, Missing), reading
    return reading


def test_an_older_recording_lacks_what_was_not_recorded_then(pair: Pair) -> None:
    older = _fork(pair, tables=_counters(pair, descriptors=np.nan, connections=np.nan))
    absent = {metric.name for metric, reading in readings(older, []).items() if getattr(reading, "absent", False)}
    assert absent & NAMES == NAMES - {"threads.growth"}
    assert _amount(older, "threads.growth") == 0


def test_time_to_ready_and_to_the_first_answer_leave_out_the_wait_between(pair: Pair) -> None:
    fork = _fork(pair, ready_s=4.25, first_answer_s=0.5)
    assert _amount(fork, "startup.ready") == 4.25
    assert _amount(fork, "startup.first_answer") == 4.75


def test_a_service_that_answered_nothing_was_ready_all_the_same(pair: Pair) -> None:
    fork = _fork(pair, ready_s=4.25)
    assert _amount(fork, "startup.ready") == 4.25
    assert _missing(fork, "startup.first_answer").absent


class TestWarmup:
    """CPU time up to the first 1,000 requests."""

    def test_is_read_between_two_seconds_and_has_the_start_in_it(self, pair: Pair) -> None:
        fork = _fork(pair, tables=_warmup((0, 5.0), (200, 6.0), (800, 8.0), (1_200, 9.0), (20_000, 30.0)))
        assert _amount(fork, "warmup.cpu") == pytest.approx(8.5)

    def test_does_not_depend_on_how_long_the_warm_up_went_on(self, pair: Pair) -> None:
        rows = [(0, 5.0), (900, 8.0), (1_100, 8.5)]
        longer = [*rows, (5_000, 15.0), (9_000, 20.0)]
        found = [_amount(_fork(pair, tables=_warmup(*each)), "warmup.cpu") for each in (rows, longer)]
        assert found[0] == found[1] == pytest.approx(8.25)

    def test_of_a_service_that_does_a_thousand_in_its_first_second(self, pair: Pair) -> None:
        assert _amount(_fork(pair, tables=_warmup((0, 2.0), (4_000, 4.0))), "warmup.cpu") == pytest.approx(2.5)

    def test_at_the_very_request(self, pair: Pair) -> None:
        assert _amount(_fork(pair, tables=_warmup((0, 2.0), (1_000, 4.0))), "warmup.cpu") == pytest.approx(4)

    def test_needs_so_many_requests(self, pair: Pair) -> None:
        missing = _missing(_fork(pair, tables=_warmup((0, 2.0), (400, 4.0), (640, 5.0))), "warmup.cpu")
        assert missing.reason == "the burst had 640 requests, and 1,000 are needed"
        assert not missing.absent

    def test_needs_a_burst_and_its_beginning(self, pair: Pair) -> None:
        assert _missing(_fork(pair, tables=_warmup((0, 2.0), (0, 4.0))), "warmup.cpu").absent
        assert _missing(_fork(pair, tables=_warmup((4_000, 4.0), (8_000, 6.0))), "warmup.cpu").absent


def test_the_heap_grows_by_what_a_thousand_requests_leave_in_it(pair: Pair) -> None:
    grown = HeapGrowth(before_bytes=50_000_000, after_bytes=51_000_000, requests=4_000)
    assert _amount(_fork(pair, heap=grown), "heap.growth") == 250_000
    shrunk = HeapGrowth(before_bytes=51_000_000, after_bytes=50_000_000, requests=4_000)
    assert _amount(_fork(pair, heap=shrunk), "heap.growth") == -250_000
    idle = HeapGrowth(before_bytes=51_000_000, after_bytes=50_000_000, requests=0)
    assert not _missing(_fork(pair, heap=idle), "heap.growth").absent


@pytest.mark.parametrize("column", GROWTHS)
class TestGrowth:
    """Levels at the edges of four windows of 400 requests each."""

    def test_a_leak_shows_at_its_rate(self, pair: Pair, column: str) -> None:
        # Two in each window, and none between windows.
        levels = [40.0, 42, 42, 44, 44, 46, 46, 48]
        fork = _fork(pair, tables=_counters(pair, **{column: levels}))
        assert _amount(fork, f"{column}.growth") == pytest.approx(1000 * 2 / 400)

    def test_what_every_window_opens_and_closes_again_does_not_grow(
        self, make_pair, plan, pair: Pair, column: str
    ) -> None:
        fork = _fork(pair, tables=_counters(pair, **{column: [40.0, 43, 40, 43, 40, 43, 40, 43]}))
        assert _amount(fork, f"{column}.growth") == 0
        short = make_pair(plan=plan(windows=2))
        fork = _fork(short, tables=_counters(short, **{column: [40.0, 43, 40, 43]}))
        assert _amount(fork, f"{column}.growth") == 0

    def test_a_single_window_goes_by_its_own_edges(self, make_pair, plan, column: str) -> None:
        single = make_pair(plan=plan(windows=1))
        fork = _fork(single, tables=_counters(single, **{column: [40.0, 44]}))
        assert _amount(fork, f"{column}.growth") == pytest.approx(10)

    def test_one_step_of_a_pool_is_no_leak(self, pair: Pair, column: str) -> None:
        fork = _fork(pair, tables=_counters(pair, **{column: [40.0, 60, 60, 60, 60, 60, 60, 60]}))
        assert _amount(fork, f"{column}.growth") == 0

    def test_edges_that_were_not_read_are_left_out(self, pair: Pair, column: str) -> None:
        levels = [np.nan, np.nan, 42, 44, 44, 46, np.nan, np.nan]
        fork = _fork(pair, tables=_counters(pair, **{column: levels}))
        assert _amount(fork, f"{column}.growth") == pytest.approx(5)

    def test_one_moment_is_no_trend(self, pair: Pair, column: str) -> None:
        levels = [np.nan, np.nan, np.nan, 44, 44, np.nan, np.nan, np.nan]
        missing = _missing(_fork(pair, tables=_counters(pair, **{column: levels})), f"{column}.growth")
        assert "before and after any request" in missing.reason


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30, unique=True), st.floats(-1e3, 1e3), st.floats(-1e6, 1e6))
def test_the_slope_of_a_line_is_its_own(x: list[float], gradient: float, offset: float) -> None:
    points = np.array([round(each) for each in x], dtype="float64")
    found = slope((points, offset + gradient * points), (points, gradient * points))
    assert (found is None) == (len(set(points)) == 1)
    assert found is None or found == pytest.approx(gradient, abs=1e-5)


def test_points_that_lie_elsewhere_do_not_turn_the_line() -> None:
    x = np.arange(20, dtype="float64")
    y = np.where(x % 4 == 0, 1e6, 3 * x)  # a quarter of them
    assert slope((x, y)) == pytest.approx(3)
