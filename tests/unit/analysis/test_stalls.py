"""Turns in which the load generator stood still."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.validity.pairs import sift
from pacecar.analysis.validity.stalls import Stalls, without_stalls
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES
from pacecar.reporting.document.warning_lines import warning_lines

SIDES = tuple(Side)


def _stalled(pair: Pair, lags: Mapping[tuple[Side, int], float], *, share: float = 0.1) -> Pair:
    """The pair with `share` of the arrivals of (side, its k-th window) so many ms late, and their requests slow."""
    forks = dict(pair.forks)
    for (side, number), lag in lags.items():
        window = MeasuredFork.of(pair, side).windows[number].index
        tables = dict(forks[side].tables)
        for name, column in (("arrivals", "lag_ms"), ("requests", "latency_ms")):
            rows = tables[name].copy()
            inside = rows.index[rows["window"] == window]
            rows.loc[inside[: round(share * len(inside))], column] = lag
            tables[name] = rows
        forks[side] = replace(forks[side], tables=tables)
    return replace(pair, forks=forks)


def _still(pair: Pair, side: Side, *spans: tuple[int, float]) -> Pair:
    """The pair whose generator stood still for so many ms in the middle of the k-th windows of `side`."""
    windows = MeasuredFork.of(pair, side).windows
    rows = [{"start_ns": windows[k].start_ns + 10**9, "duration_ms": lasted} for k, lasted in spans]
    hiccups = pd.DataFrame(rows).assign(injector=0).astype(TABLES["hiccups"])
    forks = {each: replace(fork, tables={**fork.tables, "hiccups": hiccups}) for each, fork in pair.forks.items()}
    return replace(pair, forks=forks)


def _turns(pair: Pair) -> dict[Side, list[int]]:
    return {side: [window.index for window in pair.record.windows if window.side is side] for side in SIDES}


@pytest.mark.parametrize("side", SIDES)
def test_the_turn_goes_on_both_sides(make_pair, plan, side: Side) -> None:
    pair = make_pair(plan=plan(windows=8))
    (left,) = sift([_stalled(pair, {(side, 2): 85.0})]).taking_part
    # windows take turns: 0 and 1 are the first turn, 4 and 5 the third
    assert _turns(left) == {
        Side.BASELINE: [0, 2, 6, 8, 10, 12, 14],
        Side.CANDIDATE: [1, 3, 7, 9, 11, 13, 15],
    }


def test_the_stall_is_no_longer_in_p99_and_a_reader_is_told(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=10))
    sifted = sift([_stalled(pair, {(Side.CANDIDATE, 2): 85.0, (Side.BASELINE, 5): 30.0, (Side.CANDIDATE, 5): 12.0})])
    fork = MeasuredFork.of(sifted.taking_part[0], Side.CANDIDATE)
    assert fork.latencies[""].max() < 85
    assert len(fork.requests) == 8 * 400
    assert sifted.voided == {}
    assert warning_lines(sifted.remarks) == (
        "Pair 1: 2 of 10 rounds left out: the load generator stood still for up to 85 ms. "
        "A quieter machine has fewer such stalls.",
    )


def test_slow_requests_alone_change_nothing(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=8))
    slow = _stalled(pair, {(Side.CANDIDATE, 2): 85.0})
    arrivals = pair.forks[Side.CANDIDATE].tables["arrivals"]
    candidate = slow.forks[Side.CANDIDATE]
    on_time = replace(candidate, tables={**candidate.tables, "arrivals": arrivals})
    whole = replace(slow, forks={**slow.forks, Side.CANDIDATE: on_time})
    assert without_stalls(whole, SIDES) == (whole, Stalls())


def test_a_few_late_requests_and_a_lag_below_the_limit_are_tolerated(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=8))
    for late in (_stalled(pair, {(Side.BASELINE, 1): 85.0}, share=0.005), _stalled(pair, {(Side.BASELINE, 1): 9.0})):
        assert without_stalls(late, SIDES)[1] == Stalls()


def test_what_happens_in_more_than_a_fifth_of_the_turns_may_be_a_builds_doing(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=10))
    often = {(Side.CANDIDATE, number): 40.0 for number in (1, 4, 7)}
    assert without_stalls(_stalled(pair, often), SIDES)[1] == Stalls()
    seldom = {(Side.CANDIDATE, number): 40.0 for number in (1, 4)}
    remark = without_stalls(_stalled(pair, seldom), SIDES)[1].remark
    assert remark is not None
    assert str(remark.statement).startswith("2 of 10 rounds")


def test_a_recording_loses_its_own_window_alone(make_pair, plan) -> None:
    pair = make_pair(baseline=None, plan=plan(windows=8))
    sifted = sift([_stalled(pair, {(Side.CANDIDATE, 3): 85.0})], sides=(Side.CANDIDATE,))
    assert len(sifted.taking_part[0].record.windows) == 7
    assert warning_lines(sifted.remarks)[0].startswith("Fork 1: 1 of 8 rounds left out")


def test_without_the_kit_nothing_is_known_of_lags(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=8))
    forks = {
        side: replace(fork, tables={**fork.tables, "arrivals": fork.tables["arrivals"].iloc[:0]})
        for side, fork in pair.forks.items()
    }
    bare = replace(pair, forks=forks)
    assert without_stalls(bare, SIDES) == (bare, Stalls())


@pytest.mark.parametrize(("sides", "told"), [((Side.CANDIDATE, Side.CANDIDATE), True), (SIDES, False)])
def test_stalls_that_come_with_one_build_are_said_to(make_pair, plan, sides: tuple[Side, Side], *, told: bool) -> None:
    pairs = [
        _stalled(make_pair(number, plan=plan(windows=10)), {(sides[0], 2): 85.0, (sides[1], 5): 40.0})
        for number in (1, 2, 3)
    ]
    said = [remark for remark in warning_lines(sift(pairs).remarks) if "on the generator's core" in remark]
    assert bool(said) is told
    if told:
        assert said[0].startswith("The load generator stood still in 6 windows of the candidate and 0 of the baseline")


@pytest.mark.parametrize("side", SIDES)
def test_a_generator_that_woke_late_spoils_the_turn_although_it_sent_in_time(make_pair, plan, side: Side) -> None:
    pair = make_pair(plan=plan(windows=10))
    (window, *_) = pair.record.windows
    (left,) = sift([_still(pair, side, (2, 15.0 * window.seconds))]).taking_part
    assert _turns(left)[side] == [w for k, w in enumerate(_turns(pair)[side]) if k != 2]
    assert len(left.record.windows) == 18


def test_a_hiccup_too_short_to_decide_a_quantile_spoils_nothing(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=10))
    (window, *_) = pair.record.windows
    short = _still(pair, Side.CANDIDATE, (2, 9.0 * window.seconds))
    assert without_stalls(short, SIDES) == (short, Stalls())


def test_where_it_stands_still_all_the_time_only_late_turns_go(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=10))
    (window, *_) = pair.record.windows
    often = _still(pair, Side.BASELINE, *((k, 15.0 * window.seconds) for k in range(6)))
    left, stalls = without_stalls(_stalled(often, {(Side.CANDIDATE, 9): 85.0}), SIDES)
    assert len(left.record.windows) == 18
    assert stalls.on == {Side.BASELINE: 0, Side.CANDIDATE: 1}


def test_a_generator_that_mostly_measures_itself_voids_the_pair(make_pair, plan) -> None:
    pair = make_pair(plan=plan(windows=10))
    (window, *_) = pair.record.windows
    sifted = sift([_still(pair, Side.BASELINE, *((k, 150.0 * window.seconds) for k in range(10)))])
    assert sifted.taking_part == ()
    assert sifted.voided == {1: "the load generator stood still for 15% of the windows of the baseline"}
