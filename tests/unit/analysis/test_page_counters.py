"""What counters of a metrics page grew by."""

from __future__ import annotations

import pandas as pd

from pacecar.analysis.metrics.page_counters import PageCounters
from pacecar.model.tables import empty_table


def _scrapes(*read: tuple[int, str, str]) -> pd.DataFrame:
    return pd.DataFrame(read, columns=["window", "edge", "error"])


def _series(*read: tuple[int, str, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(read, columns=["window", "edge", "name", "labels", "value"])


WELL = _scrapes(*((window, edge, "") for window in (0, 1) for edge in ("start", "end")))


def _growth(series: pd.DataFrame, scrapes: pd.DataFrame, *groups: tuple[str, ...]) -> dict[int, float] | None:
    grown = PageCounters.of(series, scrapes).growth(groups)
    return None if grown is None else dict(zip(grown.index.tolist(), grown.tolist(), strict=True))


def test_all_labels_of_all_counters_are_added_up():
    series = _series(
        *[(0, "start", "calls", label, 10.0) for label in ("a", "b")],
        *[(0, "end", "calls", label, 13.0) for label in ("a", "b")],
        (0, "start", "queries", "", 1.0),
        (0, "end", "queries", "", 2.0),
    )
    assert _growth(series, WELL, ("calls",), ("queries",)) == {0: 7.0, 1: 0.0}


def test_of_a_group_the_first_that_a_page_has_counts():
    series = _series((0, "start", "second", "", 1.0), (0, "end", "second", "", 2.0), (0, "end", "third", "", 9.0))
    assert _growth(series, WELL, ("first", "second", "third")) == {0: 1.0, 1: 0.0}


def test_a_series_that_comes_within_a_window_was_zero():
    assert _growth(_series((1, "end", "calls", "", 4.0)), WELL, ("calls",)) == {0: 0.0, 1: 4.0}


def test_a_counter_that_was_reset_says_nothing_of_its_window():
    series = _series((0, "start", "calls", "", 5.0), (0, "end", "calls", "", 2.0))
    assert _growth(series, WELL, ("calls",)) == {1: 0.0}


def test_a_window_whose_page_was_not_read_at_both_edges_is_left_out():
    series = _series((0, "end", "calls", "", 5.0), (1, "end", "calls", "", 2.0))
    scrapes = _scrapes((0, "start", "timed out"), (0, "end", ""), (1, "start", ""), (1, "end", ""))
    assert _growth(series, scrapes, ("calls",)) == {1: 2.0}


def test_no_such_counter_is_nothing():
    assert _growth(empty_table("series"), WELL, ("calls",)) is None
    assert _growth(_series((0, "end", "calls", "", 5.0)), WELL, ("queries",)) is None
