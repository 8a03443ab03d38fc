"""Latency as the service measured it itself, from the histogram it publishes for Prometheus."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from pacecar.report.document.profile_shapes import POOLED_GRID

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
#: The labels that frameworks give the route and the method of a request.
_ROUTE_LABELS = ("uri", "route", "http_route", "path", "handler")
_METHOD_LABELS = ("method", "http_request_method", "http_method")
#: The histograms that web frameworks publish -> milliseconds per unit of their bounds.
_UNITS_MS = {
    "http_server_requests_seconds_bucket": 1000.0,
    "http_server_request_duration_seconds_bucket": 1000.0,
    "http_server_duration_milliseconds_bucket": 1.0,
}


def server_curve(series: Sequence[pd.DataFrame], *, endpoint: str) -> tuple[float | None, ...]:
    """Milliseconds at each percentile of `POOLED_GRID`, or nothing when the service keeps no such histogram.

    Args:
        series: the `series` tables of all forks of one side.
        endpoint: name of the endpoint; a histogram belongs to it when it reads "METHOD route".
    """
    totals = pd.concat([_bucket_counts(table, endpoint=endpoint) for table in series]) if series else pd.Series()
    buckets = [(float(str(bound)), float(count)) for bound, count in totals.groupby(level=0).sum().items()]
    if not buckets or not math.isinf(buckets[-1][0]) or not 0 < buckets[-1][1] < math.inf:
        return ()
    return tuple(bucket_quantile(buckets, percentile / 100) for percentile in POOLED_GRID)


def bucket_quantile(buckets: Sequence[tuple[float, float]], quantile: float) -> float | None:
    """A quantile from cumulative buckets, by the linear rule of PromQL's `histogram_quantile`.

    Args:
        buckets: (upper bound, cumulative count), rising; the last bound is infinite.
        quantile: between 0 and 1.

    Returns:
        A value in the bounds' unit; None where the quantile lies in the last, open bucket.
    """
    rank = quantile * buckets[-1][1]
    lower, below = 0.0, 0.0
    for bound, count in buckets:
        if count >= rank:
            return None if math.isinf(bound) else lower + (bound - lower) * (rank - below) / max(count - below, 1e-9)
        lower, below = bound, count
    return None


def _bucket_counts(table: pd.DataFrame, *, endpoint: str) -> pd.Series[float]:
    """Upper bound in ms -> requests up to it, inside windows; an unreadable bound is left out."""
    rows = table[table["name"].isin(_UNITS_MS)]
    read = {labels: dict(_LABEL.findall(str(labels))) for labels in rows["labels"].unique()}
    rows = rows[rows["labels"].map(lambda labels: _request(read[labels]) == endpoint).astype(bool)]
    bounds = rows["labels"].map(lambda labels: _bound(read[labels].get("le", ""))).astype(float)
    rows = rows.assign(bound=bounds * rows["name"].map(_UNITS_MS).astype(float))
    edges = rows.pivot_table(index=["window", "labels", "bound"], columns="edge", values="value", aggfunc="last")
    edges = edges.reindex(columns=["start", "end"]).astype(float)
    # A series that first appears inside a window began at zero.
    grown = (edges["end"] - edges["start"].fillna(0.0)).clip(lower=0.0).dropna()
    counts: pd.Series[float] = grown.groupby("bound").sum()
    return counts


def _request(labels: dict[str, str]) -> str:
    route = next((labels[name] for name in _ROUTE_LABELS if name in labels), "")
    method = next((labels[name] for name in _METHOD_LABELS if name in labels), "")
    return f"{method} {route}".strip()


def _bound(text: str) -> float:
    try:
        bound = float(text)
    except ValueError:
        return math.nan
    return bound if bound > 0 else math.nan
