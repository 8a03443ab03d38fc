"""How often a service calls others, by its own counters on its metrics page: exact, and free of charge.

What the agent in the JVM has counted is in `callers`. Metrics are those of Micrometer, Quarkus, Hibernate, Hikari and
the OpenTelemetry conventions. What a counter counts that is not among them, nobody here knows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities import callers
from pacecar.analysis.quantities.measured import Family, Quantities, family
from pacecar.analysis.quantities.quantity import Lacking, Moved, Quantity
from pacecar.model.causes import Scope

DATABASE, SERVICES = callers.DATABASE, callers.SERVICES
CONNECTION, CACHE = "a connection of the pool", "the cache"
#: Beginnings of metrics of which each count is a call -> what is called.
_CALLS = {
    "http_client_requests": SERVICES,
    "http_client_request_duration": SERVICES,
    "httpcomponents_httpclient_request": SERVICES,
    "okhttp_requests": SERVICES,
    "grpc_client_processing_duration": SERVICES,
    "rest_client_requests": SERVICES,
    "hibernate_statements": DATABASE,
    "hibernate_query_executions": DATABASE,
    "jdbc_query": DATABASE,
    "spring_data_repository_invocations": DATABASE,
    "db_client_operation_duration": DATABASE,
    "mongodb_driver_commands": DATABASE,
    "hikaricp_connections_usage": CONNECTION,
    "lettuce_command_completion": DATABASE,
    "cache_gets": CACHE,
    "kafka_producer_record_send": SERVICES,
    "rabbitmq_published": SERVICES,
}
#: Of these, calls that none of the others counts as well.
_APART = frozenset(
    {
        "grpc_client_processing_duration",
        "mongodb_driver_commands",
        "lettuce_command_completion",
        "kafka_producer_record_send",
        "rabbitmq_published",
    }
)
_COUNTS = ("_count", "_total")
_SUMS = {"_seconds_sum": 1e3, "_milliseconds_sum": 1.0}
_LACKING = Lacking(reason="counters of calls on the service's metrics page")
_SWITCH = "target.metrics"
_NEITHER = Lacking(reason="calls that were counted, in the service's JVM or on its metrics page")


def _per_request(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Metric -> calls per request of the whole mix."""
    grown = _grown(fork, _COUNTS)
    return _LACKING if grown is None else {_scope(name): amount for name, amount in grown.items()}


def _time(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Metric -> ms that its calls took, per request of the whole mix, where the service times them."""
    grown = _grown(fork, tuple(_SUMS))
    if grown is None:
        return _LACKING
    found: dict[Scope, float] = {}
    for name, amount in grown.items():
        factor = next(each for ending, each in _SUMS.items() if name.endswith(ending))
        found[_scope(name)] = found.get(_scope(name), 0.0) + factor * amount
    return found


def _grown(fork: MeasuredFork, endings: tuple[str, ...]) -> dict[str, float] | None:
    """Series name -> growth inside windows per request, of metrics of calls; None where there are none."""
    rows = fork.inside("series")
    names = rows["name"].astype(str)
    rows = rows[names.str.startswith(tuple(_CALLS)) & names.str.endswith(endings)]
    if rows.empty:
        return None
    edges = rows.pivot_table(index=["window", "name", "labels"], columns="edge", values="value", aggfunc="last")
    edges = edges.reindex(columns=["start", "end"]).astype(float)
    # A series that first appears inside a window has no value at its start: it began at zero.
    grown = (edges["end"] - edges["start"].fillna(0.0)).clip(lower=0.0).dropna()
    requests = int(fork.requests["window"].isin(grown.index.get_level_values("window")).sum())
    if requests == 0:
        return None
    sums: pd.Series[float] = grown.groupby(level="name").sum() / requests
    return {str(name): float(amount) for name, amount in sums.items()}


def _scope(name: str) -> Scope:
    metric = next(each for each in sorted(_CALLS, key=len, reverse=True) if name.startswith(each))
    return Scope(series=metric, dependency=_CALLS[metric])


CALLS = family("calls", "Calls per request", "1", _per_request, switch_on=_SWITCH)
TIME = family("call-time", "Time of calls per request", "ms", _time, switch_on=_SWITCH)


def _known(quantities: Quantities) -> Quantity | Lacking:
    found = [quantities.of(each) for each in (*callers.FAMILIES.values(), CALLS)]
    return next((each for each in found if isinstance(each, Quantity)), _NEITHER)


#: Whether anybody counted calls at all.
KNOWN = Family(name="calls-known", read=_known, switch_on="target.calls")


def moving(dependency: str, change: float) -> str:
    """What a change in the number of calls moves, in the words of kinds: fewer of them make nobody wait longer."""
    return f"{'more' if change > 0 else 'fewer'} calls of {dependency}"


def each_once(dependency: str, metrics: Collection[Scope]) -> tuple[Scope, ...]:
    """Of the metrics that count calls of `dependency` those that together count each once: the one that is nearest to
    the call itself, and those of other drivers and clients.
    """
    own = [each for each in metrics if each.dependency == dependency]
    apart = [each for each in own if each.series in _APART]
    alike = [each for each in own if each not in apart]
    return (*sorted(alike, key=lambda each: list(_CALLS).index(str(each.series)))[:1], *apart)


def at_the_pace_before(calls: Moved, took_ms: Mapping[Scope, float]) -> Moved | None:
    """What a change in the number of calls costs per request, in ms, had each taken what it took before; None where the
    service does not time them.

    Args:
        calls: of one metric.
        took_ms: of the metrics, what their calls took per request before.
    """
    before = calls.fact.baseline
    took = took_ms.get(calls.scope)
    if took is None or before <= 0:
        return None
    return replace(calls, each=np.asarray(calls.each) * (took / before))
