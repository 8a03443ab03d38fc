"""Recordings that lack something or hold nonsense: a verdict with a reason, never an exception or a silent drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.paired import compare_pairs, look
from pacecar.analysis.stored import compare_stored
from pacecar.model.comparison import Comparison, Judgement, Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import empty_table
from pacecar.reporting.document.warning_lines import warning_lines

Change = Callable[[pd.DataFrame], pd.DataFrame]
GATE = ("latency.p99", "latency.p50 of POST /orders", "cpu", "allocation", "errors")


def _changed(pair: Pair, table: str, change: Change, *sides: Side) -> Pair:
    forks = dict(pair.forks)
    for side in sides or tuple(Side):
        tables = dict(forks[side].tables)
        tables[table] = change(tables[table])
        forks[side] = replace(forks[side], tables=tables)
    return replace(pair, forks=forks)


def _compared(pairs: list[Pair]) -> Comparison:
    found = compare_pairs(pairs, Criteria(gate=GATE), Context(most=12))
    look(pairs, Criteria(gate=GATE), Context(most=12))
    gated = [judgement for judgement in found.judgements if judgement.role is Role.GUARANTEED]
    assert len(gated) == len(GATE) or not found.pairs, "no named metric is dropped"
    assert all(judgement.reason for judgement in found.judgements)
    assert found.reason
    return found


def _of(found: Comparison, name: str, endpoint: str = "") -> Judgement:
    return next(j for j in found.judgements if (j.metric.name, j.metric.endpoint) == (name, endpoint))


def test_one_pair_only(make_pairs) -> None:
    found = _compared(make_pairs(1))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "single pair" in _of(found, "cpu").reason


@pytest.mark.parametrize("sides", [(Side.BASELINE,), (Side.CANDIDATE,), tuple(Side)])
def test_no_requests_at_an_endpoint(make_pairs, sides: tuple[Side, ...]) -> None:
    def without(requests: pd.DataFrame) -> pd.DataFrame:
        return requests[requests["endpoint"] != "POST /orders"]

    pairs = [_changed(pair, "requests", without, *sides) for pair in make_pairs(4)]
    gated = _compared([_changed(pair, "arrivals", without, *sides) for pair in pairs])
    judged = _of(gated, "latency.p50", "POST /orders")
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert "POST /orders" in judged.reason or "not measurable" in judged.reason


def test_constant_values(make_pairs, noise) -> None:
    def still(requests: pd.DataFrame) -> pd.DataFrame:
        return requests.assign(latency_ms=3.0)

    pairs = make_pairs(4, noise=noise(latency=0, cpu=0, allocation=0))
    found = _compared([_changed(pair, "requests", still) for pair in pairs])
    assert _of(found, "cpu").verdict is Verdict.PASSED
    assert _of(found, "latency.p99").verdict is Verdict.PASSED


def test_nothing_but_errors(make_pairs, truth) -> None:
    found = _compared(make_pairs(4, baseline=truth(failing=1.0), candidate=truth(failing=1.0)))
    assert _of(found, "latency.p99").verdict is Verdict.INCONCLUSIVE
    assert "requests" in _of(found, "latency.p99").reason
    assert _of(found, "errors").verdict is Verdict.INVALID
    assert found.verdict is Verdict.INVALID
    assert "100% of all requests failed on both sides" in found.reason
    candidate_only = _compared(make_pairs(4, candidate=truth(failing=1.0)))
    assert candidate_only.verdict is Verdict.REGRESSED
    assert _of(candidate_only, "errors").verdict is Verdict.REGRESSED
    assert _of(candidate_only, "errors").reason.startswith("+100 points")


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(1.0, 1.0, Verdict.INVALID), (0.6, 0.6, Verdict.INVALID), (0.6, 0.9, Verdict.REGRESSED), (1.0, 0.0, None)],
)
def test_what_fails_on_both_sides_is_not_unchanged(
    make_pairs, truth, before: float, after: float, verdict: Verdict | None
) -> None:
    found = compare_pairs(make_pairs(4, baseline=truth(failing=before), candidate=truth(failing=after)), Criteria())
    assert found.verdict is verdict or (verdict is None and found.verdict is not Verdict.INVALID)


def test_a_candidate_cannot_leave_the_gate_by_failing(make_pairs, plan) -> None:
    def few(requests: pd.DataFrame) -> pd.DataFrame:
        posts = requests.index[requests["endpoint"] == "POST /orders"]
        answered = requests["ok"].where(~requests.index.isin(posts[995:]), other=False)
        return requests.assign(ok=answered)

    pairs = make_pairs(4, plan=plan(requests=1100))
    pairs[0] = _changed(pairs[0], "requests", few, Side.CANDIDATE)
    found = compare_pairs(pairs, Criteria())
    judged = _of(found, "latency.p99", "POST /orders")
    assert judged.role.decides
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert "in 3 of 4 pairs" in judged.reason


def test_a_candidate_is_no_faster_for_being_asked_other_things(make_pairs, plan) -> None:
    """Medians of endpoints are averaged by the mix that the baseline was asked, on both sides."""

    def slower_at_c(requests: pd.DataFrame) -> pd.DataFrame:
        factor = np.where(requests["endpoint"] == "C", 8.0, 1.0)
        return requests.assign(latency_ms=requests["latency_ms"] * factor)

    before = make_pairs(4, plan=plan(requests=1500, endpoints=(("A", 0.40), ("B", 0.30), ("C", 0.30))))
    fewer = make_pairs(4, plan=plan(requests=1500, endpoints=(("A", 0.60), ("B", 0.30), ("C", 0.10))))
    pairs = [
        _changed(
            replace(b, forks={Side.BASELINE: b.forks[Side.BASELINE], Side.CANDIDATE: s.forks[Side.CANDIDATE]}),
            "requests",
            slower_at_c,
        )
        for b, s in zip(before, fewer, strict=True)
    ]
    stored, new = ([replace(pair, forks={side: pair.forks[side]}) for pair in pairs] for side in Side)
    for found in (compare_pairs(pairs, Criteria()), compare_stored(stored, new, Criteria())):
        typical = _of(found, "latency.typical").estimate
        assert typical is not None
        assert typical.change == pytest.approx(0.0, abs=0.05)


def test_an_endpoint_that_vanished_is_told(make_pairs, plan) -> None:
    def without(requests: pd.DataFrame) -> pd.DataFrame:
        return requests[requests["endpoint"] != "GET /rare"]

    endpoints = [("GET /orders", 0.97), ("GET /rare", 0.03)]
    pairs = [
        _changed(pair, "requests", without, Side.CANDIDATE)
        for pair in make_pairs(4, plan=plan(endpoints=endpoints, requests=4000))
    ]
    said = "Only the baseline got requests to these endpoints, so nothing is known about the candidate: GET /rare."
    assert any(line.startswith(said) for line in warning_lines(compare_pairs(pairs, Criteria()).cautions))


def test_an_endpoint_far_down_the_list_can_be_gated(make_pairs, plan) -> None:
    endpoints = [(name, 1 / 45) for name in ("GET /rare", *(f"GET /item/{number}" for number in range(44)))]
    pairs = make_pairs(3, plan=plan(endpoints=endpoints, requests=1500))

    def rarer(table: pd.DataFrame) -> pd.DataFrame:
        rare = table.index[table["endpoint"] == "GET /rare"]
        return table.drop(rare[20:])

    pairs = [_changed(pair, "requests", rarer) for pair in pairs]
    named = compare_pairs(pairs, Criteria(gate=("errors of GET /rare",)))
    assert _of(named, "errors", "GET /rare").estimate is not None
    unnamed = compare_pairs(pairs, Criteria(gate=("errors",)))
    assert not any(judged.metric.endpoint == "GET /rare" for judged in unnamed.judgements)
    assert any(
        "Only the 40 busiest of 45 endpoints, and those" in warning for warning in warning_lines(unnamed.cautions)
    )


@pytest.mark.parametrize(("metric", "column"), [("cpu", "cpu_ns"), ("allocation", "allocated_bytes")])
def test_a_counter_that_stands_still(make_pairs, metric: str, column: str) -> None:
    pairs = [_changed(pair, "counters", lambda table: table.assign(**{column: 0})) for pair in make_pairs(4)]
    judged = _of(_compared(pairs), metric)
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert "its counter does not work" in judged.reason


@pytest.mark.parametrize("blind", [(Side.BASELINE,), (Side.CANDIDATE,), tuple(Side), ()])
def test_compilers_are_counted_on_both_sides_or_on_neither(make_pairs, truth, blind: tuple[Side, ...]) -> None:
    same = truth(cpu_ms=1.15, jit_ms=0.15)
    pairs = make_pairs(8, baseline=same, candidate=same)
    if blind:
        pairs[1] = _changed(pairs[1], "counters", lambda table: table.assign(jit_cpu_ns=np.nan), *blind)
    found = _compared(pairs)
    cpu = _of(found, "cpu")
    assert cpu.verdict is Verdict.PASSED
    assert cpu.estimate is not None
    assert cpu.estimate.baseline == pytest.approx(1.15 if blind else 1.0, rel=0.03)
    told = [warning for warning in warning_lines(found.cautions) if "JIT compilers' CPU time was not read" in warning]
    assert len(told) == bool(blind)


@pytest.mark.parametrize("column", ["allocated_bytes", "jit_ms", "gc_count", "threads"])
def test_counters_that_are_not_numbers(make_pairs, column: str) -> None:
    def lost(counters: pd.DataFrame) -> pd.DataFrame:
        return counters.assign(**{column: np.nan})

    found = _compared([_changed(pair, "counters", lost) for pair in make_pairs(4)])
    assert _of(found, "allocation").verdict is (Verdict.INCONCLUSIVE if column == "allocated_bytes" else Verdict.PASSED)


def test_latencies_that_are_not_finite(make_pairs) -> None:
    def endless(requests: pd.DataFrame) -> pd.DataFrame:
        latency = requests["latency_ms"].copy()
        latency.iloc[::10] = np.inf
        return requests.assign(latency_ms=latency)

    found = _compared([_changed(pair, "requests", endless, Side.CANDIDATE) for pair in make_pairs(4)])
    judged = _of(found, "latency.p99")
    assert judged.verdict in (Verdict.INCONCLUSIVE, Verdict.REGRESSED)


@pytest.mark.parametrize("table", ["counters", "pauses", "samples", "stacks", "scrapes", "series", "arrivals", "host"])
def test_a_table_without_rows(make_pairs, table: str) -> None:
    found = _compared([_changed(pair, table, lambda _: empty_table(table)) for pair in make_pairs(4)])
    assert _of(found, "errors").verdict is Verdict.PASSED


def test_a_single_pair_that_lacks_a_metric(make_pairs) -> None:
    first, *others = make_pairs(5)
    lacking = _changed(first, "counters", lambda table: table.assign(allocated_bytes=np.nan), Side.CANDIDATE)
    judged = _of(_compared([lacking, *others]), "allocation")
    assert judged.estimate is not None
    assert judged.estimate.pairs == 4
