"""Latency as the service measured it itself: the histogram it publishes for Prometheus, over the windows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from pacecar.judge.reading import ALL, Missing, Reading, Value
from pacecar.stats.quantiles import refusal

_HISTOGRAM = "http_server_requests_seconds_bucket"
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

#: (upper bound in s, requests up to it), rising; the last bound is infinite.
Buckets = Sequence[tuple[float, float]]


def histograms(series: pd.DataFrame) -> dict[str, Buckets]:
    """Endpoint ("METHOD uri-template") -> its requests inside windows by latency; `ALL` holds those of every endpoint.

    Args:
        series: the table `series`, cut to windows. The service counts each scrape of its metrics page as a request, so
            in `ALL` one request per window is the harness's own.
    """
    rows = series[series["name"] == _HISTOGRAM]
    edges = rows.pivot_table(index=["window", "labels"], columns="edge", values="value", aggfunc="last")
    edges = edges.reindex(columns=["start", "end"])
    # A series that first appears inside a window has no value at its start: it began at zero.
    grown = (edges["end"] - edges["start"].fillna(0.0)).clip(lower=0.0).dropna()
    found: dict[str, dict[float, float]] = {ALL: {}}
    for labels, count in grown.groupby("labels").sum().items():
        endpoint, bound = _read(str(labels))
        if math.isnan(bound):
            continue
        for name in (ALL, endpoint):
            counts = found.setdefault(name, {})
            counts[bound] = counts.get(bound, 0.0) + float(count)
    return {endpoint: sorted(counts.items()) for endpoint, counts in found.items()}


def server_quantile(buckets: Buckets, quantile: float) -> Reading:
    """The quantile in ms; linear within a bucket, as PromQL's `histogram_quantile`."""
    if not buckets or not math.isinf(buckets[-1][0]):
        return Missing(
            reason=f"the service publishes no histogram {_HISTOGRAM.removesuffix('_bucket')} for it", absent=True
        )
    count = int(buckets[-1][1])
    if refused := refusal(count, quantile):
        return Missing(reason=refused)
    lower, below = 0.0, 0.0
    for bound, cumulative in buckets:
        if cumulative >= quantile * count and not math.isinf(bound):
            within = (quantile * count - below) / max(cumulative - below, 1e-9)
            return Value(amount=1000 * (lower + (bound - lower) * within), requests=count)
        if not math.isinf(bound):
            lower, below = bound, cumulative
    return Missing(reason=f"it lies beyond the last bucket of the service's histogram, {1000 * lower:g} ms")


def _read(labels: str) -> tuple[str, float]:
    """Endpoint and upper bound that a series' labels name; NaN for a bound that is no number."""
    values = dict(_LABEL.findall(labels))
    try:
        bound = float(values.get("le", "nan"))
    except ValueError:
        bound = math.nan
    return f"{values.get('method', '')} {values.get('uri', '')}".strip(), bound
