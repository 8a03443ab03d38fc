"""Latency as a service measured it itself: the histograms that web frameworks publish for Prometheus, over windows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

#: Key of the histogram over all endpoints.
EVERY = ""

#: Begins where a word does: else a long one would be tried from each of its letters.
_LABEL = re.compile(r'(?<!\w)(\w++)="((?:[^"\\]|\\.)*+)"')
#: The labels that frameworks give the route and the method of a request.
_ROUTE_LABELS = ("uri", "route", "http_route", "path", "handler")
_METHOD_LABELS = ("method", "http_request_method", "http_method")
#: The histograms that web frameworks publish -> milliseconds per unit of their bounds.
_UNITS_MS = {
    "http_server_requests_seconds_bucket": 1000.0,
    "http_server_request_duration_seconds_bucket": 1000.0,
    "http_server_duration_milliseconds_bucket": 1.0,
}

#: (upper bound in ms, requests up to it), rising; the last bound is infinite.
Buckets = Sequence[tuple[float, float]]


def histograms(series: pd.DataFrame) -> dict[str, Buckets]:
    """Endpoint ("METHOD route") -> its requests inside windows by latency; `EVERY` holds those of all endpoints.

    Args:
        series: columns `window`, `edge` (start, end), `name`, `labels`, `value` of scraped samples. The service counts
            each scrape of its metrics page as a request, so in `EVERY` one request per window is the harness's own.

    Returns:
        Only histograms that are complete: rising bounds, the last one infinite. Series with a bound that is no positive
        number are left out.
    """
    rows = series[series["name"].isin(_UNITS_MS)]
    if rows.empty:
        return {}
    edges = rows.pivot_table(index=["window", "name", "labels"], columns="edge", values="value", aggfunc="last")
    edges = edges.reindex(columns=["start", "end"]).astype(float)
    # A series that first appears inside a window has no value at its start: it began at zero.
    grown = (edges["end"] - edges["start"].fillna(0.0)).clip(lower=0.0).dropna()
    found: dict[str, dict[float, float]] = {}
    totals = grown.groupby(level=["name", "labels"]).sum()
    names, texts = totals.index.get_level_values("name"), totals.index.get_level_values("labels")
    for name, text, count in zip(names, texts, totals, strict=True):
        labels = dict(_LABEL.findall(str(text)))
        bound = _bound(labels.get("le", "")) * _UNITS_MS[str(name)]
        if math.isnan(bound):
            continue
        for endpoint in {EVERY, _request(labels)}:
            counts = found.setdefault(endpoint, {})
            counts[bound] = counts.get(bound, 0.0) + float(count)
    complete = {endpoint: sorted(counts.items()) for endpoint, counts in found.items() if math.inf in counts}
    return {endpoint: buckets for endpoint, buckets in complete.items() if 0 < buckets[-1][1] < math.inf}


def bucket_quantile(buckets: Buckets, quantile: float) -> float | None:
    """A quantile from cumulative buckets, by the linear rule of PromQL's `histogram_quantile`.

    Args:
        buckets: of one endpoint.
        quantile: between 0 and 1.

    Returns:
        Milliseconds; None where the quantile lies in the last, open bucket.
    """
    rank = quantile * buckets[-1][1]
    lower, below = 0.0, 0.0
    for bound, count in buckets:
        if count >= rank:
            return None if math.isinf(bound) else lower + (bound - lower) * (rank - below) / max(count - below, 1e-9)
        lower, below = bound, count
    return None


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
