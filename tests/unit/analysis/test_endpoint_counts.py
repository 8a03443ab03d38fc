"""The full tier, endpoint by endpoint: what blocks after the windows say, and what they leave as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.stored import as_baseline, compare_stored
from pacecar.model.comparison import Comparison, Judgement, Role, Verdict
from pacecar.model.experiment import Budget, Side
from pacecar.model.recording import Pair
from support.counted import Cost, with_blocks
from support.evidence import changed, with_counted_calls

LIST, CREATE = "GET /orders", "POST /orders"
ALIKE = {LIST: Cost(bytes=40_000, cpu_ms=0.8, statements=1), CREATE: Cost(bytes=80_000, cpu_ms=1.6, statements=3)}
BOTH = {Side.BASELINE: ALIKE, Side.CANDIDATE: ALIKE}
COUNTED = ("allocation", "cpu", "statements", "connections.taken", "calls")


def _after(cost: Cost) -> dict[Side, dict[str, Cost]]:
    return {Side.BASELINE: ALIKE, Side.CANDIDATE: {**ALIKE, CREATE: cost}}


def _read(pair: Pair, name: str, endpoint: str = "", *, side: Side = Side.CANDIDATE) -> Reading:
    fork = replace(MeasuredFork.of(pair, side), mix={LIST: 0.75, CREATE: 0.25})
    return next(each for metric, each in readings(fork, [LIST, CREATE]).items() if metric.key == (name, endpoint))


def _judged(comparison: Comparison, name: str, endpoint: str) -> Judgement:
    return next(each for each in comparison.judgements if each.metric.key == (name, endpoint))


def _compared(pairs: Sequence[Pair], *budgets: Budget) -> Comparison:
    return compare_pairs(pairs, Criteria(application=("shop.",), budgets=budgets))


def test_each_endpoint_has_what_its_own_requests_cost(make_pair) -> None:
    pair = with_blocks(make_pair(), BOTH, scatter=0.0)
    for endpoint, cost in ALIKE.items():
        costs = {"allocation": cost.bytes, "cpu": cost.cpu_ms, "statements": cost.statements}
        for name, amount in costs.items():
            found = _read(pair, name, endpoint)
            assert isinstance(found, Value)
            assert (found.amount, found.requests) == (pytest.approx(amount), 80)
    whole = _read(pair, "statements")
    assert isinstance(whole, Value)
    assert whole.amount == pytest.approx(0.75 * 1 + 0.25 * 3)


def test_windows_are_what_they_were(make_pair) -> None:
    plain = make_pair()
    counted = with_blocks(plain, BOTH)
    for side in Side:
        before, after = (
            readings(replace(MeasuredFork.of(pair, side), mix={LIST: 0.75, CREATE: 0.25}), [LIST, CREATE])
            for pair in (plain, counted)
        )
        own = {
            metric
            for metric in before
            if metric.name not in COUNTED or (metric.endpoint == "" and metric.name in ("cpu", "allocation"))
        }
        assert {metric: before[metric] for metric in own} == {metric: after[metric] for metric in own}
        assert len(own) > 40


def test_a_pair_without_blocks_lacks_them_and_nothing_else(make_pairs) -> None:
    pairs = make_pairs(4)
    for name in COUNTED:
        missing = _read(pairs[0], name, LIST)
        assert isinstance(missing, Missing)
        assert missing.absent
        assert "plan.counted" in missing.reason
    comparison = _compared(pairs)
    assert comparison.verdict is Verdict.PASSED
    assert not [each for each in comparison.judgements if each.metric.name in COUNTED and each.metric.endpoint]


def test_an_endpoint_with_a_single_block_is_not_counted(make_pair) -> None:
    pair = with_blocks(make_pair(), BOTH, rounds={LIST: 3, CREATE: 1})
    assert isinstance(_read(pair, "allocation", LIST), Value)
    missing = _read(pair, "allocation", CREATE)
    assert isinstance(missing, Missing)
    assert missing.absent
    assert isinstance(_read(pair, "statements"), Missing)  # of the whole mix nothing is known then


def test_a_rare_endpoint_that_allocates_more_trips(make_pairs) -> None:
    """A twentieth more for a quarter of the requests: the windows of these pairs do not show it at all."""
    pairs = [with_blocks(pair, _after(Cost(bytes=84_000, cpu_ms=1.6, statements=3))) for pair in make_pairs(4)]
    comparison = _compared(pairs)
    assert comparison.verdict is Verdict.REGRESSED
    found = _judged(comparison, "allocation", CREATE)
    assert (found.verdict, found.role) == (Verdict.REGRESSED, Role.TRIPWIRE)
    assert found.estimate is not None
    assert found.estimate.change == pytest.approx(0.05, abs=0.002)
    assert _judged(comparison, "allocation", LIST).verdict is Verdict.PASSED
    assert _judged(comparison, "allocation", "").verdict is Verdict.PASSED
    assert ("allocation", CREATE) in comparison.noise


def test_a_statement_more_trips(make_pairs) -> None:
    pairs = [with_blocks(pair, _after(Cost(bytes=80_000, cpu_ms=1.6, statements=4))) for pair in make_pairs(4)]
    assert _judged(_compared(pairs), "statements", CREATE).verdict is Verdict.REGRESSED


def test_cpu_of_an_endpoint_decides_nothing_unless_a_budget_names_it(make_pairs) -> None:
    pairs = [with_blocks(pair, _after(Cost(bytes=80_000, cpu_ms=2.4, statements=3))) for pair in make_pairs(4)]
    for budgets in ((), (Budget(metric="cpu", relative=0.05),)):
        unnamed = _compared(pairs, *budgets)
        assert _judged(unnamed, "cpu", CREATE).role is Role.OBSERVED
        assert unnamed.verdict is Verdict.PASSED
    named = _compared(pairs, Budget(metric="cpu", endpoint=CREATE, relative=0.05))
    assert _judged(named, "cpu", CREATE).verdict is Verdict.REGRESSED
    assert _judged(named, "cpu", LIST).role is Role.OBSERVED
    assert named.verdict is Verdict.REGRESSED


def test_a_pair_that_lost_its_blocks_costs_the_others_nothing(make_pairs) -> None:
    lost, *others = make_pairs(5)
    pairs = [lost, *(with_blocks(pair, BOTH) for pair in others)]
    comparison = _compared(pairs)
    assert comparison.verdict is Verdict.PASSED
    assert comparison.pairs == 5
    assert _judged(comparison, "allocation", LIST).estimate is not None


def test_a_stored_baseline_brings_its_blocks_along(make_pairs) -> None:
    baseline = [with_blocks(pair, {Side.CANDIDATE: ALIKE}) for pair in make_pairs(4, baseline=None, seed=1)]
    dearer = {Side.CANDIDATE: {**ALIKE, CREATE: Cost(bytes=96_000, statements=3)}}
    candidate = [with_blocks(pair, dearer, seed=2) for pair in make_pairs(4, baseline=None, seed=2)]
    comparison = compare_stored(as_baseline(baseline), candidate, Criteria())
    assert _judged(comparison, "allocation", CREATE).verdict is Verdict.REGRESSED
    assert _judged(comparison, "allocation", LIST).verdict is not Verdict.REGRESSED
    without = compare_stored(as_baseline(make_pairs(4, baseline=None)), candidate, Criteria())
    assert not [each for each in without.judgements if each.metric.key == ("allocation", CREATE) and each.estimate]


def test_statements_that_were_counted_in_one_recording_only_are_asked_of_the_pages_of_both(make_pairs) -> None:
    """The agent, which the earlier recording had not, sees more statements than the page knows of."""
    seen = {name: replace(cost, queries={"shop.Orders.page": 5.0}) for name, cost in ALIKE.items()}
    baseline = [with_blocks(pair, {Side.CANDIDATE: ALIKE}) for pair in make_pairs(4, baseline=None, seed=1)]
    candidate = [
        with_blocks(pair, {Side.CANDIDATE: seen})
        for pair in changed(
            make_pairs(4, baseline=None, seed=2), {Side.CANDIDATE: with_counted_calls(shop__Orders__page=5)}
        )
    ]
    comparison = compare_stored(as_baseline(baseline), candidate, Criteria())
    estimate = _judged(comparison, "statements", LIST).estimate
    assert estimate is not None
    assert (estimate.baseline, estimate.candidate) == pytest.approx((1.0, 1.0))


def test_the_method_that_asks_more_is_named_where_calls_were_counted_in_blocks_alone(make_pairs) -> None:
    asked = {name: replace(cost, queries={"shop.Orders.page": cost.statements}) for name, cost in ALIKE.items()}
    more = {**asked, CREATE: replace(asked[CREATE], queries={"shop.Orders.page": 3.0, "shop.Lines.find": 9.0})}
    comparison = _compared(
        [with_blocks(pair, {Side.BASELINE: asked, Side.CANDIDATE: more}) for pair in make_pairs(4, seed=1)]
    )
    assert _judged(comparison, "statements", CREATE).verdict is Verdict.REGRESSED
    assert _judged(comparison, "statements", LIST).verdict is Verdict.PASSED
    (finding,) = [each for each in comparison.findings if each.judgement.metric.key == ("statements", CREATE)]
    assert finding.causes[0].name == "more-calls"
    assert "from 3.00 to 12.00 in 4 of 4 pairs, made by shop.Lines.find (0.00 to 9.00)" in finding.causes[0].statement
