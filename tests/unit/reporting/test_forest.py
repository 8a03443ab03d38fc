from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from pacecar.model.comparison import Metric, Role, Scale, Verdict
from pacecar.reporting.document import Document
from pacecar.reporting.document.conclusion import judged_metric
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.reporting.forest import forest
from support.documents import CPU, estimate, judgement


def row(change: float, *, metric: Metric = CPU, verdict: Verdict = Verdict.REGRESSED) -> JudgedMetric:
    return judged_metric(judgement(metric, verdict, estimate(change, 0.02, 2.0)))


def test_guaranteed_metrics_come_first_then_tripwires_that_changed_or_look_worse(document: Document) -> None:
    plot = forest(document.judgements)

    assert [each.metric for each in plot.rows] == list(document.judgements[:8])
    roles = [each.metric.role for each in plot.rows]
    assert roles == [Role.GUARANTEED] * 6 + [Role.TRIPWIRE] * 2
    assert plot.rows[-1].metric.verdict is Verdict.INCONCLUSIVE, "beyond its budget, and nobody knows"
    assert len(plot.rows) + len(plot.quiet) == len(document.judgements)


def test_what_regressed_stands_above_all_else(document: Document) -> None:
    tripped = judged_metric(judgement(CPU, Verdict.REGRESSED, estimate(0.2, 0.02, 2.0), role=Role.TRIPWIRE))

    first, *_ = forest([row(0.0, verdict=Verdict.INCONCLUSIVE), row(0.0, verdict=Verdict.PASSED), tripped]).rows

    assert first.metric == tripped


def test_what_decides_nothing_is_folded_whatever_it_did(document: Document) -> None:
    observed = [each for each in forest(document.judgements).quiet if each.metric.role is Role.OBSERVED]

    assert {each.metric.verdict for each in observed} == {Verdict.REGRESSED, Verdict.INCONCLUSIVE}


def test_of_a_hundred_regressions_forty_stand_in_front() -> None:
    plot = forest([row(0.2)] * 100)

    assert (len(plot.rows), len(plot.quiet)) == (40, 60)


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
    assert all(after.at - before.at >= 9 for before, after in pairwise(ticks))


def test_what_has_no_common_axis_has_a_row_and_no_point(document: Document) -> None:
    milliseconds = Metric(name="jit", unit="ms", scale=Scale.DIFFERENCE)
    unknown = replace(document.judgements[0], estimate=None)

    plot = forest([row(0.2, metric=milliseconds), unknown])

    assert [each.point for each in plot.rows] == [None, None]
