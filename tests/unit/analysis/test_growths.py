"""Growth of cumulative counters between the edges of windows."""

from __future__ import annotations

import math

import pandas as pd

from pacecar.analysis.metrics.growths import Growths


def rows(*read: tuple[int, str, float]) -> pd.DataFrame:
    return pd.DataFrame(read, columns=["window", "edge", "used"]).assign(name="service")


def test_growth_by_window_whatever_the_order_of_rows() -> None:
    found = Growths.of(rows((3, "end", 9.0), (1, "start", 1.0), (3, "start", 4.0), (1, "end", 2.5)))
    assert found.of_column("used").to_dict() == {1: 1.5, 3: 5.0}


def test_windows_with_one_edge_and_counters_that_fell_are_left_out() -> None:
    read = [(0, "start", 1.0), (1, "end", 2.0), (2, "start", 5.0), (2, "end", 4.0), (3, "start", math.nan)]
    assert Growths.of(rows(*read, (3, "end", 1.0))).of_column("used").empty
    assert Growths.of(rows()).of_column("used").empty


def test_of_an_edge_that_was_read_twice_the_last_known_value_counts() -> None:
    read = [(0, "start", 1.0), (0, "end", 2.0), (0, "end", 7.0), (0, "end", math.nan)]
    assert Growths.of(rows(*read)).of_column("used").to_dict() == {0: 6.0}


def test_whole_numbers_stay_whole() -> None:
    read = rows((0, "start", 0), (0, "end", 0)).assign(used=[2**60 + 1, 2**60 + 4])
    assert Growths.of(read).of_column("used").to_dict() == {0: 3}
