"""Calls that were counted in the service's JVM, as causes of slower requests in the full tier."""

from __future__ import annotations

import pytest

from pacecar.analysis.metrics.reading import ALL
from pacecar.model.causes import Cause, Strength
from pacecar.model.experiment import Side
from support.asked import causes_of
from support.counted import Cost, with_blocks
from support.evidence import Change, as_it_is, both, changed, with_calls, with_counted_calls

QUERY = "java.lang.Thread.run\nshop.Orders.page\norg.postgresql.core.QueryExecutorImpl.execute\nsun.nio.ch.Net.poll"
ODD = "java.lang.Thread.run\nshop.Orders.page\nlib.Odd.wait"
LIST, CREATE = "GET /orders", "POST /orders"
FEW, MANY = with_counted_calls(shop__Orders__page=1), with_counted_calls(shop__Orders__page=1, shop__Stock__check=6)


@pytest.fixture
def found(make_pairs, truth):
    """What all kinds say of requests that take 6 ms longer, with what else was recorded of both sides."""

    def find(before: Change, after: Change, *, waits_ms: tuple[float, float] | None = None) -> tuple[Cause, ...]:
        sides = [{"waits_ms": {QUERY: each, ODD: 1.0}} for each in waits_ms or ()] or [{}, {}]
        pairs = make_pairs(5, baseline=truth(**sides[0]), candidate=truth(latency_ms=16.0, **sides[1]))
        return causes_of(changed(pairs, {Side.BASELINE: before, Side.CANDIDATE: after}), "latency.mean")

    return find


def test_calls_that_the_page_times_cost_what_they_did_and_the_agent_says_whose_they_are(found) -> None:
    (cause,) = found(both(with_calls(jdbc_query=(1.0, 0.001)), FEW), both(with_calls(jdbc_query=(7.0, 0.001)), MANY))
    assert (cause.name, cause.strength) == ("more-calls", Strength.CERTAIN)
    assert cause.statement == (
        "Statements per request went from 1.00 to 7.00 in 5 of 5 pairs, made by shop.Stock.check (0.00 to 6.00)."
    )
    assert cause.scope.frame == "shop.Stock.check"
    assert cause.share is not None
    assert cause.share.part == pytest.approx(1.0, abs=0.1)


def test_what_was_counted_twice_is_told_once(found) -> None:
    causes = found(
        both(with_calls(jdbc_query=(1.0, 0.001), hibernate_statements=(1.0, 0.001)), FEW),
        both(with_calls(jdbc_query=(7.0, 0.001), hibernate_statements=(7.0, 0.001)), MANY),
    )
    assert [(cause.name, cause.scope.series) for cause in causes] == [("more-calls", None)]


@pytest.mark.parametrize("other", ["mongodb_driver_commands", "lettuce_command_completion"])
def test_calls_of_two_drivers_cost_what_both_take(found, other: str) -> None:
    few, many = with_counted_calls(shop__Orders__page=2), with_counted_calls(shop__Orders__page=2, shop__Stock__check=6)
    (cause,) = found(
        both(with_calls(jdbc_query=(1.0, 0.001), **{other: (1.0, 0.001)}), few),
        both(with_calls(jdbc_query=(1.0, 0.001), **{other: (7.0, 0.001)}), many),
    )
    assert (cause.name, cause.scope.frame) == ("more-calls", "shop.Stock.check")
    assert cause.share is not None
    assert cause.share.part == pytest.approx(1.0, abs=0.1)


def test_what_the_agent_does_not_know_is_still_told_by_the_page(found) -> None:
    (cause,) = found(
        both(with_calls(http_client_requests=(1.0, 0.001)), FEW),
        both(with_calls(http_client_requests=(7.0, 0.001)), FEW),
    )
    assert cause.scope.series == "http_client_requests"


def test_counted_calls_that_nobody_times_are_the_root_of_longer_waiting_alone(found) -> None:
    assert found(FEW, MANY, waits_ms=(2.0, 2.0)) == ()
    (root,) = found(FEW, MANY, waits_ms=(2.0, 8.0))
    assert root.name == "more-calls"
    assert "waiting-for" in {each.name for each in root.consequences}


@pytest.mark.parametrize("after", [FEW, as_it_is], ids=["as many", "not counted"])
def test_calls_that_did_not_change_or_were_counted_on_one_side_only_are_none(found, after: Change) -> None:
    assert found(FEW, after, waits_ms=(2.0, 8.0))[0].name != "more-calls"


def test_a_batch_that_takes_as_long_as_a_statement_is_none(found) -> None:
    assert (
        found(
            both(with_calls(jdbc_query=(1.0, 0.001)), FEW),
            both(with_calls(jdbc_query=(7.0, 0.001 / 7)), MANY),
        )
        == ()
    )


def test_fewer_calls_are_no_root_of_longer_waiting(found) -> None:
    assert "more-calls" not in {cause.name for cause in found(MANY, FEW, waits_ms=(2.0, 8.0))}


def test_calls_of_another_service_are_no_root_of_waiting_for_the_database(found) -> None:
    calls = found(
        with_calls(http_client_requests=(1.0, None)),
        with_calls(http_client_requests=(2.0, None)),
        waits_ms=(2.0, 8.0),
    )
    assert "more-calls" not in {cause.name for cause in calls}


@pytest.fixture
def slower(make_pairs, truth):
    """What all kinds say of an endpoint that got 6 ms slower while the mix makes six statements more of 1 ms each."""

    def find(*, endpoint: str, apart: bool) -> tuple[Cause, ...]:
        pairs = make_pairs(5, candidate=truth(longer_ms={LIST: 6.0, CREATE: 6.0}))
        timed = {count: with_calls(jdbc_query=(count, 0.001)) for count in (1.0, 7.0)}
        pairs = changed(pairs, {Side.BASELINE: both(timed[1.0], FEW), Side.CANDIDATE: both(timed[7.0], MANY)})
        if apart:
            few, many = {"shop.Orders.page": 1.0}, {"shop.Orders.page": 1.0, "shop.Stock.check": 8.0}
            before = {LIST: Cost(queries=few), CREATE: Cost(queries=few)}
            after = {LIST: Cost(queries=many), CREATE: Cost(queries=few)}
            pairs = [with_blocks(pair, {Side.BASELINE: before, Side.CANDIDATE: after}) for pair in pairs]
        return causes_of(pairs, "latency.mean", endpoint=endpoint)

    return find


def test_calls_of_all_requests_together_are_at_most_a_likely_cause_of_one_endpoint(slower) -> None:
    (cause,) = slower(endpoint=LIST, apart=False)
    assert (cause.name, cause.strength) == ("more-calls", Strength.LIKELY)


def test_calls_that_were_counted_endpoint_by_endpoint_are_a_cause_where_they_are_made(slower) -> None:
    (cause,) = slower(endpoint=LIST, apart=True)
    assert (cause.name, cause.strength) == ("more-calls", Strength.CERTAIN)
    assert (cause.scope.endpoint, cause.scope.frame) == (LIST, "shop.Stock.check")
    assert "more-calls" not in {each.name for each in slower(endpoint=CREATE, apart=True)}


def test_calls_of_the_whole_mix_are_those_of_blocks_where_all_endpoints_have_them(slower) -> None:
    """In windows, chance decides how often each endpoint is asked."""
    (cause,) = slower(endpoint=ALL, apart=True)
    assert cause.name == "more-calls"
    assert cause.scope.endpoint is None
    assert cause.statement.startswith("Statements per request went from 1.00 to ")
    assert not cause.statement.startswith("Statements per request went from 1.00 to 7.00")
