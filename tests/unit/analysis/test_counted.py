"""The quick tier: what blocks of one endpoint say, and what the judge makes of it."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from pacecar.analysis.metrics.counted import in_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Missing, Value
from pacecar.analysis.paired import compare_pairs
from pacecar.model.caution import CautionKind
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from support.quick_pairs import (
    CRITERIA,
    LIST,
    READ,
    REQUESTS,
    ROUNDS,
    Build,
    amount_of,
    compared,
    pair_of,
    read_of,
    verdicts,
)


def test_a_window_with_a_large_number_takes_no_more_memory_than_another() -> None:
    fork = MeasuredFork.of(pair_of(1, Build(), Build(), scatter=0.0, seed=3), Side.CANDIDATE)
    first, *others = fork.windows
    renumbered = replace(fork, windows=(replace(first, index=2**31 - 1), *others))
    tracemalloc.start()
    try:
        asked, (_, peak) = renumbered.asked, tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64 << 20
    assert asked.to_dict() == {**dict.fromkeys((window.index for window in others), REQUESTS), 2**31 - 1: 0}


def test_what_an_endpoint_costs_is_the_least_of_its_blocks() -> None:
    fork = MeasuredFork.of(pair_of(1, Build(), Build(), scatter=0.0, seed=3), Side.CANDIDATE)
    of_list, of_read = (read_of(fork, "allocation", endpoint) for endpoint in (LIST, READ))
    assert amount_of(of_list) == (pytest.approx(500_000), REQUESTS * ROUNDS)
    assert amount_of(of_read) == (pytest.approx(40_000), REQUESTS * ROUNDS)
    # The total does not know: a class was loaded in some block.
    assert fork.growth("allocated_bytes").sum() > 1.01 * REQUESTS * ROUNDS * 540_000


def test_a_block_in_which_a_thread_ended_may_have_lost_some_of_it() -> None:
    pair = pair_of(1, Build(), Build(), scatter=0.0)
    data = pair.forks[Side.CANDIDATE]
    second = data.tables["counters"]["window"].unique()[1]
    later = data.tables["counters"]["window"] > second
    end = (data.tables["counters"]["window"] == second) & (data.tables["counters"]["edge"] == "end")
    lost = data.tables["counters"]["allocated_bytes"] - 50_000.0 * (end | later)
    counters = data.tables["counters"].assign(allocated_bytes=lost, threads_ended=1.0 * (end | later))
    data = replace(data, tables=data.tables | {"counters": counters})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert amount_of(read_of(fork, "allocation", READ)) == (pytest.approx(40_000), REQUESTS * (ROUNDS - 1))


def test_the_service_as_a_whole_is_asked_as_users_ask_it() -> None:
    fork = MeasuredFork.of(pair_of(1, Build(), Build(), scatter=0.0), Side.CANDIDATE)
    assert amount_of(read_of(fork, "allocation")) == (pytest.approx(385_000), 2 * REQUESTS * ROUNDS)
    assert amount_of(read_of(fork, "connections.taken")) == (pytest.approx(1.75), 2 * REQUESTS * ROUNDS)
    unknown = in_mix(fork, {"of another simulation": 1.0})
    assert unknown.mix == {LIST: 0.5, READ: 0.5}


def test_counters_of_the_page_count_for_the_endpoint_that_was_asked() -> None:
    fork = MeasuredFork.of(pair_of(1, Build(), Build()), Side.CANDIDATE)
    assert [read_of(fork, "connections.taken", endpoint) for endpoint in (LIST, READ)] == [
        Value(amount=2.0, requests=REQUESTS * ROUNDS),
        Value(amount=1.0, requests=REQUESTS * ROUNDS),
    ]
    missing = read_of(fork, "statements", LIST)
    assert isinstance(missing, Missing)
    assert missing.absent


def test_a_block_whose_page_did_not_come_is_left_out() -> None:
    pair = pair_of(1, Build(), Build())
    data = pair.forks[Side.CANDIDATE]
    first = data.tables["scrapes"]["window"].iloc[0]
    late = data.tables["scrapes"].assign(
        error=lambda rows: np.where((rows["window"] == first) & (rows["edge"] == "end"), "too late", "")
    )
    lost = data.tables["series"].query("window != @first or edge != 'end'")
    data = replace(data, tables=data.tables | {"scrapes": late, "series": lost})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert read_of(fork, "connections.taken", LIST) == Value(amount=2.0, requests=REQUESTS * (ROUNDS - 1))


def test_a_counter_that_stands_still_is_no_evidence() -> None:
    still = Build(bytes={LIST: 0.0, READ: 0.0})
    pair = pair_of(1, still, still, seed=5)
    data = pair.forks[Side.CANDIDATE]
    stopped = data.tables["counters"].assign(allocated_bytes=7.0)
    data = replace(data, tables=data.tables | {"counters": stopped})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert read_of(fork, "allocation", LIST) == Missing(
        reason="it was zero, which is impossible: its counter does not work"
    )


@pytest.mark.parametrize("seed", range(8))
def test_builds_alike_pass_and_it_is_said_what_was_not_looked_at(seed: int) -> None:
    comparison = compared(Build(), seed=seed)
    assert comparison.verdict is Verdict.PASSED
    assert comparison.reason.startswith("Ruled out: ")
    assert comparison.reason.endswith("Latency was not looked at.")
    assert not [each for each in comparison.judgements if "latency" in each.metric.name or each.metric.name == "cpu"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("candidate", "found"),
    [
        (Build(taken={LIST: 2.0, READ: 2.0}), ("connections.taken", READ)),
        (Build(taken={LIST: 2.2, READ: 1.0}), ("connections.taken", LIST)),
        (Build(bytes={LIST: 500_000, READ: 41_200}), ("allocation", READ)),
        (Build(writes=5.0), ("io.writes", "")),
        (Build(threads=46.0), ("threads", "")),
        (Build(artifact=36_000_000), ("artifact.size", "")),
    ],
    ids=["statement more", "statement more in five", "allocation of one", "call more", "threads", "artifact"],
)
def test_what_costs_more_is_found_where_it_is(candidate: Build, found: tuple[str, str], seed: int) -> None:
    comparison = compared(candidate, seed=seed)
    regressed = {each.metric.key for each in comparison.judgements if each.verdict is Verdict.REGRESSED}
    assert comparison.verdict is Verdict.REGRESSED
    assert found in regressed
    assert {endpoint for name, endpoint in regressed if name == found[0]} <= {"", found[1]} or found[1] == ""
    assert comparison.cautions[0].kind is CautionKind.NO_LATENCY


def test_the_quick_tier_says_which_tier_profiles() -> None:
    comparison = compared(Build(bytes={LIST: 500_000, READ: 41_200}))
    (kind,) = comparison.findings[0].not_looked
    assert (kind.name, kind.lacks) == ("hot-frame", "an allocation profile, which the full tier takes")


def test_less_is_an_improvement() -> None:
    comparison = compared(Build(bytes={LIST: 450_000, READ: 40_000}))
    assert comparison.verdict is Verdict.IMPROVED
    assert verdicts(comparison, "allocation")[LIST] is Verdict.IMPROVED


def test_one_collection_more_is_where_the_last_one_fell() -> None:
    assert verdicts(compared(Build(collections=6)), "gc.count")[""] is not Verdict.REGRESSED
    assert compared(Build(collections=6)).verdict is Verdict.PASSED


def test_an_endpoint_that_answers_differently_each_time_is_not_called_changed() -> None:
    for seed in range(10):
        comparison = compared(Build(), scatter=0.3, seed=seed)
        assert comparison.verdict is not Verdict.REGRESSED


def test_a_candidate_that_dies_or_fails_is_found() -> None:
    assert verdicts(compared(Build(failing=0.3)), "errors")[""] is Verdict.REGRESSED
    died = compared(Build(died="It ended with status 1."))
    assert died.verdict is not Verdict.PASSED
    assert CautionKind.NO_LATENCY in {each.kind for each in died.cautions}


def test_sides_that_were_not_asked_the_same_are_not_compared() -> None:
    pair = pair_of(1, Build(), Build())
    windows = tuple(each for each in pair.record.windows if each.index != 1)
    short = replace(pair, record=replace(pair.record, windows=windows))
    comparison = compare_pairs([short], CRITERIA)
    assert comparison.verdict is Verdict.INVALID
    assert "did not get the same blocks" in comparison.reason
