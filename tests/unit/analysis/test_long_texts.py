"""Texts of a stranger's recording that are longer than any: read in time that follows their length."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.pages import LABELS
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.analysis.stats.histograms import histograms
from pacecar.analysis.validity.pairs import sift
from pacecar.model.experiment import Side
from support.quick_pairs import Build, pair_of

pytestmark = pytest.mark.hostile
#: A tenth of it took seconds.
LONG = 2_000_000


def test_labels_of_a_histogram() -> None:
    row = {"window": 0, "name": "http_server_requests_seconds_bucket", "labels": "x" * LONG, "value": 1.0}
    assert histograms(pd.DataFrame([{**row, "edge": edge} for edge in ("start", "end")])) == {}


def test_labels_of_a_page() -> None:
    fork = MeasuredFork.of(pair_of(1, Build(), Build(), scatter=0.0, seed=3), Side.CANDIDATE)
    series = fork.data.tables["series"].copy()
    series["labels"] = ["x" * LONG + '="1"', *series["labels"][1:-1], "y" * LONG]
    told = replace(fork, data=replace(fork.data, tables={**fork.data.tables, "series": series}))
    assert isinstance(LABELS.read(cast("Any", SimpleNamespace(pairs=[(told, told)]))), Quantity)


def test_a_figure_of_a_fork_that_was_not_steady(make_pair, truth) -> None:
    (remark,) = sift([make_pair(candidate=truth(unsettled=f"{'0' * LONG} of 30% and 40%"))]).remarks
    assert [figure.shown for figure in remark.statement.figures][-2:] == ["30%", "40%"]
