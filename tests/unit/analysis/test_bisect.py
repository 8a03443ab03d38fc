"""The search for a commit as pure logic: which one comes next, what a comparison means, when it has ended."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.bisect import (
    followed,
    next_commit,
    outcome_of,
    same_build,
    steps_left,
    suspects,
    terms_of_ends,
    terms_of_step,
)
from pacecar.model.bisection import Bisection, BisectionStep, Candidate, End, Followed, Outcome, Seen
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Budget
from pacecar.model.options import Terms
from support.histories import Drawn, histories

CPU = Followed(metric="cpu", endpoint="", change=0.2, threshold=0.0954)
P99 = Followed(metric="latency.p99", endpoint="GET /orders", change=0.5, threshold=0.22)


def _seen(each: Followed, verdict: Verdict, change: float = 0.1) -> Seen:
    return Seen(
        metric=each.metric, endpoint=each.endpoint, verdict=verdict, pairs=4, change=change, low=change, high=change
    )


def _search(drawn: Drawn, skipped: frozenset[int]) -> tuple[list[int], set[int]]:
    """The commits measured, and the suspects at the end."""
    goods, bad = {0}, drawn.last
    tried: list[int] = []
    lost: set[int] = set()
    while True:
        candidates = drawn.candidates(goods, bad)
        commit = next_commit(candidates, bad=str(bad), skipped={str(each) for each in lost})
        if commit is None:
            return tried, {int(each) for each in suspects(candidates, bad=str(bad), skipped=set(map(str, lost)))}
        number = int(commit)
        assert number not in tried
        tried.append(number)
        if number in skipped:
            lost.add(number)
        elif drawn.is_bad(number):
            bad = number
        else:
            goods.add(number)


@given(histories())
def test_without_skips_the_commit_is_found(drawn: Drawn) -> None:
    tried, left = _search(drawn, frozenset())
    assert left == {drawn.culprit}
    assert len(tried) < len(drawn.parents)


@given(histories())
def test_with_skips_the_commit_is_among_those_left(drawn: Drawn) -> None:
    tried, left = _search(drawn, drawn.skipped)
    assert drawn.culprit in left
    # Nothing is left that a measured commit has cleared, and all but one of it was skipped.
    assert len(left - drawn.skipped) <= 1
    assert left.isdisjoint(each for each in tried if each not in drawn.skipped and not drawn.is_bad(each))


@given(count=st.integers(1, 200), data=st.data())
def test_a_straight_history_takes_as_many_steps_as_are_announced(count: int, data: st.DataObject) -> None:
    culprit = data.draw(st.integers(1, count))
    drawn = Drawn(parents=((), *((number,) for number in range(count))), culprit=culprit, skipped=frozenset())
    tried, left = _search(drawn, frozenset())
    assert left == {culprit}
    assert len(tried) <= steps_left(count)


def test_a_stretch_that_does_not_build_is_left_soon() -> None:
    count = 256
    drawn = Drawn(parents=((), *((number,) for number in range(count))), culprit=200, skipped=frozenset())
    tried, left = _search(drawn, frozenset(range(96, 160)))
    assert left == {200}
    assert sum(96 <= commit < 160 for commit in tried) <= 8


def test_only_one_commit_is_no_search() -> None:
    assert next_commit([Candidate(commit="b", distance=0)], bad="b", skipped=()) is None
    assert suspects([Candidate(commit="b", distance=0)], bad="b", skipped=()) == ("b",)


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        ((Verdict.REGRESSED, Verdict.UNCHANGED), Outcome.BAD),
        ((Verdict.REGRESSED, Verdict.INCONCLUSIVE), Outcome.BAD),
        ((Verdict.UNCHANGED, Verdict.IMPROVED), Outcome.GOOD),
        ((Verdict.UNCHANGED, Verdict.INCONCLUSIVE), Outcome.SKIPPED),
        ((Verdict.INVALID, Verdict.UNCHANGED), Outcome.SKIPPED),
    ],
)
def test_what_a_comparison_means(verdicts: tuple[Verdict, Verdict], outcome: Outcome) -> None:
    seen = [_seen(each, verdict, 0.3) for each, verdict in zip((CPU, P99), verdicts, strict=True)]
    assert outcome_of(seen, (CPU, P99))[0] is outcome


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (-0.07, 0.02, Outcome.GOOD),  # perhaps faster, but surely not half as slow as the bad commit
        (-0.07, 0.10, Outcome.SKIPPED),
        (None, None, Outcome.SKIPPED),
    ],
)
def test_what_may_be_faster_is_not_slower(low: float | None, high: float | None, outcome: Outcome) -> None:
    seen = replace(_seen(CPU, Verdict.INCONCLUSIVE, -0.028), low=low, high=high)
    assert outcome_of([seen], (CPU,))[0] is outcome


def test_what_was_not_measured_clears_nobody() -> None:
    assert outcome_of([_seen(CPU, Verdict.UNCHANGED)], (CPU, P99))[0] is Outcome.SKIPPED
    assert outcome_of([], (CPU,)) == (Outcome.SKIPPED, "not decided: nothing could be measured")
    other = replace(CPU, metric="allocation")
    assert outcome_of([_seen(other, Verdict.REGRESSED)], (CPU,))[0] is Outcome.SKIPPED


def _regressed(metric: str, change: float, error: float, *, endpoint: str = "") -> Seen:
    low, high = (math.expm1(math.log1p(change) + side * error) for side in (-1, 1))
    return Seen(metric=metric, endpoint=endpoint, verdict=Verdict.REGRESSED, pairs=4, change=change, low=low, high=high)


def test_half_of_a_change_is_the_threshold_and_two_halves_make_the_whole() -> None:
    (cpu,) = followed([_regressed("cpu", 0.21, 0.01)], most=4)
    assert cpu.threshold == pytest.approx(0.10)
    points = Seen(metric="errors", endpoint="", verdict=Verdict.REGRESSED, pairs=4, change=3.0, low=2.8, high=3.2)
    assert followed([points], most=4)[0].threshold == pytest.approx(1.5)


def test_what_a_plan_cannot_tell_both_ways_is_not_followed() -> None:
    clear, noisy = _regressed("allocation", 0.15, 0.001), _regressed("latency.p99", 0.15, 0.14, endpoint="GET /")
    assert [each.metric for each in followed([noisy, clear], most=4)] == ["allocation"]
    assert [each.metric for each in followed([noisy, clear], most=60)] == ["latency.p99", "allocation"]
    assert [each.metric for each in followed([noisy], most=4)] == ["latency.p99"]


def test_of_many_that_moved_together_the_clearest_few_are_followed() -> None:
    many = [_regressed("latency.p50", 0.5, 0.002 * number, endpoint=f"GET /{number}") for number in range(9, 0, -1)]
    assert [each.endpoint for each in followed(many, most=6)] == [f"GET /{number}" for number in range(5, 0, -1)]


def test_only_what_became_worse_is_followed() -> None:
    unchanged = replace(_regressed("cpu", 0.2, 0.01), verdict=Verdict.UNCHANGED)
    faster_but_too_slow = _regressed("latency.p99", -0.2, 0.01)
    dead = Seen(metric="deaths", endpoint="", verdict=Verdict.REGRESSED)
    assert followed([unchanged, faster_but_too_slow, dead], most=4) == ()


@given(
    endpoint=st.text(st.characters(exclude_categories=("C", "Z")), max_size=20).map(lambda text: f"GET /{text}"),
    threshold=st.floats(1e-6, 1e6),
)
def test_a_step_is_decided_by_what_is_followed(endpoint: str, threshold: float) -> None:
    metrics = (replace(P99, endpoint=endpoint, threshold=threshold), CPU)
    terms = terms_of_step(metrics, candidates=100)
    assert terms.gate == (f"latency.p99 of {endpoint}", "cpu")
    assert terms.comparisons == 7
    bounded = min(max(threshold, 0.001), 10.0)
    assert terms.budgets == (
        Budget(metric="latency.p99", endpoint=endpoint, relative=bounded, allowance=bounded),
        Budget(metric="cpu", relative=0.0954, allowance=0.0954),
    )


@pytest.mark.parametrize(
    ("metric", "threshold", "relative"),
    [("errors", 1.5, 0.015), ("jit", 250.0, 250.0), ("jit", 0.0002, 0.0002), ("cpu", 0.0002, 0.001)],
)
def test_a_budget_has_the_unit_of_its_metric(metric: str, threshold: float, relative: float) -> None:
    followed_one = Followed(metric=metric, endpoint="", change=2 * threshold, threshold=threshold)
    assert terms_of_step([followed_one], candidates=2).budgets == (
        Budget(metric=metric, relative=relative, allowance=relative),
    )


def test_the_ends_are_decided_by_the_metric_that_was_asked_for() -> None:
    assert terms_of_ends(None, None) == Terms()
    assert terms_of_ends("cpu", None) == Terms(gate=("cpu",))
    assert terms_of_ends("latency.p99", "GET /orders") == Terms(gate=("latency.p99 of GET /orders",))


def test_the_same_artifact_is_not_measured_twice() -> None:
    step = BisectionStep(commit="m", outcome=Outcome.BAD, reason="", run_id="r", artifact_sha256="2")
    search = Bisection(
        bisection_id="i",
        created="",
        good=End(ref="v1", commit="g"),
        bad=End(ref="v2", commit="b"),
        first_parent=False,
        candidates=9,
        configuration="",
        config="/p/pacecar.toml",
        good_sha256="1",
        steps=(step,),
    )
    assert same_build(search, "2") is step
    good = same_build(search, "1")
    assert good is not None
    assert (good.commit, good.outcome) == ("g", Outcome.GOOD)
    assert same_build(search, "3") is None
    # A build that failed has no digest; it is no twin of anything.
    failed = replace(search, good_sha256=None, steps=(replace(step, artifact_sha256=None),))
    assert same_build(failed, "3") is None
