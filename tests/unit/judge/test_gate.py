"""Which metrics decide."""

from __future__ import annotations

from pacecar.comparison import Metric
from pacecar.judge.gate import choose, parse_entry
from pacecar.judge.reading import Missing, Reading, Value

HERE, TOO_FEW = Value(amount=1.0, requests=2000), Missing(reason="too few")
ENDPOINTS = ["a", "b", "c", "d", "e"]


def _fork(carried: str) -> dict[Metric, Reading]:
    tails = {Metric(name="latency.p99", endpoint=e): HERE if e in carried else TOO_FEW for e in ENDPOINTS}
    service: dict[Metric, Reading] = {
        Metric(name=name): HERE for name in ("latency.p99", "latency.p50", "cpu", "allocation", "errors", "rss")
    }
    return {**tails, **service}


def _titles(metrics: frozenset[Metric]) -> set[str]:
    return {metric.title for metric in metrics}


def test_default_is_the_three_busiest_tails_carried_everywhere_and_the_service() -> None:
    gate = choose((), forks=[_fork("abcde"), _fork("acde")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {
        "a latency.p99", "c latency.p99", "d latency.p99", "cpu", "allocation", "errors"
    }  # fmt: skip
    assert gate.warnings == ()


def test_default_falls_back_to_all_endpoints_together() -> None:
    gate = choose((), forks=[_fork("")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"latency.p99", "cpu", "allocation", "errors"}


def test_default_without_any_tail_says_so() -> None:
    fork = _fork("") | {Metric(name="latency.p99"): TOO_FEW}
    gate = choose((), forks=[fork], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"cpu", "allocation", "errors"}
    assert "No latency is gated" in gate.warnings[0]


def test_named_entries_are_taken_whether_measurable_or_not() -> None:
    gate = choose(("cpu", "latency.p99 of b", "latency.p99"), forks=[_fork("a")], endpoints=ENDPOINTS)
    assert _titles(gate.metrics) == {"cpu", "b latency.p99", "latency.p99"}


def test_entries_that_name_nothing_are_reported() -> None:
    gate = choose(("cpu", "latency.p99 of GET /nowhere"), forks=[_fork("a")], endpoints=ENDPOINTS)
    assert gate.unmatched == ("latency.p99 of GET /nowhere",)


def test_an_endpoint_may_hold_the_word_of() -> None:
    assert parse_entry("latency.p99 of GET /list of things") == ("latency.p99", "GET /list of things")
    assert parse_entry(" cpu ") == ("cpu", "")
