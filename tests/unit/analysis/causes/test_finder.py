"""Likely causes, and when none is certain."""

from __future__ import annotations

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.stored import compare_stored
from pacecar.model.causes import Scope
from pacecar.model.comparison import Finding, Verdict

PRICE = "java.lang.Thread.run\nshop.Orders.price\njava.util.HashMap.get"
STOCK = "java.lang.Thread.run\nshop.Stock.check"


def _findings(pairs, *gate: str) -> dict[str, Finding]:
    comparison = compare_pairs(pairs, Criteria(gate=gate, application=("shop.",)))
    return {finding.judgement.metric.title: finding for finding in comparison.findings}


def _statement(finding: Finding) -> str:
    return finding.causes[0].statement


def test_more_cpu_is_explained_by_the_frame_that_grew(make_pairs, truth) -> None:
    pairs = make_pairs(
        baseline=truth(cpu_ms=2.2, stacks_ms={PRICE: 0.2, STOCK: 2.0}),
        candidate=truth(cpu_ms=3.2, stacks_ms={PRICE: 1.2, STOCK: 2.0}),
    )
    cause = _statement(_findings(pairs, "cpu")["cpu"])
    assert cause.startswith("shop.Orders.price: +")
    assert "ms] CPU per request, on http-nio-exec; most of it in java.util.HashMap.get, which it called." in cause


def test_a_cause_holds_what_its_sentence_says(make_pairs, truth) -> None:
    pairs = make_pairs(
        baseline=truth(cpu_ms=2.2, stacks_ms={PRICE: 0.2, STOCK: 2.0}),
        candidate=truth(cpu_ms=3.2, stacks_ms={PRICE: 1.2, STOCK: 2.0}),
    )
    (cause,) = _findings(pairs, "cpu")["cpu"].causes
    assert (cause.name, cause.title) == ("hot-frame", "Hot frame")
    assert (cause.scope.frame, cause.scope.pool) == ("shop.Orders.price", "http-nio-exec")
    (amount,) = cause.facts
    assert (amount.quantity, amount.unit) == ("CPU time per request", "ms")
    assert amount.low is not None
    assert amount.high is not None
    assert amount.low < amount.change < amount.high
    assert amount.change == pytest.approx(amount.candidate - amount.baseline, rel=0.1) == pytest.approx(1.0, rel=0.1)


def test_what_is_spread_below_a_frame_is_told_with_all_that_is_below_it(make_pairs, truth) -> None:
    parts = [f"java.lang.Thread.run\nshop.Web.page\nshop.Part{number}.render" for number in range(60)]
    pairs = make_pairs(
        4,
        baseline=truth(cpu_ms=2.0, stacks_ms=dict.fromkeys(parts, 0.01) | {STOCK: 1.0}),
        candidate=truth(cpu_ms=2.6, stacks_ms=dict.fromkeys(parts, 0.02) | {STOCK: 1.0}),
    )
    (cause,) = _findings(pairs, "cpu")["cpu"].causes
    assert cause.statement.startswith("Below shop.Web.page: +")
    (amount,) = cause.facts
    assert amount.baseline == pytest.approx(0.6, rel=0.2)
    assert amount.candidate == pytest.approx(1.2, rel=0.2)


def test_an_improvement_is_explained_by_a_frame_that_shrank(make_pairs, truth) -> None:
    pairs = make_pairs(
        baseline=truth(cpu_ms=3.2, stacks_ms={PRICE: 1.2, STOCK: 1.0}),
        candidate=truth(cpu_ms=2.2, stacks_ms={PRICE: 0.1, STOCK: 1.1}),
    )
    finding = _findings(pairs, "cpu")["cpu"]
    assert finding.judgement.verdict is Verdict.IMPROVED
    assert _statement(finding).startswith("shop.Orders.price: -")


