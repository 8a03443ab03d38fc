from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pacecar.model.comparison import Judgement, Metric, Role, Scale, Verdict
from pacecar.model.experiment import Budget
from pacecar.reporting.document import Document, wording
from pacecar.reporting.document.conclusion import judged_metric
from pacecar.reporting.document.shapes import JudgedMetric, RuledOutRow
from support.documents import ALLOCATION, CPU, ERRORS, TAIL, TYPICAL, estimate, judgement, latency

P99 = latency("p99", "GET /orders")


def row(metric: Metric, change: float, **words: Any) -> JudgedMetric:
    ratio = metric is not ERRORS
    judged = judgement(metric, Verdict.REGRESSED, estimate(change, 0.01, 18.3, ratio=ratio), role=Role.GUARANTEED)
    return judged_metric(replace(judged, **words))


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        (P99, "GET /orders p99"),
        (Metric(name="latency.p99"), "overall p99"),
        (Metric(name="latency.mean", endpoint="GET /a"), "GET /a mean"),
        (Metric(name="server.latency.p99", endpoint="GET /a"), "GET /a server p99"),
        (CPU, "CPU per request"),
        (TYPICAL, "typical latency"),
        (TAIL, "tail latency"),
        (replace(TAIL, endpoint="GET /a"), "GET /a tail latency"),
        (Metric(name="gc.count"), "collections per 1,000 requests"),
        (Metric(name="made.up"), "made up"),
    ],
)
def test_metrics_are_called_as_people_call_them(metric: Metric, title: str) -> None:
    assert wording.title(row(metric, 0.1)) == title


@pytest.mark.parametrize(
    ("metric", "change", "phrase"),
    [
        (P99, 0.124, "GET /orders p99 is 12.4% slower"),
        (P99, -0.124, "GET /orders p99 is 12.4% faster"),
        (CPU, 0.05, "5% more CPU per request"),
        (CPU, -0.05, "5% less CPU per request"),
        (replace(ERRORS, endpoint="GET /a"), 1.5, "GET /a: 1.5 points more errors"),
        (CPU, 0.0, "CPU per request: no change"),
        (Metric(name="throughput", unit="1", lower_is_better=False), -0.2, "20% less throughput"),
    ],
)
def test_a_change_is_said_in_words(metric: Metric, change: float, phrase: str) -> None:
    assert wording.phrase(row(metric, change)) == phrase


def test_changes_intervals_values_and_budgets() -> None:
    slower = row(P99, 0.124, budget=Budget(metric="latency.p99", relative=0.05, absolute=200.0))
    errors = row(ERRORS, 1.5, budget=Budget(metric="errors", relative=0.005))
    assert slower.estimate is not None
    assert errors.estimate is not None

    assert wording.change(slower, 0.124) == "+12.4%"
    assert wording.interval(slower, slower.estimate) == "[+11.4, +13.4]"
    assert wording.values(slower, slower.estimate) == "18.3 → 20.6 ms"
    assert wording.budget(slower) == "budget 5%, at most 200 ms"
    assert wording.change(errors, 1.5) == "+1.5 points"
    assert wording.budget(errors) == "budget 0.5 points"
    assert wording.interval(slower, replace(slower.estimate, low=None)) == ""


def test_values_of_different_size_keep_their_units() -> None:
    bytes_row = row(ALLOCATION, 0.1)
    assert bytes_row.estimate is not None

    assert wording.values(bytes_row, replace(bytes_row.estimate, baseline=950.0, candidate=1050.0)) == "950 B → 1.05 kB"


@pytest.mark.parametrize(
    ("change", "low", "high", "told"),
    [
        (1_100.0, 900.0, 1_300.0, "[+900 B, +1.3 kB]"),
        (1_100_000.0, 900_000.0, 950_000.0, "[+900 kB, +950 kB]"),
        (1_100.0, 1_000.0, 1_300.0, "[+1, +1.3]"),
        (0.0, -900.0, 900.0, "[-900, +900]"),
    ],
)
def test_ends_of_another_unit_than_the_change_keep_it(change: float, low: float, high: float, told: str) -> None:
    growth = Metric(name="heap.growth", unit="B", scale=Scale.DIFFERENCE)
    judged = judged_metric(judgement(growth, Verdict.PASSED, estimate(change, 1.0, 5.0, ratio=False)))
    assert judged.estimate is not None
    assert wording.interval(judged, replace(judged.estimate, low=low, high=high)) == told


