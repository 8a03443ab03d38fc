"""Which metrics decide."""

from __future__ import annotations

import pytest

from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.verdicts.gate import choose, judged_endpoints, parse_entry
from pacecar.model.comparison import Metric
from pacecar.model.experiment import Budget

HERE, TOO_FEW = Value(amount=1.0, requests=2000), Missing(reason="too few")
ENDPOINTS = ["a", "b", "c", "d", "e"]


def _fork(carried: str) -> dict[Metric, Reading]:
    tails = {Metric(name="latency.p99", endpoint=e): HERE if e in carried else TOO_FEW for e in ENDPOINTS}
    service: dict[Metric, Reading] = {
        Metric(name=name): HERE for name in ("latency.p99", "latency.p50", "cpu", "allocation", "errors", "rss")
    }
    return {**tails, **service, Metric(name="latency.p99"): Value(amount=1.0, requests=9000)}


def _titles(metrics: frozenset[Metric]) -> set[str]:
    return {metric.title for metric in metrics}


def test_default_is_the_tails_of_all_requests_and_of_the_three_busiest_that_most_forks_carry_and_the_service() -> None:
    gate = choose((), baseline=[_fork("abcde"), _fork("acd"), _fork("acde")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {
        "a latency.p99", "c latency.p99", "d latency.p99", "latency.p99", "cpu", "allocation", "errors"
    }  # fmt: skip
    assert gate.warnings == ()


@pytest.mark.parametrize("endpoints", [["a"], ["a", "only on the candidate"]])
def test_default_of_a_service_with_one_endpoint_tests_its_tail_once(endpoints: list[str]) -> None:
    fork = _fork("a") | {Metric(name="latency.p99"): HERE}
    assert _titles(choose((), baseline=[fork], endpoints=endpoints).metrics) == {
        "a latency.p99", "cpu", "allocation", "errors"
    }  # fmt: skip


def test_an_endpoint_with_a_budget_of_its_own_is_not_held_to_that_of_all_requests() -> None:
    own = [Budget(metric="latency.p99", endpoint="b", relative=0.6)]
    for budgets, together in ((own, False), ([Budget(metric="cpu", relative=0.1)], True)):
        gate = choose((), baseline=[_fork("ab")], endpoints=ENDPOINTS, budgets=budgets)
        assert ("latency.p99" in _titles(gate.metrics)) is together


def test_default_falls_back_to_all_endpoints_together() -> None:
    gate = choose((), baseline=[_fork("")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"latency.p99", "cpu", "allocation", "errors"}


def test_default_without_any_tail_says_so() -> None:
    fork = _fork("") | {Metric(name="latency.p99"): TOO_FEW}
    gate = choose((), baseline=[fork], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"cpu", "allocation", "errors"}
    assert "No latency is gated" in gate.warnings[0]


def test_named_entries_are_taken_whether_measurable_or_not() -> None:
    gate = choose(("cpu", "latency.p99 of b", "latency.p99"), baseline=[_fork("a")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"cpu", "b latency.p99", "latency.p99"}


def test_entries_that_name_nothing_are_reported() -> None:
    gate = choose(("cpu", "latency.p99 of GET /nowhere"), baseline=[_fork("a")], endpoints=ENDPOINTS)
    assert gate.unmatched == ("latency.p99 of GET /nowhere",)


def test_an_endpoint_may_hold_the_word_of() -> None:
    assert parse_entry("latency.p99 of GET /list of things") == ("latency.p99", "GET /list of things")
    assert parse_entry(" cpu ") == ("cpu", "")


def test_endpoints_named_by_the_thousand_are_capped_but_for_those_that_are_named() -> None:
    endpoints = [f"GET /item/{number}" for number in range(300)]
    assert judged_endpoints(endpoints, entries=("cpu",), budgets=()) == tuple(endpoints[:MOST_ENDPOINTS])
    judged = judged_endpoints(
        endpoints,
        entries=("latency.p99 of GET /item/250", "latency.p99 of GET /item/1"),
        budgets=(Budget(metric="errors", endpoint="GET /item/299", relative=0.1),),
    )
    assert judged == (*endpoints[:MOST_ENDPOINTS], "GET /item/250", "GET /item/299")
