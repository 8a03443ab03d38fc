"""Latency curves of every endpoint: per side the pool of all windows, and each window by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.document.profile_shapes import (
    POOLED_GRID,
    WINDOW_GRID,
    EndpointCurves,
    SideCurves,
    WindowCurve,
)
from pacecar.reporting.document.server_latency import server_curves
from pacecar.reporting.document.tidy import cut

_ENDPOINTS = 40
_WINDOWS = 200


def latency_curves(pairs: Sequence[Pair], *, first: Sequence[str] = ()) -> tuple[tuple[EndpointCurves, ...], int]:
    """The curves of all endpoints, and how many endpoints were left out.

    Curves describe; verdicts come from pairs alone. Failed requests are left out.

    Args:
        pairs: those that took part.
        first: endpoints that come before the others, in this order; the others follow, the busiest first.
    """
    answered = {side: _answered(pairs, side) for side in Side}
    busiest = pd.concat([table["endpoint"] for table in answered.values()]).value_counts()
    known = [str(endpoint) for endpoint in busiest.index]
    ordered = dict.fromkeys([*(endpoint for endpoint in first if endpoint in known), *known])
    endpoints, omitted = cut(list(ordered), limit=_ENDPOINTS)
    served = {side: server_curves(_series(pairs, side)) for side in Side}
    curves = tuple(
        EndpointCurves(
            endpoint=endpoint,
            sides=tuple(
                _side_curves(table[table["endpoint"] == endpoint], side=side, server=served[side].get(endpoint, ()))
                for side, table in answered.items()
                if (table["endpoint"] == endpoint).any()
            ),
        )
        for endpoint in endpoints
    )
    return curves, omitted


def quantiles(latencies_ms: np.ndarray, grid: Sequence[float]) -> tuple[float | None, ...]:
    """Latency at each percentile of `grid`; None where fewer than one request lies beyond it."""
    carried = [percentile for percentile in grid if len(latencies_ms) * (100 - percentile) >= 100]
    values = np.percentile(latencies_ms, carried) if carried else np.empty(0)
    return (*(float(value) for value in values), *([None] * (len(grid) - len(carried))))


def _answered(pairs: Sequence[Pair], side: Side) -> pd.DataFrame:
    tables = [
        MeasuredFork.of(pair, side).requests.assign(pair=pair.record.number) for pair in pairs if side in pair.forks
    ]
    if not tables:
        return pd.DataFrame({"endpoint": [], "pair": [], "window": [], "latency_ms": []})
    requests = pd.concat(tables, ignore_index=True)
    return requests.loc[requests["ok"].astype(bool), ["endpoint", "pair", "window", "latency_ms"]]


def _series(pairs: Sequence[Pair], side: Side) -> list[pd.DataFrame]:
    return [MeasuredFork.of(pair, side).inside("series") for pair in pairs if side in pair.forks]


def _side_curves(requests: pd.DataFrame, *, side: Side, server: tuple[float | None, ...]) -> SideCurves:
    windows = [
        WindowCurve(
            pair=int(part["pair"].iloc[0]),
            window=int(part["window"].iloc[0]),
            values=quantiles(part["latency_ms"].to_numpy(), WINDOW_GRID),
        )
        for _, part in requests.groupby(["pair", "window"])
    ]
    return SideCurves(
        side=side,
        requests=len(requests),
        pooled=quantiles(requests["latency_ms"].to_numpy(), POOLED_GRID),
        windows=tuple(windows[:_WINDOWS]),
        server=server,
    )
