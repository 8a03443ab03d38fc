from __future__ import annotations

import pandas as pd

from pacecar.measurement.spans.chosen import chosen
from pacecar.model.tables import TABLES


def arrivals(took_ms: dict[str, list[float | None]]) -> pd.DataFrame:
    rows = [(endpoint, took) for endpoint, of_endpoint in took_ms.items() for took in of_endpoint]
    table = pd.DataFrame(rows, columns=["endpoint", "took_ms"]).assign(window=0, due_ns=0, lag_ms=0.0, injector=0)
    return table.assign(number=range(1, len(table) + 1))[list(TABLES["arrivals"])].astype(TABLES["arrivals"])


def test_the_slowest_and_the_most_usual_of_each_endpoint() -> None:
    table = arrivals({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 60.0, 70.0, 80.0, 4.5], "b": [9.0]})
    # The median of a is 4.5.
    assert set(chosen(table)) == {6, 7, 8, 9, 4, 5, 10}


def test_those_without_a_number_or_an_answer_are_passed_over() -> None:
    table = arrivals({"a": [1.0, None, 3.0]})
    assert set(chosen(table)) == {1, 3}
    assert chosen(table.assign(number=float("nan"))).empty


def test_of_very_many_endpoints_the_busiest_are_looked_at() -> None:
    took: dict[str, list[float | None]] = {f"once {number}": [1.0] for number in range(100)}
    found = set(chosen(arrivals(took | {"often": [1.0, 2.0]})))
    assert {101, 102} <= found
    assert len(found) == 41
