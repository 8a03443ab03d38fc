"""The quick tier: what blocks of one endpoint say, and what the judge makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.counted import counted, in_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.paired import compare_pairs
from pacecar.model.calls import CallKind
from pacecar.model.causes import Cause, Strength
from pacecar.model.caution import CautionKind
from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord, Window
from pacecar.model.tables import TABLES, empty_table
from pacecar.model.tiers import Tier

SECOND = 1_000_000_000
LIST, READ = "GET /orders", "GET /orders/{id}"
WEIGHTS = {LIST: 3.0, READ: 1.0}
REQUESTS, ROUNDS = 20, 5
TAKEN = "hikaricp_connections_usage_seconds_count"
STATED = "jdbc_query_seconds_count"
#: Of a driver that the agent does not know.
COMMANDED = "mongodb_driver_commands_seconds_count"
PAGE, FIND, TOTALS = "shop.OrderController.page", "shop.Customers.find", "shop.Overviews.totals"


@dataclass(frozen=True, kw_only=True)
class Build:
    """What a request to each endpoint costs, and what else there is of it.

    Of `callers` the agent counted the statements of each; where there are none, it counted none. `statements` are those
    that a counter of the page tells of, `commands` those of another driver.
    """

    bytes: Mapping[str, float] = field(default_factory=lambda: {LIST: 500_000.0, READ: 40_000.0})
    taken: Mapping[str, float] = field(default_factory=lambda: {LIST: 2.0, READ: 1.0})
    callers: Mapping[str, Mapping[str, int]] | None = None
    batched: int = 0
    statements: Mapping[str, float] | None = None
    commands: float | None = None
    writes: float = 4.0
    collections: int = 5
    threads: float = 36.0
    ready_s: float = 8.0
    artifact: int = 32_000_000
    failing: float = 0.0
    died: str | None = None


def _calls(build: Build, window: Window) -> list[dict[str, object]]:
    if build.callers is None:
        return []
    counted = build.callers.get(str(window.endpoint), {})
    rows: list[tuple[str, str, int]] = [(kind.value, "", 0) for kind in CallKind]
    rows += [("statements", caller, REQUESTS * count) for caller, count in counted.items()]
    rows += [("batched", PAGE, REQUESTS * build.batched)] if build.batched else []
    return [{"window": window.index, "kind": kind, "caller": who, "count": count} for kind, who, count in rows]


def _fork(side: Side, build: Build, windows: list[Window], *, scatter: float, random: np.random.Generator) -> ForkData:
    tables = {name: empty_table(name) for name in TABLES}
    requests, counters, scrapes, series = [], [], [], []
    calls: list[dict[str, object]] = []
    stated = commanded = 0.0
    total = dict.fromkeys(("allocated_bytes", "taken", "writes"), 0.0)
    for place, window in enumerate(windows):
        endpoint = str(window.endpoint)
        for edge, moment in (("start", window.start_ns), ("end", window.end_ns)):
            if edge == "end":
                # A class is loaded now and then, whichever block it falls into.
                loaded = 3e6 if random.random() < 0.1 else 0.0
                cost = build.bytes[endpoint] * float(np.exp(random.normal(0.0, scatter)))
                total["allocated_bytes"] += REQUESTS * cost + loaded
                total["taken"] += REQUESTS * build.taken[endpoint]
                total["writes"] += REQUESTS * build.writes
                calls += _calls(build, window)
                stated += REQUESTS * (build.statements or {}).get(endpoint, 0.0)
                commanded += REQUESTS * (build.commands or 0.0)
            counters.append(
                dict.fromkeys(TABLES["counters"], 0.0)
                | {"window": window.index, "edge": edge, "time_ns": moment}
                | {"allocated_bytes": total["allocated_bytes"], "writes": total["writes"], "reads": total["writes"]}
                | {"read_bytes": 100 * total["writes"], "written_bytes": 300 * total["writes"]}
                | {"gc_count": float(build.collections * (place + (edge == "end")) // len(windows))}
                | {"threads": build.threads, "classes": 10_900.0}
            )
            page = {"window": window.index, "edge": edge, "time_ns": moment}
            scrapes.append(page | {"duration_ms": 9.0, "page_bytes": 110_000, "series": 748, "error": ""})
            told = {TAKEN: total["taken"]} | ({} if build.statements is None else {STATED: stated})
            told |= {} if build.commands is None else {COMMANDED: commanded}
            series += [
                {"window": window.index, "edge": edge, "name": name, "labels": "", "value": value}
                for name, value in told.items()
            ]
        requests += [
            {
                "window": window.index,
                "endpoint": endpoint,
                "start_ns": window.start_ns + number,
                "latency_ms": 4.0,
                "ok": bool(random.random() >= build.failing),
                "message": "",
            }
            for number in range(REQUESTS)
        ]
    made = {"requests": requests, "counters": counters, "scrapes": scrapes, "series": series, "calls": calls}
    tables |= {name: pd.DataFrame(rows).astype(TABLES[name]) for name, rows in made.items() if rows}
    record = ForkRecord(
        side=side,
        command=("java",),
        ready_s=build.ready_s * float(np.exp(random.normal(0.0, 0.02))),
        first_answer_s=0.4,
        artifact_bytes=build.artifact,
        died=build.died,
    )
    return ForkData(record=record, tables=tables)


def _pair(
    number: int, baseline: Build, candidate: Build, *, seed: int = 1, scatter: float = 2e-4, rounds: int = ROUNDS
) -> Pair:
    """Five rounds over two endpoints, there and back, sent to both sides at once."""
    windows = []
    for block in range(2 * rounds):
        endpoint = (LIST, READ)[(block + block // 2) % 2]
        start_ns = (number * 100 + block) * SECOND
        for place, side in enumerate((Side.BASELINE, Side.CANDIDATE)):
            index = 2 * block + place
            windows.append(
                Window(index=index, side=side, start_ns=start_ns, end_ns=start_ns + SECOND // 2, endpoint=endpoint)
            )
    builds = {Side.BASELINE: baseline, Side.CANDIDATE: candidate}
    forks = {
        side: _fork(
            side,
            build,
            [window for window in windows if window.side is side],
            scatter=scatter,
            random=np.random.default_rng([seed, number, place]),
        )
        for place, (side, build) in enumerate(builds.items())
    }
    records = {side: fork.record for side, fork in forks.items()}
    record = PairRecord(number=number, first=Side.BASELINE, windows=tuple(windows), forks=records)
    return Pair(record=record, forks=forks)


CRITERIA = Criteria(tier=Tier.QUICK, weights=WEIGHTS, comparisons=2)


def _compared(candidate: Build, *, baseline: Build = Build(), seed: int = 1, scatter: float = 2e-4) -> Comparison:
    pairs = [_pair(number, baseline, candidate, seed=seed, scatter=scatter) for number in (1, 2, 3)]
    return compare_pairs(pairs, CRITERIA)


def _read(fork: MeasuredFork, name: str, endpoint: str = "") -> Reading:
    found = counted(in_mix(fork, WEIGHTS), [LIST, READ])
    return next(reading for metric, reading in found.items() if metric.key == (name, endpoint))


def _verdicts(comparison: Comparison, name: str) -> dict[str, Verdict]:
    return {each.metric.endpoint: each.verdict for each in comparison.judgements if each.metric.name == name}


def _amount(reading: Reading) -> tuple[float, int]:
    assert isinstance(reading, Value)
    return reading.amount, reading.requests


def test_what_an_endpoint_costs_is_the_least_of_its_blocks() -> None:
    fork = MeasuredFork.of(_pair(1, Build(), Build(), scatter=0.0, seed=3), Side.CANDIDATE)
    of_list, of_read = (_read(fork, "allocation", endpoint) for endpoint in (LIST, READ))
    assert _amount(of_list) == (pytest.approx(500_000), REQUESTS * ROUNDS)
    assert _amount(of_read) == (pytest.approx(40_000), REQUESTS * ROUNDS)
    # The total does not know: a class was loaded in some block.
    assert fork.growth("allocated_bytes").sum() > 1.01 * REQUESTS * ROUNDS * 540_000


def test_a_block_in_which_a_thread_ended_may_have_lost_some_of_it() -> None:
    pair = _pair(1, Build(), Build(), scatter=0.0)
    data = pair.forks[Side.CANDIDATE]
    second = data.tables["counters"]["window"].unique()[1]
    later = data.tables["counters"]["window"] > second
    end = (data.tables["counters"]["window"] == second) & (data.tables["counters"]["edge"] == "end")
    lost = data.tables["counters"]["allocated_bytes"] - 50_000.0 * (end | later)
    counters = data.tables["counters"].assign(allocated_bytes=lost, threads_ended=1.0 * (end | later))
    data = replace(data, tables=data.tables | {"counters": counters})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert _amount(_read(fork, "allocation", READ)) == (pytest.approx(40_000), REQUESTS * (ROUNDS - 1))


def test_the_service_as_a_whole_is_asked_as_users_ask_it() -> None:
    fork = MeasuredFork.of(_pair(1, Build(), Build(), scatter=0.0), Side.CANDIDATE)
    assert _amount(_read(fork, "allocation")) == (pytest.approx(385_000), 2 * REQUESTS * ROUNDS)
    assert _amount(_read(fork, "connections.taken")) == (pytest.approx(1.75), 2 * REQUESTS * ROUNDS)
    unknown = in_mix(fork, {"of another simulation": 1.0})
    assert unknown.mix == {LIST: 0.5, READ: 0.5}


def test_counters_of_the_page_count_for_the_endpoint_that_was_asked() -> None:
    fork = MeasuredFork.of(_pair(1, Build(), Build()), Side.CANDIDATE)
    assert [_read(fork, "connections.taken", endpoint) for endpoint in (LIST, READ)] == [
        Value(amount=2.0, requests=REQUESTS * ROUNDS),
        Value(amount=1.0, requests=REQUESTS * ROUNDS),
    ]
    missing = _read(fork, "statements", LIST)
    assert isinstance(missing, Missing)
    assert missing.absent


def test_a_block_whose_page_did_not_come_is_left_out() -> None:
    pair = _pair(1, Build(), Build())
    data = pair.forks[Side.CANDIDATE]
    first = data.tables["scrapes"]["window"].iloc[0]
    late = data.tables["scrapes"].assign(
        error=lambda rows: np.where((rows["window"] == first) & (rows["edge"] == "end"), "too late", "")
    )
    lost = data.tables["series"].query("window != @first or edge != 'end'")
    data = replace(data, tables=data.tables | {"scrapes": late, "series": lost})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert _read(fork, "connections.taken", LIST) == Value(amount=2.0, requests=REQUESTS * (ROUNDS - 1))


LISTED: Mapping[str, Mapping[str, int]] = {LIST: {PAGE: 1, TOTALS: 1}, READ: {PAGE: 1}}
ASKED_FOR_EACH: Mapping[str, Mapping[str, int]] = {LIST: {PAGE: 1, FIND: 50, TOTALS: 50}, READ: {PAGE: 1}}


def test_what_the_agent_counted_comes_before_what_the_page_says() -> None:
    both = Build(callers=LISTED, statements={LIST: 12.0, READ: 12.0})
    fork = MeasuredFork.of(_pair(1, both, both), Side.CANDIDATE)
    assert [_amount(_read(fork, "statements", endpoint))[0] for endpoint in (LIST, READ)] == [2.0, 1.0]
    assert _amount(_read(fork, "statements"))[0] == 1.75


def test_what_the_agent_cannot_see_is_added_from_the_page() -> None:
    both = Build(callers=LISTED, statements={LIST: 12.0, READ: 12.0}, commands=5.0)
    fork = MeasuredFork.of(_pair(1, both, both), Side.CANDIDATE)
    assert [_amount(_read(fork, "statements", endpoint))[0] for endpoint in (LIST, READ)] == [7.0, 6.0]


def _estimate(comparison: Comparison, name: str, endpoint: str) -> tuple[float, float] | None:
    estimate = next((each.estimate for each in comparison.judgements if each.metric.key == (name, endpoint)), None)
    return None if estimate is None else (estimate.baseline, estimate.candidate)


def test_statements_that_only_the_page_knows_are_its() -> None:
    unseen = Build(callers={}, statements={LIST: 12.0, READ: 3.0})
    comparison = _compared(unseen, baseline=unseen)
    assert _estimate(comparison, "statements", LIST) == (12.0, 12.0)
    assert _estimate(comparison, "calls", LIST) is None  # nobody saw any


def test_calls_that_are_new_are_counted_from_nothing() -> None:
    comparison = _compared(Build(callers=LISTED), baseline=Build(callers={}))
    assert _estimate(comparison, "statements", LIST) == (0.0, 2.0)
    assert _verdicts(comparison, "statements")[LIST] is Verdict.REGRESSED


def test_a_batch_goes_out_once_and_what_it_held_stands_beside_it() -> None:
    alike, more = Build(callers=LISTED, batched=1), Build(callers=LISTED, batched=7)
    comparison = _compared(more, baseline=alike)
    assert comparison.verdict is Verdict.PASSED
    judged = {each.metric.key: each for each in comparison.judgements}
    assert judged["statements", LIST].verdict is Verdict.PASSED
    batched = judged["statements.batched", LIST].estimate
    assert batched is not None
    assert (batched.baseline, batched.candidate) == (1.0, 7.0)
    assert _estimate(_compared(Build(callers=LISTED), baseline=alike), "statements.batched", LIST) == (1.0, 0.0)
    without = Build(callers=LISTED)
    assert _estimate(_compared(without, baseline=without), "statements.batched", LIST) is None


def _causes(comparison: Comparison, name: str, endpoint: str) -> tuple[Cause, ...]:
    return next(each.causes for each in comparison.findings if each.judgement.metric.key == (name, endpoint))


def test_more_statements_are_blamed_on_the_methods_that_make_them() -> None:
    comparison = _compared(Build(callers=ASKED_FOR_EACH), baseline=Build(callers=LISTED))
    assert comparison.verdict is Verdict.REGRESSED
    assert _verdicts(comparison, "statements")[LIST] is Verdict.REGRESSED
    assert _verdicts(comparison, "statements")[READ] is Verdict.PASSED
    (cause,) = _causes(comparison, "statements", LIST)
    assert (cause.name, cause.strength) == ("more-calls", Strength.CERTAIN)
    assert cause.statement == (
        "Statements per request went from 2.00 to 101.00 in 3 of 3 pairs, made by shop.Customers.find (0.00 to 50.00) "
        "and shop.Overviews.totals (1.00 to 50.00)."
    )
    assert cause.scope.frame == FIND
    assert [(each.scope.frame, each.baseline, each.candidate, each.exact) for each in cause.facts] == [
        (None, 2.0, 101.0, True),
        (FIND, 0.0, 50.0, True),
        (TOTALS, 1.0, 50.0, True),
    ]
    assert cause.share is not None
    assert cause.share.part == pytest.approx(1.0)


def test_a_statement_more_of_eleven_is_a_cause_of_its_number() -> None:
    before = {LIST: {PAGE: 10}, READ: {PAGE: 1}}
    comparison = _compared(Build(callers={LIST: {PAGE: 11}, READ: {PAGE: 1}}), baseline=Build(callers=before))
    (cause,) = _causes(comparison, "statements", LIST)
    assert cause.strength is Strength.CERTAIN
    assert "10.00 to 11.00 in 3 of 3 pairs, made by shop.OrderController.page (10.00 to 11.00)." in cause.statement


def test_the_same_statements_by_another_method_are_no_change() -> None:
    renamed: Mapping[str, Mapping[str, int]] = {LIST: {"shop.Lists.page": 1, TOTALS: 1}, READ: {PAGE: 1}}
    comparison = _compared(Build(callers=renamed), baseline=Build(callers=LISTED))
    assert comparison.verdict is Verdict.PASSED
    assert not [each for each in comparison.findings if each.judgement.metric.name == "statements"]


def test_where_one_side_was_not_counted_the_pages_of_both_are_compared() -> None:
    page = {LIST: 12.0, READ: 3.0}
    counted_here, not_there = Build(callers=LISTED, statements=page), Build(callers=None, statements=page)
    comparison = _compared(counted_here, baseline=not_there)
    assert _estimate(comparison, "statements", LIST) == (12.0, 12.0)
    assert comparison.verdict is Verdict.PASSED


def test_a_counter_that_stands_still_is_no_evidence() -> None:
    still = Build(bytes={LIST: 0.0, READ: 0.0})
    pair = _pair(1, still, still, seed=5)
    data = pair.forks[Side.CANDIDATE]
    stopped = data.tables["counters"].assign(allocated_bytes=7.0)
    data = replace(data, tables=data.tables | {"counters": stopped})
    fork = MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: data}), Side.CANDIDATE)
    assert _read(fork, "allocation", LIST) == Missing(
        reason="it was zero, which is impossible: its counter does not work"
    )


@pytest.mark.parametrize("seed", range(8))
def test_builds_alike_pass_and_it_is_said_what_was_not_looked_at(seed: int) -> None:
    comparison = _compared(Build(), seed=seed)
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
        (Build(threads=42.0), ("threads", "")),
        (Build(artifact=36_000_000), ("artifact.size", "")),
    ],
    ids=["statement more", "statement more in five", "allocation of one", "call more", "threads", "artifact"],
)
def test_what_costs_more_is_found_where_it_is(candidate: Build, found: tuple[str, str], seed: int) -> None:
    comparison = _compared(candidate, seed=seed)
    regressed = {each.metric.key for each in comparison.judgements if each.verdict is Verdict.REGRESSED}
    assert comparison.verdict is Verdict.REGRESSED
    assert found in regressed
    assert {endpoint for name, endpoint in regressed if name == found[0]} <= {"", found[1]} or found[1] == ""
    assert comparison.cautions[0].kind is CautionKind.NO_LATENCY


def test_less_is_an_improvement() -> None:
    comparison = _compared(Build(bytes={LIST: 450_000, READ: 40_000}))
    assert comparison.verdict is Verdict.IMPROVED
    assert _verdicts(comparison, "allocation")[LIST] is Verdict.IMPROVED


def test_one_collection_more_is_where_the_last_one_fell() -> None:
    assert _verdicts(_compared(Build(collections=6)), "gc.count")[""] is not Verdict.REGRESSED
    assert _compared(Build(collections=6)).verdict is Verdict.PASSED


def test_an_endpoint_that_answers_differently_each_time_is_not_called_changed() -> None:
    for seed in range(10):
        comparison = _compared(Build(), scatter=0.3, seed=seed)
        assert comparison.verdict is not Verdict.REGRESSED


def test_a_candidate_that_dies_or_fails_is_found() -> None:
    assert _verdicts(_compared(Build(failing=0.3)), "errors")[""] is Verdict.REGRESSED
    died = _compared(Build(died="It ended with status 1."))
    assert died.verdict is not Verdict.PASSED
    assert CautionKind.NO_LATENCY in {each.kind for each in died.cautions}


def test_sides_that_were_not_asked_the_same_are_not_compared() -> None:
    pair = _pair(1, Build(), Build())
    windows = tuple(each for each in pair.record.windows if each.index != 1)
    short = replace(pair, record=replace(pair.record, windows=windows))
    comparison = compare_pairs([short], CRITERIA)
    assert comparison.verdict is Verdict.INVALID
    assert "did not get the same blocks" in comparison.reason
