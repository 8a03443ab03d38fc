"""Which pairs take part."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.validity.pairs import sift, work_beside
from pacecar.model.caution import CautionKind
from pacecar.model.clock import ClockOffset
from pacecar.model.experiment import Side
from pacecar.model.recording import InjectorRecord, Pair
from pacecar.model.tables import TABLES, empty_table
from pacecar.reporting.document.warning_lines import warning_lines


def _without_requests(pair: Pair, *sides: Side, share: float) -> Pair:
    """The pair with that share of the requests of `sides` gone, their arrivals still there."""
    forks = dict(pair.forks)
    for side in sides:
        tables = dict(forks[side].tables)
        tables["requests"] = tables["requests"].sample(frac=1 - share, random_state=1)
        forks[side] = replace(forks[side], tables=tables)
    return replace(pair, forks=forks)


def test_sound_pairs_take_part(make_pairs) -> None:
    sifted = sift(make_pairs(3))
    assert len(sifted.taking_part) == 3
    assert (sifted.voided, sifted.remarks) == ({}, ())


def test_a_missing_side(make_pair) -> None:
    assert sift([make_pair(7, candidate=None)]).voided == {7: "the candidate was not measured"}


def test_a_dead_fork(make_pair, truth) -> None:
    pair = make_pair(2, candidate=truth(died="killed by signal 9"))
    assert sift([pair]).voided == {2: "the candidate died: killed by signal 9"}


def test_a_lost_injector(make_pair) -> None:
    pair = make_pair(2)
    injectors = (InjectorRecord(number=0), InjectorRecord(number=1, lost="Injector 2 of 2 was killed by SIGKILL."))
    sifted = sift([replace(pair, record=replace(pair.record, injectors=injectors))])
    assert sifted.voided == {2: "Injector 2 of 2 was killed by SIGKILL"}


def test_a_fork_that_was_taken_away_is_no_death(make_pair) -> None:
    pair = make_pair(2)
    taken = replace(
        pair.forks[Side.CANDIDATE].record, lost="The candidate of orders was taken away (Evicted: drained)."
    )
    forks = {**pair.forks, Side.CANDIDATE: replace(pair.forks[Side.CANDIDATE], record=taken)}
    records = {**pair.record.forks, Side.CANDIDATE: taken}
    sifted = sift([Pair(record=replace(pair.record, forks=records), forks=forks)])
    assert sifted.voided == {2: "The candidate of orders was taken away (Evicted: drained)"}
    (caution,) = sifted.left_out.values()
    assert caution.kind is CautionKind.TAKEN_AWAY


@pytest.mark.parametrize(
    ("before_ms", "after_ms", "voided", "noted"),
    [
        (0, 4, False, False),
        (-12, 3, False, True),
        (250, 251, False, True),
        (1, -249, True, False),
        (27, 0, True, False),
    ],
)
def test_clocks_of_two_machines(make_pair, before_ms: int, after_ms: int, voided: bool, noted: bool) -> None:
    pair = make_pair(2)
    clock = ClockOffset(before_ns=before_ms * 10**6, after_ns=after_ms * 10**6, bound_ns=2 * 10**6)
    apart = replace(pair.forks[Side.BASELINE].record, node="worker-1", clock=clock)
    sifted = sift(
        [replace(pair, forks={**pair.forks, Side.BASELINE: replace(pair.forks[Side.BASELINE], record=apart)})]
    )
    jumped = f"the clock of the baseline's node jumped by {abs(after_ms - before_ms)} ms while it was measured"
    assert sifted.voided == ({2: jumped} if voided else {})
    assert bool([each for each in sifted.remarks if each.kind is CautionKind.CLOCKS]) is noted


@pytest.mark.parametrize(("after_ms", "much"), [(24, None), (26, "26 ms"), (-3_600_000, "1 h 00 min"), (1_500, "2 s")])
def test_a_clock_that_was_set_on_the_machine_that_both_are_on(make_pair, after_ms: int, much: str | None) -> None:
    pair = make_pair(2)
    clock = ClockOffset(before_ns=0, after_ns=after_ms * 10**6, bound_ns=10)
    forks = {side: replace(fork, record=replace(fork.record, clock=clock)) for side, fork in pair.forks.items()}
    sifted = sift([replace(pair, forks=forks)])
    expected = f"this machine's clock was set by {much} while the baseline was measured"
    assert sifted.voided == ({2: expected} if much else {})
    assert not [each for each in sifted.remarks if each.kind is CautionKind.CLOCKS]


def test_missing_windows(make_pair) -> None:
    pair = make_pair()
    windows = tuple(window for window in pair.record.windows if window.side is Side.CANDIDATE)
    cut = replace(pair, record=replace(pair.record, windows=windows))
    assert sift([cut]).voided == {1: "no window of the baseline was measured"}


def test_no_requests(make_pair) -> None:
    cut = _without_requests(make_pair(), Side.BASELINE, share=1.0)
    assert sift([cut]).voided == {1: "no request to the baseline was recorded"}


@pytest.mark.parametrize(("lag_ms", "voided"), [(40.0, False), (80.0, True)])
def test_a_late_generator(make_pair, truth, lag_ms: float, voided: bool) -> None:
    found = sift([make_pair(baseline=truth(lag_ms=lag_ms))]).voided
    assert bool(found) is voided
    assert not voided or "the load generator sent requests to the baseline late" in found[1]


@pytest.mark.parametrize(("steal", "voided"), [(0.5, False), (2.5, True)])
def test_stolen_cpu(make_pair, truth, steal: float, voided: bool) -> None:
    found = sift([make_pair(candidate=truth(steal=steal))]).voided
    assert bool(found) is voided
    assert not voided or "20% of the CPU" in found[1]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"foreign_s": 3.0}, "other processes used 30% of the CPU during windows of the candidate"),
        ({"generator_s": 4.9}, "the load generator was busy for 98% of the windows of the candidate"),
        ({"generator_pause_ms": 500.0}, "the load generator collected garbage for 10% of the windows of the candidate"),
    ],
)
def test_disturbances_from_outside_the_builds(make_pair, truth, made: dict[str, float], said: str) -> None:
    assert sift([make_pair(candidate=truth(**made))]).voided == {1: said}


def _with_peers(pair: Pair, side: Side, *, seconds: float, after: str = "start") -> Pair:
    """The pair, its `side` connected to a database that used so many seconds of CPU time in each of its windows.

    `after` the process was there: at the `start` of windows already, only since their start (`came`), or it was another
    process by their end (`gone`).
    """
    rows = []
    for place, window in enumerate(each for each in pair.record.windows if each.side is side):
        used = [1e9 * (100 + seconds * (place + step)) for step in (0, 1)] if after == "start" else [0, 1e9 * seconds]
        for edge, cpu_ns, moment in zip(("start", "end"), used, (window.start_ns, window.end_ns), strict=True):
            if edge == "end" or after != "came":
                started = {"came": window.start_ns + 1, "gone": -1 - (edge == "end")}.get(after, -1)
                row = {"window": window.index, "edge": edge, "time_ns": moment, "process": 7, "name": "postgres"}
                rows.append(row | {"started_ns": started, "cpu_ns": cpu_ns})
    fork = pair.forks[side]
    peers = pd.DataFrame(rows).astype(TABLES["peers"])
    return replace(pair, forks={**pair.forks, side: replace(fork, tables=fork.tables | {"peers": peers})})


@pytest.mark.parametrize("after", ["start", "came"])
def test_what_a_service_is_connected_to_works_for_it(make_pair, truth, after: str) -> None:
    pair = make_pair(candidate=truth(foreign_s=3.0))
    sifted = sift([_with_peers(pair, Side.CANDIDATE, seconds=2.9, after=after)])
    assert sifted.voided == {}
    (remark,) = sifted.remarks
    assert remark.kind is CautionKind.CPU_OF_CONNECTED
    assert str(remark.statement) == (
        "processes that the candidate is connected to used 29% of the CPU during its windows (postgres most of it), "
        "which counts as its own work"
    )


def test_what_else_others_took_is_foreign_all_the_same(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(foreign_s=5.0))
    voided = sift([_with_peers(pair, Side.CANDIDATE, seconds=1.0)]).voided
    assert "other processes used 40% of the CPU" in voided[1]
    assert sift([_with_peers(pair, Side.BASELINE, seconds=4.9)]).voided[1].startswith("other processes used 50%")


def test_a_process_that_is_another_by_the_end_of_the_window_counts_for_nothing(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(foreign_s=3.0))
    assert sift([_with_peers(pair, Side.CANDIDATE, seconds=2.9, after="gone")]).voided


def _beside(pair: Pair, side: Side, *, seconds: float, aside: float = 0.0) -> Pair:
    """The pair, its `side` with a store of its own that used so many seconds of CPU time in each of its windows, and so
    many between any two of them.
    """
    rows, used = [], 7.0
    for window in (each for each in pair.record.windows if each.side is side):
        for edge, moment in (("start", window.start_ns), ("end", window.end_ns)):
            used += seconds if edge == "end" else aside
            row = {"window": window.index, "edge": edge, "time_ns": moment, "name": "store", "cpu_ns": int(1e9 * used)}
            rows.append(row)
    table = pd.DataFrame(rows).astype(TABLES["dependencies"])
    fork = pair.forks[side]
    return replace(pair, forks={**pair.forks, side: replace(fork, tables=fork.tables | {"dependencies": table})})


def test_what_was_started_for_a_service_is_neither_foreign_nor_its_own(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(foreign_s=3.0))
    assert sift([pair]).voided
    sifted = sift([_beside(pair, Side.CANDIDATE, seconds=2.9)])
    assert (sifted.voided, sifted.remarks) == ({}, ())
    (taking_part,) = sifted.taking_part
    fork, plain = (MeasuredFork.of(each, Side.CANDIDATE) for each in (taking_part, pair))
    assert fork.dependencies_s == pytest.approx({"store": 2.9 * len(fork.windows)})
    assert fork.own_cpu_ns.sum() == plain.own_cpu_ns.sum()


def test_what_was_started_for_the_side_that_is_not_under_load_is_not_foreign_either(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(foreign_s=3.0))
    assert "other processes" in sift([_beside(pair, Side.BASELINE, seconds=2.9)]).voided[1]
    assert sift([_beside(pair, Side.BASELINE, seconds=0.1, aside=2.9)]).voided == {}


def test_a_store_that_keeps_its_cores_busy_is_what_the_service_waits_for(make_pair) -> None:
    pair = make_pair()
    seconds = pair.record.windows[0].seconds
    assert sift([_beside(pair, Side.BASELINE, seconds=0.69 * seconds)]).remarks == ()
    slow = _beside(pair, Side.BASELINE, seconds=0.8 * seconds)
    (line,) = warning_lines(sift([slow]).remarks)
    assert line == (
        "Pair 1: dependencies of the baseline share the load generator's cores and kept them busy for 80% of its "
        "windows (store most of it), so its latency is mostly waiting for them. Lower the rate, or use a machine with "
        "more cores."
    )
    unpinned = replace(slow, record=replace(slow.record, generator_cpus=()))
    assert sift([unpinned]).remarks == ()


def test_a_store_that_has_lost_a_process_counts_from_what_is_left(make_pair) -> None:
    pair = _beside(make_pair(), Side.CANDIDATE, seconds=-1.0)
    assert MeasuredFork.of(pair, Side.CANDIDATE).dependencies_s == {"store": 0.0}
    assert MeasuredFork.of(pair, Side.BASELINE).dependencies_s == {}


def test_a_generator_without_cores_of_its_own_may_use_more_than_one(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(generator_s=4.9))
    unpinned = replace(pair, record=replace(pair.record, generator_cpus=()))
    assert sift([unpinned]).voided == {}


def test_what_a_generator_without_the_kit_used_is_not_known(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(foreign_s=3.0, generator_pause_ms=500.0))
    forks = {
        side: replace(fork, tables=fork.tables | {"arrivals": empty_table("arrivals")})
        for side, fork in pair.forks.items()
    }
    assert sift([replace(pair, forks=forks)]).voided == {}


def test_a_fork_that_was_not_steady_is_reported_and_stays(make_pair, truth) -> None:
    sifted = sift([make_pair(candidate=truth(unsettled="compilers still took 30% of its CPU time"))])
    assert len(sifted.taking_part) == 1
    assert warning_lines(sifted.remarks) == (
        "Pair 1: the candidate was not steady yet when it was measured: compilers still took 30% of its CPU time. "
        "Warm up longer: plan.warmup.",
    )


def test_forks_that_were_both_not_steady_are_one_line(make_pair, truth) -> None:
    compiles, falls = "compilers still took 30% of its CPU time", "CPU per request still fell by 13% in 10 s"
    pairs = [
        make_pair(number, baseline=truth(unsettled=compiles), candidate=truth(unsettled=falls)) for number in (1, 2)
    ]
    assert warning_lines(sift(pairs).remarks) == (
        "Pairs 1 and 2: neither build was steady yet when it was measured. Warm up longer: plan.warmup.",
    )


def test_load_that_reached_neither_side_voids(make_pair) -> None:
    found = sift([_without_requests(make_pair(), *Side, share=0.3)]).voided
    assert "did not deliver the load" in found[1]


def test_a_build_that_cannot_keep_up_is_a_result_and_stays(make_pair) -> None:
    sifted = sift([_without_requests(make_pair(), Side.CANDIDATE, share=0.3)])
    assert len(sifted.taking_part) == 1
    (line,) = warning_lines(sifted.remarks)
    assert "1,120 requests were recorded, but 1,600 arrivals were planned for the candidate" in line


def test_a_candidate_that_works_off_its_backlog_in_the_other_sides_windows_is_a_result(make_pair, truth) -> None:
    sifted = sift([make_pair(baseline=truth(foreign_s=3.0), candidate=truth(backlog_s=3.0))])
    assert sifted.voided == {}
    assert warning_lines(sifted.remarks) == (
        "Pair 1: the candidate was busy for 43% of the other side's windows and slowed them: it did not keep up with "
        "the load, or works in the background. Lower the rate, or make plan.gap longer.",
    )


def _in_turns(pair: Pair) -> Pair:
    """The pair as if one side had been measured after the other."""
    one_after_the_other = sorted(pair.record.windows, key=lambda window: list(Side).index(window.side))
    number = {window.index: place for place, window in enumerate(one_after_the_other)}
    windows = tuple(replace(window, index=number[window.index]) for window in one_after_the_other)
    forks = {
        side: replace(
            fork,
            tables={
                name: rows.assign(window=rows["window"].map(number)) if "window" in rows else rows
                for name, rows in fork.tables.items()
            },
        )
        for side, fork in pair.forks.items()
    }
    return replace(pair, record=replace(pair.record, windows=windows), forks=forks)


def test_what_a_side_does_between_windows_of_its_own_is_no_backlog(make_pair, truth) -> None:
    pair = make_pair(baseline=truth(foreign_s=3.0), candidate=truth(backlog_s=3.0))
    assert sift([_in_turns(pair)]).voided == {1: "other processes used 30% of the CPU during windows of the baseline"}


def test_once_the_sides_took_turns_what_one_did_beside_the_other_is_left_out(make_pair, truth) -> None:
    beside = make_pair(number=1, baseline=truth(foreign_s=3.0), candidate=truth(backlog_s=3.0))
    alone = _in_turns(make_pair(number=2))
    assert (beside.record.in_turns, alone.record.in_turns) == (False, True)
    why = "the candidate was busy for 43% of the other side's windows"
    assert work_beside([beside]) == why
    assert work_beside([alone, make_pair(number=3)]) is None
    sifted = sift([beside, alone])
    assert sifted.voided == {1: why}
    assert [pair.record.number for pair in sifted.taking_part] == [2]


def test_a_backlog_explains_no_more_than_it_took(make_pair, truth) -> None:
    pair = make_pair(baseline=truth(foreign_s=5.0), candidate=truth(backlog_s=1.0))
    assert "other processes used" in sift([pair]).voided[1]


def test_a_recording_needs_its_own_side_only(make_pair) -> None:
    assert sift([make_pair(baseline=None)], sides=(Side.CANDIDATE,)).voided == {}
