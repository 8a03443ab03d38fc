"""Which metrics decide: those the user named, or the default few.

The gate is small on purpose. Every metric in it costs the others power, for all of them share one level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import ALL, Reading, Value
from pacecar.model.comparison import Judgement, Metric, Verdict
from pacecar.model.experiment import Budget

#: Endpoints whose p99 is gated by default, beside that of all requests.
_BUSIEST = 3
_DEFAULT_SERVICE_METRICS = ("cpu", "allocation", "errors")
_TAIL = "latency.p99"


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The gated metrics, entries that named none of those measured, and what a reader should know about the choice."""

    metrics: frozenset[Metric]
    unmatched: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def choose(
    entries: Sequence[str],
    *,
    baseline: Sequence[Mapping[Metric, Reading]],
    endpoints: Sequence[str],
    budgets: Sequence[Budget] = (),
) -> Gate:
    """The gate of one comparison.

    Args:
        entries: as configured: `cpu`, `latency.p99` (all endpoints together), `latency.p99 of GET /orders`; empty for
            the default.
        baseline: the readings of each of its forks that takes part. Only they choose: what a candidate can no longer
            measure, for being slower or for failing, would otherwise leave the gate.
        endpoints: by number of requests on the baseline, busiest first.
        budgets: what was promised.
    """
    known = {metric for readings in baseline for metric in readings}
    if not entries:
        return _default(known, baseline=baseline, endpoints=endpoints, budgets=budgets)
    wanted = {entry: parse_entry(entry) for entry in entries}
    named = {(metric.name, metric.endpoint): metric for metric in known}
    return Gate(
        metrics=frozenset(named[key] for key in wanted.values() if key in named),
        unmatched=tuple(entry for entry, key in wanted.items() if key not in named),
    )


def parse_entry(entry: str) -> tuple[str, str]:
    """Name and endpoint of a gate entry; the endpoint of `latency.p99` is `ALL`."""
    name, _, endpoint = entry.partition(" of ")
    return name.strip(), endpoint.strip() or ALL


def judged_endpoints(endpoints: Sequence[str], *, entries: Sequence[str], budgets: Sequence[Budget]) -> tuple[str, ...]:
    """Those of `endpoints`, busiest first, that get metrics of their own: the busiest, and any that is named."""
    named = {parse_entry(entry)[1] for entry in entries} | {budget.endpoint for budget in budgets}
    return tuple(name for place, name in enumerate(endpoints) if place < MOST_ENDPOINTS or name in named)


def unmatched_judgement(entry: str, *, endpoints: Sequence[str]) -> Judgement:
    """What becomes of a gate entry that names nothing measured: it promised a check that did not take place."""
    name, endpoint = parse_entry(entry)
    seen = ", ".join(endpoints[:5]) or "none"
    return Judgement(
        metric=Metric(name=name, endpoint=endpoint, unit="1"),
        verdict=Verdict.INCONCLUSIVE,
        reason=f'nothing measured is called "{entry}" (busiest endpoints: {seen})',
        gated=True,
        budget=None,
        estimate=None,
    )


def _default(
    known: set[Metric],
    *,
    baseline: Sequence[Mapping[Metric, Reading]],
    endpoints: Sequence[str],
    budgets: Sequence[Budget],
) -> Gate:
    by_key = {(metric.name, metric.endpoint): metric for metric in known}
    carried = [
        by_key[_TAIL, endpoint]
        for endpoint in (*endpoints, ALL)
        if (_TAIL, endpoint) in by_key and _mostly(by_key[_TAIL, endpoint], baseline)
    ]
    single = [metric for metric in carried if metric.endpoint != ALL]
    # All requests together mostly scatter less than those of any endpoint: what slows down all of them is seen there
    # first. But they would hold an endpoint with a budget of its own to that of the others.
    together = [metric for metric in carried if metric.endpoint == ALL]
    apart = any(budget.metric == _TAIL and budget.endpoint for budget in budgets)
    if single and (apart or _same_requests(single[0], together, baseline)):
        together = []
    tails = [*single[:_BUSIEST], *together]
    service = [by_key[name, ALL] for name in _DEFAULT_SERVICE_METRICS if (name, ALL) in by_key]
    warnings = () if tails else ("No latency is gated: too few requests per side and pair were answered for a p99.",)
    return Gate(metrics=frozenset([*tails, *service]), warnings=warnings)


def _same_requests(metric: Metric, together: Sequence[Metric], forks: Sequence[Mapping[Metric, Reading]]) -> bool:
    """Whether all requests were those to the endpoint of `metric`."""
    read = [(fork.get(metric), fork.get(each)) for fork in forks for each in together]
    return all(
        one.requests == other.requests for one, other in read if isinstance(one, Value) and isinstance(other, Value)
    )


def _mostly(metric: Metric, forks: Sequence[Mapping[Metric, Reading]]) -> bool:
    return 2 * sum(isinstance(readings.get(metric), Value) for readings in forks) > len(forks)
