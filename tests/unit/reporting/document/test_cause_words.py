"""What causes rest on, as people read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.model.comparison import Metric, Verdict
from pacecar.reporting.document import cause_words
from pacecar.reporting.document.cause_rows import ledger_row
from pacecar.reporting.document.cause_shapes import ConsequenceRow, FactRow, ScopeRow, ShareRow
from pacecar.reporting.document.conclusion import judged_metric
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.text.units import Unit
from support.documents import estimate, judgement
from support.findings import exchanged, ledger

_ANYWHERE = ScopeRow(endpoint=None, pool=None, frame=None, dependency=None, series=None, label=None)


def fact(*, baseline: float, candidate: float, low: float | None, high: float | None, unit: Unit = "ms") -> FactRow:
    return FactRow(
        quantity="CPU time per request",
        unit=unit,
        scope=_ANYWHERE,
        baseline=baseline,
        candidate=candidate,
        change=candidate - baseline,
        low=low,
        high=high,
        pairs=3,
        exact=False,
    )


def _metric(name: str) -> JudgedMetric:
    return judged_metric(judgement(Metric(name=name), Verdict.REGRESSED, estimate(0.1, 0.01, 18.3)))


def test_figures_of_a_fact_have_the_decimals_of_the_largest() -> None:
    row = fact(baseline=0.000584, candidate=0.961, low=0.8884, high=1.0326)

    assert cause_words.fact(row) == "CPU time per request: 0.001 ms → 0.961 ms, +0.96 ms [+0.888 ms, +1.03 ms]"


def test_what_is_nothing_beside_the_largest_is_zero_without_a_sign() -> None:
    row = fact(baseline=3.0, candidate=0.0, low=-3.2, high=-0.0001)

    assert cause_words.change(row) == "-3 ms [-3.2 ms, 0 ms]"


def test_bytes_are_rounded_before_they_are_scaled() -> None:
    row = fact(baseline=0.4, candidate=3_412_345.0, low=None, high=None, unit="B")

    assert cause_words.fact(row) == "CPU time per request: 0 B → 3.41 MB, +3.41 MB"


def test_parts_that_took_each_others_place_are_one_sentence() -> None:
    told = cause_words.exchange(ledger_row(exchanged()))
    assert told == (
        "The mean latency of GET /orders hardly changed, but what it is made of did: "
        '"waiting for a lock" went from 6 ms to 0.5 ms and "ready, without a CPU" went from 0.3 ms to 5.7 ms.'
    )
    assert cause_words.exchange(ledger_row(ledger())) is None


def test_a_mean_that_moved_too_is_not_said_to_have_hardly_changed() -> None:
    moved = replace(ledger_row(exchanged()), candidate_ms=8.4)
    told = cause_words.exchange(moved)
    assert told is not None
    assert told.startswith("The mean latency of GET /orders changed less than what it is made of: ")


@pytest.mark.parametrize(
    ("part", "low", "high", "told"),
    [
        (0.9, 0.7, 1.1, "90% of the change [70, 110]"),
        (1.004, 0.96, 1.04, "100% of the change [96, 104]"),
        (1.2, None, None, "all of the change"),
        (4.87, 0.63, 9.11, "all of the change, at least 63%"),
        (1.38, 1.02, 1.74, "all of the change"),
    ],
)
def test_more_than_all_of_a_change_is_all_of_it(part: float, low: float | None, high: float | None, told: str) -> None:
    share = ShareRow(part=part, low=low, high=high)
    row = ConsequenceRow(name="", title="", statement="", strength=None, share=share, scope=_ANYWHERE, facts=())
    assert cause_words.share(row, _metric("cpu")) == told


@pytest.mark.parametrize(
    ("metric", "name", "told"),
    [
        ("latency.p99", "hot-frame", "46% of the change in the mean [32, 59]"),
        ("latency.tail", "paused-outliers", "46% of the change in slow requests [32, 59]"),
        ("latency.p99", "changed-setting", "46% of the change [32, 59]"),
        ("latency.mean", "hot-frame", "46% of the change [32, 59]"),
        ("cpu", "hot-frame", "46% of the change [32, 59]"),
    ],
)
def test_a_share_of_latency_says_that_it_is_one_of_the_mean(metric: str, name: str, told: str) -> None:
    share = ShareRow(part=0.456, low=0.316, high=0.593)
    row = ConsequenceRow(name=name, title="", statement="", strength=None, share=share, scope=_ANYWHERE, facts=())
    assert cause_words.share(row, _metric(metric)) == told


def test_what_all_code_takes_is_said_to_be_no_part_of_a_change() -> None:
    row = replace(fact(baseline=0.0, candidate=0.0274, low=0.022, high=0.0284), change=0.0252)

    assert cause_words.fact(row) == (
        "CPU time per request: 0 ms → 0.0274 ms, attributed +0.0252 ms [+0.022 ms, +0.0284 ms]"
    )