def test_a_share_of_all_requests_has_no_exponent() -> None:
    assert wording.change(row(ERRORS, 100.0), 100.0) == "+100 points"
    assert wording.phrase(row(ERRORS, 99.7)) == "100 points more errors"
    assert wording.change(row(ERRORS, 1e300), 1e300) == "+1e+300 points"


def test_what_was_zero_on_both_sides_has_no_interval() -> None:
    nothing = row(ERRORS, 0.0)
    assert nothing.estimate is not None
    assert wording.interval(nothing, replace(nothing.estimate, low=0.0, high=0.0)) == ""
    assert wording.interval(nothing, nothing.estimate) == "[-0.01, +0.01]"


def test_what_only_passed_can_be_weak() -> None:
    weak = replace(row(TAIL, 0.3), ruled_out=RuledOutRow(bound=0.5, allowance=0.15, weak=True))
    assert wording.is_weak(replace(weak, verdict=Verdict.PASSED))
    assert not wording.is_weak(replace(weak, verdict=Verdict.INCONCLUSIVE))
    assert not wording.is_weak(weak)


def test_a_value_above_the_largest_tolerated_one_is_said_where_the_change_is_none_to_speak_of() -> None:
    faster = row(P99, -0.03, budget=Budget(metric="latency.p99", relative=None, absolute=15.0))
    assert wording.phrase(faster) == "GET /orders p99: 17.8 ms, where at most 15 ms is tolerated"
    both = row(P99, 0.2, budget=Budget(metric="latency.p99", relative=0.1, absolute=15.0))
    assert wording.phrase(both) == "GET /orders p99 is 20% slower"


def test_what_has_no_estimate_is_named_alone() -> None:
    assert wording.phrase(replace(row(P99, 0.1), estimate=None)) == "GET /orders p99"


def test_worse_is_above_zero_whatever_the_direction() -> None:
    assert wording.worsening(row(P99, 0.1), 0.1) == 0.1
    assert wording.worsening(row(replace(CPU, lower_is_better=False), 0.1), 0.1) == -0.1


def headline(verdict: Verdict, *judgements: Judgement) -> str:
    rows = [judged_metric(each) for each in judgements]
    return wording.headline(verdict, reason="The reason.", judgements=rows)


def test_headlines() -> None:
    slower = judgement(P99, Verdict.REGRESSED, estimate(0.124, 0.01, 18.3))
    more = judgement(CPU, Verdict.REGRESSED, estimate(0.05, 0.01, 2.0), role=Role.GUARANTEED)
    same = judgement(CPU, Verdict.PASSED, estimate(0.0, 0.01, 2.0), role=Role.GUARANTEED)
    undecided = judgement(P99, Verdict.INCONCLUSIVE, estimate(0.03, 0.1, 18.3), role=Role.GUARANTEED, pairs_needed=4)
    dead = judgement(P99, Verdict.REGRESSED, None, role=Role.GUARANTEED)

    assert headline(Verdict.REGRESSED, slower) == "GET /orders p99 is 12.4% slower, 20.6 ms instead of 18.3 ms"
    assert headline(Verdict.REGRESSED, slower, more).endswith(" (and 1 more metric)")
    assert headline(Verdict.REGRESSED, dead) == "The reason."
    assert headline(Verdict.PASSED, same) == "No regression"
    tail = judgement(TAIL, Verdict.INCONCLUSIVE, estimate(0.03, 0.1, 18.3), role=Role.GUARANTEED, pairs_needed=1)
    noisy = replace(tail, pairs_needed=None)
    assert headline(Verdict.INCONCLUSIVE, undecided) == "Not decided: GET /orders p99 needs about 4 more pairs"
    assert headline(Verdict.INCONCLUSIVE, tail) == "Not decided: tail latency needs about 1 more pair"
    both = "Not decided: tail latency and 1 more metric need about 4 more pairs"
    assert headline(Verdict.INCONCLUSIVE, tail, undecided) == both
    assert headline(Verdict.INCONCLUSIVE, tail, noisy) == "Not decided: tail latency and 1 more metric"
    assert headline(Verdict.INVALID, same) == "The reason."


@pytest.mark.parametrize("verdict", [Verdict.IMPROVED, Verdict.INCONCLUSIVE])
def test_only_guaranteed_metrics_make_a_comparison_better_or_leave_it_open(verdict: Verdict) -> None:
    tripwire = judgement(P99, verdict, estimate(-0.124, 0.01, 18.3))
    guaranteed = judgement(CPU, verdict, estimate(-0.05, 0.01, 2.0), role=Role.GUARANTEED)

    assert "CPU per request" in headline(verdict, tripwire, guaranteed)
    assert "more metric" not in headline(verdict, tripwire, guaranteed)