def test_longer_collections_are_explained_by_what_is_allocated(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(allocated_bytes=2.2e6, gc_pauses_per_window=2, buffers_mb={PRICE: 0.2, STOCK: 2.0}),
        candidate=truth(allocated_bytes=3.2e6, gc_pauses_per_window=3, buffers_mb={PRICE: 1.2, STOCK: 2.0}),
    )
    found = _findings(pairs, "gc.pause", "gc.count")
    assert {finding.judgement.verdict for finding in found.values()} == {Verdict.REGRESSED}
    for name in ("gc.pause", "gc.count"):
        assert _statement(found[name]).startswith("shop.Orders.price: +")
        assert "allocated per request, on http-nio-exec" in _statement(found[name])


def test_latency_without_cpu_is_explained_by_waiting(make_pairs, truth) -> None:
    cpu = {STOCK: 1.0}
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms=cpu, waits_ms={"java.lang.Thread.run\nshop.Remote.call\njava.net.Socket.read": 2.0}),
        candidate=truth(
            latency_ms=16, stacks_ms=cpu, waits_ms={"java.lang.Thread.run\nshop.Remote.call\njava.net.Socket.read": 8.0}
        ),
    )
    finding = _findings(pairs, "latency.p50")["latency.p50"]
    cause = _statement(finding)
    assert finding.causes[0].name == "waiting-for"
    assert cause.startswith("Requests waited +")
    assert cause.endswith("for the network, below shop.Remote.call.")
    (below,) = finding.causes[0].consequences
    assert below.statement.startswith("shop.Remote.call: +")
    assert "wall-clock time" in below.statement
    assert "java.net.Socket.read" in below.statement


def test_no_frame_is_named_that_did_not_change(make_pairs, truth) -> None:
    same = {PRICE: 0.2, STOCK: 2.0}
    pairs = make_pairs(5, baseline=truth(stacks_ms=same), candidate=truth(cpu_ms=1.5, stacks_ms=same))
    assert _findings(pairs, "cpu")["cpu"].causes == ()


def test_a_frame_that_changed_the_other_way_is_not_the_cause(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={PRICE: 1.2, STOCK: 2.0}),
        candidate=truth(cpu_ms=1.5, stacks_ms={PRICE: 0.2, STOCK: 2.0}),
    )
    assert _findings(pairs, "cpu")["cpu"].causes == ()


def test_failures_are_explained_by_what_they_say(make_pairs, truth) -> None:
    pairs = make_pairs(candidate=truth(failing=0.05, message="503 <b>overloaded</b> " + "x" * 500))
    finding = _findings(pairs, "errors")["errors"]
    cause = _statement(finding)
    assert cause.startswith('Failed with "503 <b>overloaded</b> xxx')
    assert "0% of requests before, 4." in cause or "0% of requests before, 5." in cause
    assert len(cause) < 200
    assert finding.causes[0].scope == Scope()
    (amount,) = finding.causes[0].facts
    assert (amount.unit, amount.baseline, amount.pairs) == ("%", 0.0, 4)
    assert amount.low is not None
    assert amount.low > 3.0
    assert amount.candidate == amount.change == pytest.approx(5.0, abs=1.0)


def test_where_every_request_fails_their_share_is_a_plain_number(make_pairs, truth) -> None:
    pairs = make_pairs(candidate=truth(failing=1.0, message="503"))
    assert _statement(_findings(pairs, "errors")["errors"]).endswith("0% of requests before, 100% now.")


def test_failures_of_one_endpoint_are_that_endpoints(make_pairs, truth) -> None:
    pairs = make_pairs(candidate=truth(failing=0.05, message="503"))
    (cause,) = _findings(pairs, "errors@GET /orders")["GET /orders errors"].causes
    assert cause.name == "failing-message"
    assert cause.scope == Scope(endpoint="GET /orders")


