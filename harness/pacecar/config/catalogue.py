"""The metrics that budgets and the gate may name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pacecar.config.model import QueryTable


@dataclass(frozen=True, kw_only=True)
class KnownMetric:
    """What configuration needs to know about a metric.

    Attributes:
        unit: the unit an absolute budget is expressed in, see `units.parse_quantity`.
        per_endpoint: whether it is measured for each endpoint, too.
        scraped: it comes from the service's own metrics page.
        lower_is_better: direction.
        difference: zero is an ordinary value of it, so what may get worse is an amount in `unit`, not a fraction.
    """

    unit: str
    per_endpoint: bool = False
    scraped: bool = False
    lower_is_better: bool = True
    difference: bool = False


_LATENCY = KnownMetric(unit="ms", per_endpoint=True)
_SERVER_LATENCY = KnownMetric(unit="ms", per_endpoint=True, scraped=True)

KNOWN: dict[str, KnownMetric] = {
    "latency.p50": _LATENCY,
    "latency.p90": _LATENCY,
    "latency.p99": _LATENCY,
    "latency.mean": _LATENCY,
    "cpu": KnownMetric(unit="ms"),
    "allocation": KnownMetric(unit="B"),
    "gc.pause": KnownMetric(unit="ms"),
    "gc.count": KnownMetric(unit="1"),
    "errors": KnownMetric(unit="%", per_endpoint=True, difference=True),
    "jit": KnownMetric(unit="ms", difference=True),
    "rss": KnownMetric(unit="B"),
    "threads": KnownMetric(unit="1"),
    "cpu.limit": KnownMetric(unit="%", difference=True),
    "throttled": KnownMetric(unit="ms", difference=True),
    "throttled.periods": KnownMetric(unit="%", difference=True),
    "memory": KnownMetric(unit="B"),
    "memory.limit": KnownMetric(unit="%", difference=True),
    "network": KnownMetric(unit="B"),
    "oom.kills": KnownMetric(unit="1", difference=True),
    "server.latency.p50": _SERVER_LATENCY,
    "server.latency.p99": _SERVER_LATENCY,
    "metrics.page": KnownMetric(unit="B", scraped=True),
    "metrics.series": KnownMetric(unit="1", scraped=True),
}

#: Names that reports give a meaning of their own.
RESERVED = frozenset({*KNOWN, "deaths", "latency"})


def with_queries(queries: Mapping[str, QueryTable]) -> dict[str, KnownMetric]:
    """All metrics of a file that has these `[metrics.NAME]`."""
    return KNOWN | {
        name: KnownMetric(
            unit=query.unit, lower_is_better=query.better == "lower", difference=query.compare == "difference"
        )
        for name, query in queries.items()
    }


_GATED = re.compile(r"(?P<metric>\S+)(?:\s+of\s+(?P<endpoint>.+))?")


def gated(text: str) -> tuple[str, str | None]:
    """Metric and endpoint of an entry of the gate: `latency.p99 of GET /orders`, `cpu`."""
    match = _GATED.fullmatch(text.strip())
    return (match["metric"], match["endpoint"]) if match else (text, None)
