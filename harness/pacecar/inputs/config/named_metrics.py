"""The metrics that budgets and the gate of one file may name, and a search."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pacecar.errors import UsageError
from pacecar.inputs.config.model import BUILT_IN, QueryTable
from pacecar.inputs.config.shapes import Configuration
from pacecar.inputs.config.suggestion import did_you_mean, quoted
from pacecar.model.catalogue import METRICS, MetricKind, of_query
from pacecar.model.comparison import Scale
from pacecar.model.scenario import LoadModel

_ENTRY = re.compile(r"(?P<metric>\S+)(?:\s+of\s+(?P<endpoint>.+))?")


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


def entry(text: str) -> tuple[str, str | None]:
    """Metric and endpoint of an entry of the gate: `latency.p99 of GET /orders`, `cpu`."""
    match = _ENTRY.fullmatch(text.strip())
    return (match["metric"], match["endpoint"]) if match else (text, None)


def problem_with_metric(
    metric: str, known: Mapping[str, MetricKind], *, scraped: bool, called: bool | None, climbs: bool
) -> str | None:
    """Why `metric` is not measured, in a few words; None when it is.

    Args:
        metric: its name.
        known: all metrics by name.
        scraped: whether the service has a metrics page.
        called: `target.calls`; only False has nobody count calls.
        climbs: whether the load is a staircase.
    """
    if metric not in known:
        return f"unknown metric {quoted(metric)}{did_you_mean(metric, known)}"
    kind = known[metric]
    if kind.stepped and not climbs:
        return f'{metric} is found step by step; set scenario.model = "staircase"'
    if kind.called and called is not False:
        return None
    if kind.scraped and not scraped:
        return f"{metric} is read from the service's metrics page; name that page in target.metrics"
    if kind.called and not kind.scraped:
        return f"{metric} is counted in the service's JVM; leave out target.calls = false"
    return None


def problem_with_endpoint(endpoint: str, kind: MetricKind, known: Collection[str]) -> str | None:
    """Why `kind` is not measured for `endpoint`, in a few words; None when it is.

    Args:
        endpoint: its name.
        kind: the metric.
        known: names of all endpoints; empty when any name may be right.
    """
    if not kind.per_endpoint:
        return f"{kind.name} is measured for the whole service, not per endpoint"
    if known and endpoint not in known:
        return f"unknown endpoint {quoted(endpoint)}{did_you_mean(endpoint, known)}"
    return None


def require_metric(configuration: Configuration, metric: str, endpoint: str | None) -> None:
    """Raise UsageError when a run with this configuration does not measure `metric`, or not for `endpoint`."""
    queries = configuration.prometheus.queries if configuration.prometheus else ()
    known = METRICS | {query.name: of_query(query) for query in queries}
    target = configuration.target
    problem = problem_with_metric(
        metric,
        known,
        scraped=target.metrics_path is not None,
        called=target.calls,
        climbs=configuration.scenario.model is LoadModel.STAIRCASE,
    )
    if problem is not None:
        raise UsageError(f"--metric: {problem}.", hint="Leave it out to follow what regresses between the two commits.")
    if endpoint is None:
        return
    # A simulation of one's own names its requests itself: any name may be right.
    own = configuration.scenario.simulation != BUILT_IN
    names = () if own else tuple(each.name for each in configuration.scenario.endpoints)
    problem = problem_with_endpoint(endpoint, known[metric], names)
    if problem is not None:
        raise UsageError(f"--endpoint: {problem}.", hint="Leave it out for the metric of the whole service.")