def test_outside_the_gate_only_news_is_reported(make_pairs, truth, plan) -> None:
    pairs = make_pairs(
        5,
        plan=plan(endpoints=(("GET /orders", 1.0),)),
        baseline=truth(latency_ms=10, cpu_ms=2.2, stacks_ms={PRICE: 0.2, STOCK: 2.0}),
        candidate=truth(latency_ms=12, cpu_ms=3.2, stacks_ms={PRICE: 1.2, STOCK: 2.0}),
    )
    assert set(_findings(pairs, "cpu")) == {"cpu"}


REPORT = "java.lang.Thread.run\nshop.Reports.write"
TWO = (("GET /price", 0.75), ("GET /report", 0.25))
BOTH_SLOWER = {"GET /price": 3.0, "GET /report": 40.0}


def _slower(make_pairs, truth, plan, **candidate) -> dict[str, str]:
    """Title -> the cause, "" for none, of two endpoints that became slower: `/price` by 3 ms, `/report` by 40 ms."""
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={PRICE: 1.0, REPORT: 5.0, STOCK: 1.0}, labels=candidate.get("labels", {})),
        candidate=truth(longer_ms=BOTH_SLOWER, **candidate),
        plan=plan(endpoints=TWO),
    )
    found = _findings(pairs, "latency.p50 of GET /price", "latency.p50 of GET /report")
    return {
        title: next((cause.statement.split(":")[0] for cause in finding.causes), "") for title, finding in found.items()
    }


@pytest.mark.parametrize("labels", [{}, {PRICE: "GET /price", REPORT: "GET /report", STOCK: "GET /price"}])
def test_an_endpoint_is_not_given_the_frame_of_another(make_pairs, truth, plan, labels: dict[str, str]) -> None:
    found = _slower(make_pairs, truth, plan, stacks_ms={PRICE: 3.2, REPORT: 15.0, STOCK: 1.0}, labels=labels)
    assert found["GET /price latency.p50"] == "shop.Orders.price"
    assert found["GET /report latency.p50"] == "shop.Reports.write"


def test_a_frame_that_grew_for_another_endpoint_alone_is_none_of_this_ones(make_pairs, truth, plan) -> None:
    labels = {PRICE: "GET /report", REPORT: "GET /report", STOCK: "GET /price"}
    found = _slower(make_pairs, truth, plan, stacks_ms={PRICE: 3.2, REPORT: 5.0, STOCK: 1.0}, labels=labels)
    assert found["GET /price latency.p50"] == ""


def test_what_a_background_pool_does_is_no_time_of_requests(make_pairs, truth) -> None:
    pools = {STOCK: "scheduler"}
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={PRICE: 1.0, STOCK: 2.0}, pools=pools),
        candidate=truth(latency_ms=12, stacks_ms={PRICE: 1.0, STOCK: 12.0}, pools=pools),
    )
    assert _findings(pairs, "latency.p50")["latency.p50"].causes == ()


def test_no_frame_is_named_for_forks_of_different_days(make_pairs, truth) -> None:
    baseline = make_pairs(3, baseline=None, candidate=truth(stacks_ms={PRICE: 0.2}), seed=1)
    candidate = make_pairs(2, baseline=None, candidate=truth(allocated_bytes=90_000, stacks_ms={PRICE: 1.2}), seed=2)
    found = compare_stored(baseline, candidate, Criteria(gate=("allocation",), application=("shop.",)))
    assert [(f.judgement.metric.name, f.causes) for f in found.findings] == [("allocation", ())]


def test_one_change_that_nothing_explains_hides_no_other(make_pairs, truth) -> None:
    """Memory and latency both regressed, and nobody knows why."""
    same = {PRICE: 0.2, STOCK: 2.0}
    pairs = make_pairs(
        5, baseline=truth(stacks_ms=same), candidate=truth(latency_ms=16, rss_bytes=400e6, stacks_ms=same)
    )
    findings = compare_pairs(pairs, Criteria(gate=("cpu",))).findings
    unexplained = [each.judgement.metric.name for each in findings if not each.causes]
    assert "rss" in unexplained
    assert len([name for name in unexplained if name.startswith("latency.")]) == 1
