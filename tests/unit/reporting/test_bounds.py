"""Where the strip below a verdict draws what is ruled out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.model.comparison import Metric, Role, Verdict
from pacecar.model.experiment import Budget
from pacecar.reporting.bounds import strip
from pacecar.reporting.document import Document
from pacecar.reporting.document.conclusion import judged_metric
from pacecar.reporting.document.shapes import JudgedMetric
from support.documents import CPU, ERRORS, estimate, judgement

TEN = Budget(metric="cpu", relative=0.1)


def row(
    change: float, *, metric: Metric = CPU, role: Role = Role.GUARANTEED, verdict: Verdict = Verdict.PASSED
) -> JudgedMetric:
    ratio = metric is not ERRORS
    return judged_metric(judgement(metric, verdict, estimate(change, 0.02, 2.0, ratio=ratio), role=role, budget=TEN))


def test_a_row_for_each_guaranteed_metric_and_for_what_else_regressed(document: Document) -> None:
    tripped = row(0.3, role=Role.TRIPWIRE, verdict=Verdict.REGRESSED)
    quiet = row(0.3, role=Role.TRIPWIRE, verdict=Verdict.INCONCLUSIVE)
    observed = row(0.3, role=Role.OBSERVED, verdict=Verdict.REGRESSED)

    shown = [each.metric for each in strip((*document.judgements, tripped, quiet, observed)).rows]

    assert tripped in shown
    assert quiet not in shown
    assert observed not in shown
    assert sum(metric.role is Role.GUARANTEED for metric in shown) == 6


def test_what_regressed_is_shown_however_much_is_guaranteed() -> None:
    tripped = row(0.3, role=Role.TRIPWIRE, verdict=Verdict.REGRESSED)

    told = strip([*[row(0.0)] * 12, *[tripped] * 6])

    assert [each.metric for each in told.rows[:4]] == [tripped] * 4
    assert (len(told.rows), told.more) == (14, 4)


@pytest.mark.parametrize("metric", [CPU, ERRORS, Metric(name="throughput", unit="1", lower_is_better=False)])
def test_places_stand_in_the_order_of_their_amounts(metric: Metric) -> None:
    worse = 0.02 if metric.lower_is_better else -0.02
    told = strip([row(worse * (100 if metric is ERRORS else 1), metric=metric)])
    (only,) = told.rows

    assert only.low is not None
    assert only.point is not None
    assert only.high is not None
    assert only.budget is not None
    assert only.allowance is not None
    assert only.low < only.point < only.high <= 100
    assert told.zero < only.point < only.budget < only.allowance < 100


def test_rows_of_different_budgets_have_zero_and_allowance_at_the_same_place() -> None:
    narrow = replace(row(0.0), budget_relative=0.01)
    assert narrow.ruled_out is not None
    narrow = replace(narrow, ruled_out=replace(narrow.ruled_out, allowance=0.015))

    wide, tight = strip([row(0.0), narrow]).rows

    assert wide.point == tight.point
    assert wide.allowance == tight.allowance
    assert wide.bound is not None
    assert tight.bound is not None
    assert wide.bound < tight.bound, "the same bound is more of a smaller allowance"


@pytest.mark.parametrize(("change", "edge", "beyond"), [(40.0, 98.0, 1), (-0.9, 2.0, -1)])
def test_what_lies_beyond_is_drawn_as_such_at_the_edge(change: float, edge: float, beyond: int) -> None:
    (only,) = strip([row(change)]).rows

    assert only.point == edge
    assert only.beyond == beyond


def test_nothing_on_the_scale_is_ruled_out_where_the_bound_lies_beyond() -> None:
    (far,) = strip([row(40.0)]).rows
    (near,) = strip([row(0.0)]).rows

    assert (far.bound, near.beyond) == (None, 0)
    assert near.bound is not None


def test_without_a_budget_there_is_nothing_to_draw() -> None:
    (bare,) = strip([replace(row(0.1), budget_relative=None, ruled_out=None)]).rows

    assert not bare.drawn
    assert bare.words == "estimate +10.0% [+8.0, +12.0]"


def test_the_picture_in_words() -> None:
    (only,) = strip([row(0.01)]).rows

    assert only.words == (
        "estimate +1.0% [-1.0, +3.0], more than 3% worse is ruled out, budget 10%, to be ruled out: 15%"
    )
