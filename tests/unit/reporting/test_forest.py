from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from pacecar.model.comparison import Metric, Scale, Verdict
from pacecar.reporting.document import Document
from pacecar.reporting.document.conclusion import judged_metric
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.reporting.forest import forest
from support.documents import CPU, estimate, judgement


def row(change: float, *, metric: Metric = CPU, verdict: Verdict = Verdict.REGRESSED) -> JudgedMetric:
    return judged_metric(judgement(metric, verdict, estimate(change, 0.02, 2.0)))


def test_gated_and_changed_metrics_come_first_the_rest_below(document: Document) -> None:
    plot = forest(document.judgements)

    assert [each.metric for each in plot.rows[:5]] == list(document.judgements[:5])
    assert all(each.metric.gated or each.metric.verdict is not Verdict.UNCHANGED for each in plot.rows)
    assert {each.metric.verdict for each in plot.quiet} == {Verdict.UNCHANGED}


def test_intervals_lie_around_their_point_and_inside_the_picture(document: Document) -> None:
    for each in forest(document.judgements).rows:
        assert each.low is not None
        assert each.point is not None
        assert each.high is not None
        assert 0 <= each.low <= each.point <= each.high <= 100


@pytest.mark.parametrize("change", [0.001, 0.3, 40.0])
def test_worse_is_right_of_zero_however_large(change: float) -> None:
    plot = forest([row(change), row(-0.04)])

    worse, better = (each.point for each in plot.rows)
    assert worse is not None
    assert better is not None
    assert better < plot.zero < worse <= 100


def test_less_throughput_is_drawn_as_worse() -> None:
    throughput = Metric(name="throughput", unit="1", lower_is_better=False)

    plot = forest([row(-0.3, metric=throughput)])

    (only,) = plot.rows
    assert only.point is not None
    assert only.low is not None
    assert only.high is not None
    assert only.point > plot.zero
    assert only.low < only.high


def test_tick_labels_do_not_touch() -> None:
    ticks = forest([row(60.0), row(-0.7)]).ticks

    assert "0" in [tick.label for tick in ticks]
    assert all(after.x - before.x >= 9 for before, after in pairwise(ticks))


def test_what_has_no_common_axis_is_not_drawn(document: Document) -> None:
    milliseconds = Metric(name="jit", unit="ms", scale=Scale.DIFFERENCE)
    unknown = replace(document.judgements[0], estimate=None)

    plot = forest([row(0.2, metric=milliseconds), unknown])

    assert plot.rows == plot.quiet == ()
