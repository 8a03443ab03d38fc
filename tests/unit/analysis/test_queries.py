"""Metrics that the configuration asks Prometheus for: from a number per window to a verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import kinds, metric_of, readings
from pacecar.analysis.metrics.reading import Missing, Value
from pacecar.analysis.paired import compare_pairs, look
from pacecar.analysis.stored import compare_stored
from pacecar.model.comparison import Judgement, Role, Scale, Verdict
from pacecar.model.experiment import Budget, Query, Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES

QUEUE = Query(name="queue", text="x")
HITS = Query(name="hits", text="y", unit="%", lower_is_better=False, difference=True)
BUDGETS = [Budget(metric="queue", relative=0.1), Budget(metric="hits", relative=0.02)]


def _asked(pair: Pair, values: dict[Side, dict[str, float]], *, errors: dict[int, str] | None = None) -> Pair:
    """`pair` with what Prometheus said of each window: values by side and metric; `errors` by window."""
    forks = {}
    for side, fork in pair.forks.items():
        rows = [
            {
                "window": window.index,
                "metric": metric,
                "time_ns": window.end_ns,
                "value": np.nan if (errors or {}).get(window.index) else value,
                "error": (errors or {}).get(window.index, ""),
            }
            for window in pair.record.windows
            if window.side is side
            for metric, value in values.get(side, {}).items()
        ]
        table = pd.DataFrame(rows, columns=list(TABLES["queries"])).astype(TABLES["queries"])
        forks[side] = replace(fork, tables={**fork.tables, "queries": table})
    return replace(pair, forks=forks)


@pytest.fixture
def asked_pairs(make_pairs):
    """Pairs in which Prometheus gave these values, with a little noise of each pair's own."""

    def build(count: int = 6, **sides: dict[str, float]) -> list[Pair]:
        rng = np.random.default_rng(7)
        given = {Side(side): values for side, values in sides.items()}
        return [
            _asked(
                pair,
                {
                    side: {name: v * (1 + rng.normal(0, 0.005)) for name, v in values.items()}
                    for side, values in given.items()
                },
            )
            for pair in make_pairs(count)
        ]

    return build


def _judged(pairs: list[Pair], *queries: Query, gate: tuple[str, ...] = ()) -> dict[str, Judgement]:
    compared = compare_pairs(pairs, Criteria(budgets=BUDGETS, gate=gate, queries=queries))
    return {judgement.metric.name: judgement for judgement in compared.judgements if not judgement.metric.endpoint}


def test_worse_is_regressed_and_may_decide(asked_pairs) -> None:
    pairs = asked_pairs(baseline={"queue": 4.0}, candidate={"queue": 6.0})
    judged = _judged(pairs, QUEUE, gate=("queue",))["queue"]
    assert (judged.verdict, judged.role) == (Verdict.REGRESSED, Role.GUARANTEED)
    assert judged.estimate.change == pytest.approx(0.5, abs=0.03)
    assert look(pairs, Criteria(budgets=BUDGETS, gate=("queue",), queries=(QUEUE,)), Context(most=6)).decided


def test_the_direction_is_the_configurations(asked_pairs) -> None:
    fewer = asked_pairs(baseline={"hits": 90.0}, candidate={"hits": 80.0})
    judged = _judged(fewer, HITS)["hits"]
    assert judged.verdict is Verdict.REGRESSED
    assert judged.metric.scale is Scale.DIFFERENCE
    assert judged.estimate.change == pytest.approx(-10, abs=1)
    assert "budget of 2 points" in judged.reason
    more = asked_pairs(baseline={"hits": 80.0}, candidate={"hits": 90.0})
    assert _judged(more, HITS)["hits"].verdict is Verdict.IMPROVED


def test_without_a_change_it_passes(asked_pairs) -> None:
    assert _judged(asked_pairs(baseline={"queue": 4.0}, candidate={"queue": 4.0}), QUEUE)["queue"].verdict is (
        Verdict.PASSED
    )


def test_windows_without_a_number_are_left_out_while_half_have_one(make_pair) -> None:
    values = {Side.BASELINE: {"queue": 4.0}, Side.CANDIDATE: {"queue": 4.0}}
    pair = _asked(make_pair(), values, errors={0: "the query gave no result", 2: "the query gave no result"})
    fork = MeasuredFork.of(pair, Side.BASELINE)  # windows 0, 2, 4, 6
    metric = metric_of("queue", "", [QUEUE])
    assert metric is not None
    assert readings(fork, [], [QUEUE])[metric] == Value(amount=4.0, requests=len(fork.requests))
    pair = _asked(make_pair(), values, errors=dict.fromkeys((0, 2, 4), "the query gave no result"))
    reading = readings(MeasuredFork.of(pair, Side.BASELINE), [], [QUEUE])[metric]
    assert reading == Missing(reason="no number in 3 of 4 windows: the query gave no result")


@pytest.mark.parametrize("gate", [(), ("queue",)])
def test_what_was_never_answered_is_said(make_pairs, gate) -> None:
    errors = dict.fromkeys(range(8), "Prometheus cannot be reached: Connection refused")
    values = {side: {"queue": 1.0} for side in Side}
    judged = _judged([_asked(pair, values, errors=errors) for pair in make_pairs(3)], QUEUE, gate=gate)["queue"]
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert judged.reason == (
        "not measurable: no number in 4 of 4 windows: Prometheus cannot be reached: Connection refused"
    )


def test_what_was_not_asked_for_is_said(make_pairs) -> None:
    assert _judged(make_pairs(3), QUEUE)["queue"].reason == "not measurable: Prometheus was not queried for it"


def test_zero_has_no_ratio_but_a_difference(asked_pairs) -> None:
    pairs = asked_pairs(baseline={"queue": 0.0, "hits": 0.0}, candidate={"queue": -1.0, "hits": 5.0})
    judged = _judged(pairs, QUEUE, HITS)
    assert "it was not above zero in 6 of 6 forks of the baseline" in judged["queue"].reason
    assert judged["hits"].verdict is Verdict.IMPROVED


def test_a_stored_baseline_cannot_show_a_change(asked_pairs) -> None:
    before = asked_pairs(baseline={"queue": 4.0}, candidate={"queue": 4.0})
    after = asked_pairs(baseline={"queue": 4.0}, candidate={"queue": 8.0})
    compared = compare_stored(before, after, Criteria(budgets=BUDGETS, queries=(QUEUE,)))
    (judged,) = [each for each in compared.judgements if each.metric.name == "queue"]
    assert judged.verdict is Verdict.INCONCLUSIVE


def test_pacecars_own_metrics_come_first_and_stay_as_they_are() -> None:
    assert [each.name for each in kinds([QUEUE])][-1] == "queue"
    assert kinds([QUEUE])[:-1] == kinds([])
    assert metric_of("queue", "") is None
