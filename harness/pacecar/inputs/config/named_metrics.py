"""The metrics that budgets and the gate of one file may name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pacecar.inputs.config.model import QueryTable
from pacecar.model.catalogue import METRICS, MetricKind
from pacecar.model.comparison import Scale

_GATED = re.compile(r"(?P<metric>\S+)(?:\s+of\s+(?P<endpoint>.+))?")


def with_queries(queries: Mapping[str, QueryTable]) -> dict[str, MetricKind]:
    """All metrics of a file that has these `[metrics.NAME]`."""
    return METRICS | {
        name: MetricKind(
            name=name,
            unit=query.unit,
            lower_is_better=query.better == "lower",
            scale=Scale.DIFFERENCE if query.compare == "difference" else Scale.RATIO,
        )
        for name, query in queries.items()
    }


def gated(text: str) -> tuple[str, str | None]:
    """Metric and endpoint of an entry of the gate: `latency.p99 of GET /orders`, `cpu`."""
    match = _GATED.fullmatch(text.strip())
    return (match["metric"], match["endpoint"]) if match else (text, None)
