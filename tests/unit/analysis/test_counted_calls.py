"""Calls of the quick tier: those that the agent counted, those that the page knows, and who is blamed for more."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.causes import Strength
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from support.quick_pairs import (
    FIND,
    LIST,
    PAGE,
    READ,
    TOTALS,
    Build,
    amount_of,
    causes_of,
    compared,
    estimate_of,
    pair_of,
    read_of,
    verdicts,
)

LISTED: Mapping[str, Mapping[str, int]] = {LIST: {PAGE: 1, TOTALS: 1}, READ: {PAGE: 1}}
ASKED_FOR_EACH: Mapping[str, Mapping[str, int]] = {LIST: {PAGE: 1, FIND: 50, TOTALS: 50}, READ: {PAGE: 1}}


def test_what_the_agent_counted_comes_before_what_the_page_says() -> None:
    both = Build(callers=LISTED, statements={LIST: 12.0, READ: 12.0})
    fork = MeasuredFork.of(pair_of(1, both, both), Side.CANDIDATE)
    assert [amount_of(read_of(fork, "statements", endpoint))[0] for endpoint in (LIST, READ)] == [2.0, 1.0]
    assert amount_of(read_of(fork, "statements"))[0] == 1.75


@pytest.mark.parametrize(
    "counter",
    [
        "mongodb_driver_commands_seconds_count",
        "spring_r2dbc_query_seconds_count",
        "lettuce_command_completion_seconds_count",
    ],
)
def test_what_the_agent_sees_of_other_drivers_is_not_added_again(counter: str) -> None:
    both = Build(callers=LISTED, commands=5.0, commanded=counter)
    fork = MeasuredFork.of(pair_of(1, both, both), Side.CANDIDATE)
    assert [amount_of(read_of(fork, "statements", endpoint))[0] for endpoint in (LIST, READ)] == [2.0, 1.0]


def test_statements_that_only_the_page_knows_are_its() -> None:
    unseen = Build(callers={}, statements={LIST: 12.0, READ: 3.0})
    comparison = compared(unseen, baseline=unseen)
    assert estimate_of(comparison, "statements", LIST) == (12.0, 12.0)
    assert estimate_of(comparison, "calls", LIST) is None  # nobody saw any


def test_commands_of_redis_that_only_the_page_knows_are_added_to_its_statements() -> None:
    unseen = Build(callers={}, statements={LIST: 12.0, READ: 3.0}, commands=5.0)
    assert estimate_of(compared(unseen, baseline=unseen), "statements", LIST) == (17.0, 17.0)


@pytest.mark.parametrize("counter", ["kafka_producer_record_send_total", "rabbitmq_published_total"])
def test_messages_that_only_the_page_knows_are_calls(counter: str) -> None:
    unseen = Build(callers={}, commands=5.0, commanded=counter)
    assert estimate_of(compared(unseen, baseline=unseen), "calls", LIST) == (5.0, 5.0)


def test_calls_that_are_new_are_counted_from_nothing() -> None:
    comparison = compared(Build(callers=LISTED), baseline=Build(callers={}))
    assert estimate_of(comparison, "statements", LIST) == (0.0, 2.0)
    assert verdicts(comparison, "statements")[LIST] is Verdict.REGRESSED


def test_a_batch_goes_out_once_and_what_it_held_stands_beside_it() -> None:
    alike, more = Build(callers=LISTED, batched=1), Build(callers=LISTED, batched=7)
    comparison = compared(more, baseline=alike)
    assert comparison.verdict is Verdict.PASSED
    judged = {each.metric.key: each for each in comparison.judgements}
    assert judged["statements", LIST].verdict is Verdict.PASSED
    batched = judged["statements.batched", LIST].estimate
    assert batched is not None
    assert (batched.baseline, batched.candidate) == (1.0, 7.0)
    assert estimate_of(compared(Build(callers=LISTED), baseline=alike), "statements.batched", LIST) == (1.0, 0.0)
    without = Build(callers=LISTED)
    assert estimate_of(compared(without, baseline=without), "statements.batched", LIST) is None


def test_more_statements_are_blamed_on_the_methods_that_make_them() -> None:
    comparison = compared(Build(callers=ASKED_FOR_EACH), baseline=Build(callers=LISTED))
    assert comparison.verdict is Verdict.REGRESSED
    assert verdicts(comparison, "statements")[LIST] is Verdict.REGRESSED
    assert verdicts(comparison, "statements")[READ] is Verdict.PASSED
    (cause,) = causes_of(comparison, "statements", LIST)
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
    comparison = compared(Build(callers={LIST: {PAGE: 11}, READ: {PAGE: 1}}), baseline=Build(callers=before))
    (cause,) = causes_of(comparison, "statements", LIST)
    assert cause.strength is Strength.CERTAIN
    assert "10.00 to 11.00 in 3 of 3 pairs, made by shop.OrderController.page (10.00 to 11.00)." in cause.statement


def test_what_a_proxy_asks_when_it_ends_a_transaction_is_asked_by_the_method_that_it_ran() -> None:
    proxied = "shop.OrderController$$SpringCGLIB.page"
    before = {LIST: {PAGE: 1, proxied: 1}, READ: {PAGE: 1}}
    comparison = compared(Build(callers={LIST: {PAGE: 1, proxied: 6}, READ: {PAGE: 1}}), baseline=Build(callers=before))
    (cause,) = causes_of(comparison, "statements", LIST)
    assert cause.statement.endswith("made by shop.OrderController.page (2.00 to 7.00).")


def test_the_same_statements_by_another_method_are_no_change() -> None:
    renamed: Mapping[str, Mapping[str, int]] = {LIST: {"shop.Lists.page": 1, TOTALS: 1}, READ: {PAGE: 1}}
    comparison = compared(Build(callers=renamed), baseline=Build(callers=LISTED))
    assert comparison.verdict is Verdict.PASSED
    assert not [each for each in comparison.findings if each.judgement.metric.name == "statements"]


def test_where_one_side_was_not_counted_the_pages_of_both_are_compared() -> None:
    page = {LIST: 12.0, READ: 3.0}
    counted_here, not_there = Build(callers=LISTED, statements=page), Build(callers=None, statements=page)
    comparison = compared(counted_here, baseline=not_there)
    assert estimate_of(comparison, "statements", LIST) == (12.0, 12.0)
    assert comparison.verdict is Verdict.PASSED
