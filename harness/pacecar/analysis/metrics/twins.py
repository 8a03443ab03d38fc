"""Requests and their twins: both sides of a pair are asked the same, so what fails on both says nothing of a build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL, Reading, Value
from pacecar.model.comparison import Metric

#: Every metric on one fork.
Readings = dict[Metric, Reading]
_ERRORS = "errors"


def with_twins(readings: Readings, shared: Mapping[str, int]) -> Readings:
    """`readings` that know how many requests failed on both sides: endpoint -> number."""
    return {
        metric: replace(found, shared=shared.get(metric.endpoint, 0))
        if metric.name == _ERRORS and isinstance(found, Value)
        else found
        for metric, found in readings.items()
    }


def failed_on_both(before: MeasuredFork, after: MeasuredFork) -> dict[str, int]:
    """Endpoint -> requests that failed on both sides; `ALL` holds the sum.

    The k-th request to an endpoint in a window has its twin at the same place of the other side's window. A request
    that was lost moves those behind it by one: then twins are missed, which makes the result more cautious.
    """
    failed = [_failed(fork) for fork in (before, after)]
    both = failed[0].merge(failed[1], on=["place", "endpoint", "turn"])
    found = {str(endpoint): int(count) for endpoint, count in both["endpoint"].value_counts().items()}
    return found | {ALL: len(both)}


def _failed(fork: MeasuredFork) -> pd.DataFrame:
    """The fork's failed requests: how manieth window, endpoint, and how manieth request of those two."""
    rows = fork.requests.sort_values("start_ns", kind="stable")
    numbered = pd.DataFrame(
        {
            "place": rows["window"].rank(method="dense").astype(int),
            "endpoint": rows["endpoint"],
            "turn": rows.groupby(["window", "endpoint"]).cumcount(),
        }
    )
    return numbered[~rows["ok"].astype(bool)]
