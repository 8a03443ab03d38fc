"""What a fork bears by the steps that were recorded of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.metrics.climb import climb_of, steps_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.model.catalogue import METRICS
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData
from pacecar.model.tables import TABLES, empty_table
from support.recordings import pair

CAPACITY = METRICS["capacity"].metric(ALL)


def _fork(steps: pd.DataFrame | None = None, *, within_ms: float | None = 60.0) -> MeasuredFork:
    recorded = pair(1)
    if steps is not None:
        fork = recorded.forks[Side.BASELINE]
        tables = {**fork.tables, "steps": steps.astype(TABLES["steps"])}
        recorded = replace(recorded, forks={Side.BASELINE: ForkData(record=fork.record, tables=tables)})
    return MeasuredFork.of(replace(recorded, record=replace(recorded.record, within_ms=within_ms)), Side.BASELINE)


def _read(fork: MeasuredFork) -> Reading:
    return readings(fork, ())[CAPACITY]


def _below(limit: float) -> pd.DataFrame:
    rows = pair(1).forks[Side.BASELINE].tables["steps"]
    return rows[rows["rate_per_s"] < limit]


def test_the_capacity_lies_between_what_kept_the_budget_and_what_broke_it() -> None:
    found = _read(_fork())
    assert isinstance(found, Value)
    assert 650 < found.amount < 728  # 48 ms and 120


def test_a_tighter_budget_is_kept_at_a_lower_rate() -> None:
    loose, tight = (_read(_fork(within_ms=within_ms)) for within_ms in (60.0, 20.0))
    assert isinstance(loose, Value)
    assert isinstance(tight, Value)
    assert tight.amount < loose.amount


def test_where_no_step_broke_it_only_a_least_is_known() -> None:
    fork = _fork(_below(600))
    found, climb = _read(fork), climb_of(fork)
    assert isinstance(found, Missing)
    assert "at least 500 requests/s" in found.reason
    assert climb is not None
    assert climb.capacity is not None
    assert climb.capacity.at_least


def test_a_first_step_that_broke_it_leaves_no_capacity() -> None:
    found = _read(_fork(within_ms=5.0))
    assert isinstance(found, Missing)
    assert "already broken at 120 requests/s" in found.reason
    assert not found.absent


def test_steps_that_were_lost_are_missed() -> None:
    assert isinstance(found := _read(_fork(empty_table("steps"))), Missing)
    assert not found.absent


def test_without_a_staircase_nobody_asks_for_a_capacity() -> None:
    assert CAPACITY not in readings(_fork(within_ms=None), ())


def test_steps_come_back_as_they_were_made() -> None:
    steps = steps_of(_fork())
    assert [step.rate_per_s for step in steps] == [120, 240, 384, 500, 650, 728, 815]
    assert steps[-1].latency_ms == math.inf
    assert steps[0].others is None
    assert steps[5].pools["http-nio-exec"] == pytest.approx(0.8)


def test_what_others_disturbed_or_the_generator_could_not_send_does_not_count() -> None:
    rows = pair(1).forks[Side.BASELINE].tables["steps"]
    rows = rows.assign(
        others=["40%" if rate == 728 else "" for rate in rows["rate_per_s"]],
        generator_at_limit=rows["rate_per_s"] == 815,
    )
    climb = climb_of(_fork(rows))
    assert climb is not None
    assert climb.broke_per_s is None
    assert climb.kept_per_s == 650


@pytest.mark.hostile
@pytest.mark.parametrize("within_ms", [0.0, -5.0, math.nan, math.inf])
def test_a_budget_that_is_none_leaves_no_capacity(within_ms: float) -> None:
    assert isinstance(_read(_fork(within_ms=within_ms)), Missing)


@pytest.mark.hostile
@pytest.mark.parametrize("column", ["rate_per_s", "latency_ms", "busy", "answered_per_s"])
@pytest.mark.parametrize("amount", [0.0, -1.0, math.nan, math.inf])
def test_numbers_that_nobody_measured_are_no_trouble(column: str, amount: float) -> None:
    rows = pair(1).forks[Side.BASELINE].tables["steps"]
    assert isinstance(_read(_fork(rows.assign(**{column: [amount, *rows[column].iloc[1:]]}))), Value | Missing)