@pytest.mark.parametrize(
    ("metric", "bound", "said"),
    [
        (CPU, 0.021, "more than 2.1% worse is ruled out"),
        (CPU, -0.01, "any worsening is ruled out"),
        (ERRORS, 0.05, "more than 0.05 points worse is ruled out"),
        (Metric(name="jit", unit="ms"), None, ""),
    ],
)
def test_what_is_ruled_out_is_said_without_a_sign(metric: Metric, bound: float | None, said: str) -> None:
    bounded = replace(row(metric, 0.0), ruled_out=RuledOutRow(bound=bound, allowance=0.1, weak=False))

    assert wording.ruled_out(bounded) == said


@pytest.mark.parametrize(
    ("metric", "change", "beyond"),
    [
        (CPU, 0.05, True),
        (CPU, 0.049, False),
        (CPU, -0.5, False),
        (replace(CPU, lower_is_better=False), -0.048, True),
        (replace(CPU, lower_is_better=False), -0.047, False),
        (replace(CPU, lower_is_better=False), 0.5, False),
        (ERRORS, 5.0, True),
        (ERRORS, 0.5, False),
    ],
)
def test_a_budget_is_used_up_by_what_is_worse(metric: Metric, change: float, beyond: bool) -> None:
    budget = Budget(metric=metric.name, relative=0.05)

    assert wording.beyond_budget(row(metric, change, budget=budget)) is beyond


def test_where_the_noise_is_known_from(document: Document) -> None:
    first = replace(document, earlier_runs=0)

    assert wording.noise_known(first).startswith("First run of this design here: verdicts rest on its own pairs")
    assert wording.noise_known(replace(document, earlier_runs=1)) == "Noise of 1 earlier run was used."
    assert wording.noise_known(replace(document, earlier_runs=5)) == "Noise of 5 earlier runs was used."
    for silent in ({"earlier_runs": None}, {"mode": "stored"}, {"pairs_judged": 0}):
        assert wording.noise_known(replace(first, **silent)) == ""


def test_that_the_machine_was_faster_beside_one_build(document: Document) -> None:
    assert wording.pace_evened(replace(document, pace_apart=0.163)) == (
        "CPU, typical latency and p50s that follow the machine's speed are told as if it had been the same beside both "
        "builds: the same work took up to 16% more CPU time beside one of them."
    )
    for silent in (None, 0.0, 0.004):
        assert wording.pace_evened(replace(document, pace_apart=silent)) == ""


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        ("+12.4% [+11.4%, +13.4%] is beyond the budget of 5%", "is beyond the budget of 5%"),
        ("+12.4% [+11.4%, +13.4%]; more than 14% worse is ruled out", "more than 14% worse is ruled out"),
        ("+12.4% in a single pair", "in a single pair"),
        ("the candidate's 18.3 ms is above it", "the candidate's 18.3 ms is above it"),
        ("+12.4% [+11.4%, +13.4%]", "+12.4% [+11.4%, +13.4%]"),
    ],
)
def test_a_reason_beside_its_change_does_not_say_it_again(reason: str, left: str) -> None:
    assert wording.why(replace(row(P99, 0.124), reason=reason)) == left


def test_nor_does_it_say_again_that_there_is_none() -> None:
    same = row(P99, 0.0)
    assert same.estimate is not None
    judged = replace(same, reason="+0.0% [-1.0%, +0.0%]; any worsening is ruled out")
    assert wording.why(replace(judged, estimate=replace(same.estimate, high=0.0))) == "any worsening is ruled out"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("com.example.Orders.list: +2 ms, most for com.example.Web.get;", "Orders.list: +2 ms, most for Web.get;"),
        ("io.shop.Orders$Lines.<init> is new", "Orders$Lines.<init> is new"),
        ("select * from public.Orders.id", "select * from public.Orders.id"),
        ("GET https://api.example.org/Orders.list", "GET https://api.example.org/Orders.list"),
        ("com.example.orders.yaml differs", "com.example.orders.yaml differs"),
    ],
)
def test_the_sentence_that_is_read_first_names_methods_without_packages(statement: str, said: str) -> None:
    assert wording.brief(statement) == said
