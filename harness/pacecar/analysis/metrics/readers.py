"""How each metric of the catalogue is read from one fork: a function by the metric's name.

Only windows count, and only requests inside windows; of what one endpoint costs, the blocks after them. Totals follow
load, so whatever can be is per request.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pacecar.analysis.metrics import blocks
from pacecar.analysis.metrics.blocks import Reader
from pacecar.analysis.metrics.climb import capacity
from pacecar.analysis.metrics.lifetime import first_answer, grown, heap_growth, ready, warmup_cpu
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.analysis.metrics.server_latency import server_quantile
from pacecar.analysis.stats.quantiles import (
    FEWEST,
    FEWEST_FOR_TAIL,
    TAIL,
    among_answered,
    blurred,
    grouped_quantile,
    refusal,
    tail,
)
from pacecar.model.calls import CallKind
from pacecar.model.catalogue import METRICS, MetricKind, of_query
from pacecar.model.comparison import Metric
from pacecar.model.experiment import Query
from pacecar.model.tiers import Tier
from pacecar.text.units import format_share

#: Endpoints that get metrics of their own. A simulation that puts ids into request names makes thousands.
MOST_ENDPOINTS = 40

_COARSE = (
    "a log in whole milliseconds hides changes to requests this short; name latency.mean in gate.metrics, or use the "
    "kit's simulation"
)


def _latency(quantile: float) -> Reader:
    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        latencies, failed = _answered(fork, endpoint)
        if refused := refusal(len(latencies), quantile):
            return Missing(reason=refused)
        moved = among_answered(quantile, answered=len(latencies), failed=failed)
        if moved is None:
            return _too_many_failed(len(latencies), failed)
        amount = grouped_quantile(latencies, moved, resolution=fork.resolution_ms)
        coarse = _COARSE if blurred(amount, quantile, resolution=fork.resolution_ms) else None
        return Value(amount=amount, requests=len(latencies), coarse=coarse)

    return read


def _tail(fork: MeasuredFork, endpoint: str) -> Reading:
    latencies, failed = _answered(fork, endpoint)
    if len(latencies) < FEWEST_FOR_TAIL:
        return Missing(
            reason=f"a tail needs {FEWEST_FOR_TAIL} requests per side and pair, and there were {len(latencies)}"
        )
    amount = tail(latencies, failed=failed, resolution=fork.resolution_ms)
    if amount is None:
        return _too_many_failed(len(latencies), failed)
    coarse = _COARSE if blurred(amount, TAIL[0], resolution=fork.resolution_ms) else None
    return Value(amount=amount, requests=len(latencies), coarse=coarse)


def _typical(fork: MeasuredFork, _: str) -> Reading:
    """The geometric mean of the endpoints' medians, weighted by the mix of requests."""
    median = _latency(0.50)
    read = {endpoint: median(fork, endpoint) for endpoint in fork.mix}
    values = {endpoint: value for endpoint, value in read.items() if isinstance(value, Value)}
    if not read:
        return Missing(reason=f"no endpoint got {FEWEST} requests per side and pair")
    if len(values) < len(read):
        endpoint, missing = next((name, each) for name, each in read.items() if isinstance(each, Missing))
        return Missing(reason=f"of {endpoint}, {missing.reason}")
    logs = [fork.mix[endpoint] * math.log(value.amount) for endpoint, value in values.items()]
    coarse = next((value.coarse for value in values.values() if value.coarse), None)
    return Value(amount=math.exp(math.fsum(logs)), requests=len(fork.latencies[ALL]), coarse=coarse)


def _answered(fork: MeasuredFork, endpoint: str) -> tuple[npt.NDArray[np.float64], int]:
    """Latencies of answered requests, and how many failed."""
    return fork.latencies.get(endpoint, np.empty(0)), fork.outcomes.get(endpoint, (0, 0))[0]


def _too_many_failed(answered: int, failed: int) -> Missing:
    share = 100 * failed / (answered + failed)
    return Missing(
        reason=f"{format_share(share)} of the requests failed, and a failed request counts as slower than any that was "
        "answered"
    )


def _mean_latency(fork: MeasuredFork, endpoint: str) -> Reading:
    latencies = fork.latencies.get(endpoint, np.empty(0))
    if len(latencies) < FEWEST:
        return Missing(reason=f"a mean needs {FEWEST} requests per side and pair, and there were {len(latencies)}")
    return Value(amount=float(latencies.mean()), requests=len(latencies))


def _server_latency(quantile: float) -> Reader:
    return lambda fork, endpoint: server_quantile(fork.server_histograms.get(endpoint, ()), quantile)


def _errors(fork: MeasuredFork, endpoint: str) -> Reading:
    failed, requests = fork.outcomes.get(endpoint, (0, 0))
    if requests == 0:
        return Missing(reason="no request was recorded inside a window")
    return Value(amount=100 * failed / requests, requests=requests)


def _counter(column: str, *, factor: float = 1.0) -> Reader:
    return lambda fork, _: fork.per_request(column, factor=factor)


def _allocation(fork: MeasuredFork, endpoint: str) -> Reading:
    """A counter of the whole process says nothing of one endpoint, unless nothing else was asked."""
    return fork.per_request("allocated_bytes") if endpoint == ALL else blocks.allocation(fork, endpoint)


def _cpu(fork: MeasuredFork, endpoint: str) -> Reading:
    if endpoint != ALL:
        return blocks.cpu(fork, endpoint)
    return fork.grown_per_request(fork.own_cpu_ns, "cpu_ns", factor=1e-6)


def _jit(fork: MeasuredFork, _: str) -> Reading:
    return fork.per_request("jit_cpu_ns", factor=1e-6) if fork.compilers_apart else fork.per_request("jit_ms")


def _pauses(fork: MeasuredFork, _: str) -> Reading:
    pauses = fork.data.tables["pauses"]
    if not (pauses["process"] == "target").any():
        return Missing(reason="no pause of the service was recorded", absent=True)
    if len(fork.requests) == 0:
        return Missing(reason="no request was recorded inside a window")
    return Value(amount=fork.pause_ms() / len(fork.requests), requests=len(fork.requests))


def gc_count(fork: MeasuredFork, _: str) -> Reading:
    """Per 1,000 requests. One collection more or less is where the last one happened to fall."""
    reading = fork.per_request("gc_count", factor=1000)
    return replace(reading, step=1000 / reading.requests) if isinstance(reading, Value) else reading


def _contained(column: str, *, factor: float = 1.0) -> Reader:
    """Growth of an account of the container per request, times `factor`."""
    return lambda fork, _: fork.grown_per_request(fork.growth(column, table="containers"), column, factor=factor)


def _cpu_of_limit(fork: MeasuredFork, _: str) -> Reading:
    """CPU time used in windows against what the container's limit would have allowed in them, in %."""
    limits = fork.inside("containers")["cpu_limit"].dropna()
    used = fork.growth("used_cpu_ns", table="containers")
    if limits.empty or used.empty:
        return Missing(reason="the container has no CPU limit", absent=True)
    allowed = float(limits.iloc[-1]) * sum(each.seconds for each in fork.windows if each.index in used.index)
    return Value(amount=100 * float(used.sum()) / 1e9 / allowed, requests=len(fork.requests))


def _throttled_periods(fork: MeasuredFork, _: str) -> Reading:
    """Share of the periods of its limit in which the container had to wait, in %."""
    throttled, periods = (fork.growth(name, table="containers") for name in ("throttled_periods", "periods"))
    if throttled.empty or fork.inside("containers")["cpu_limit"].dropna().empty:
        return Missing(reason="the container has no CPU limit", absent=True)
    passed = float(periods.sum())
    amount = 100 * float(throttled.sum()) / passed if passed > 0 else 0.0
    return Value(amount=amount, requests=len(fork.requests))


def _memory(fork: MeasuredFork, _: str) -> Reading:
    seen = fork.inside("containers")["memory_bytes"].dropna()
    if seen.empty:
        return Missing(reason="the memory of the container was never read", absent=True)
    return Value(amount=float(seen.mean()), requests=len(fork.requests))


def _memory_of_limit(fork: MeasuredFork, _: str) -> Reading:
    rows = fork.inside("containers")
    shares = (100 * rows["memory_bytes"] / rows["memory_limit_bytes"]).dropna()
    if shares.empty:
        return Missing(reason="the container has no memory limit", absent=True)
    return Value(amount=float(shares.max()), requests=len(fork.requests))


def _oom_kills(fork: MeasuredFork, _: str) -> Reading:
    killed = fork.growth("oom_kills", table="containers")
    if killed.empty:
        return Missing(reason="no container's usage was read", absent=True)
    return Value(amount=float(killed.sum()), requests=len(fork.requests))


def _level(column: str) -> Reader:
    """Mean over the edges of all windows of something that goes up and down."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        seen = fork.inside("counters")[column].dropna()
        if seen.empty:
            return Missing(reason=f"the counter {column} was never read", absent=True)
        return Value(amount=float(seen.mean()), requests=len(fork.requests))

    return read


def _page(column: str) -> Reader:
    """The last good scrape: both sides have then served the same load, and a page that grows has grown."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        scrapes = fork.inside("scrapes")
        good = scrapes[scrapes["error"].fillna("") == ""]
        if good.empty:
            return Missing(reason="the service's metrics page was not read", absent=True)
        return Value(amount=float(good.sort_values("time_ns")[column].iloc[-1]), requests=len(fork.requests))

    return read


def _generator_lag(fork: MeasuredFork, _: str) -> Reading:
    """The 99th percentile of how late requests left, over all windows."""
    lags = fork.inside("arrivals")["lag_ms"].dropna().to_numpy(dtype="float64")
    if refused := refusal(len(lags), 0.99):
        return Missing(reason=refused, absent=not len(lags))
    return Value(amount=float(np.quantile(lags, 0.99)), requests=len(lags))


def _asked(name: str) -> Reader:
    """Mean over windows of what Prometheus said; of at least half of them, else it would speak of a part only."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        rows = fork.inside("queries")
        rows = rows[rows["metric"] == name]
        if rows.empty:
            return Missing(reason="Prometheus was not queried for it")
        answered = rows[(rows["error"] == "") & np.isfinite(rows["value"])]
        if 2 * len(answered) < len(rows):
            why = next((str(error) for error in rows["error"] if error), "the result was not a finite number")
            return Missing(reason=f"no number in {len(rows) - len(answered)} of {len(rows)} windows: {why}")
        return Value(amount=float(answered["value"].mean()), requests=len(fork.requests))

    return read


#: Name -> how it is read from a fork, of an endpoint or (`ALL`) of the whole service.
READERS: Mapping[str, Reader] = {
    "latency.typical": _typical,
    "latency.tail": _tail,
    "latency.p50": _latency(0.50),
    "latency.p90": _latency(0.90),
    "latency.p99": _latency(0.99),
    "latency.mean": _mean_latency,
    "server.latency.p50": _server_latency(0.50),
    "server.latency.p99": _server_latency(0.99),
    "errors": _errors,
    "capacity": capacity,
    "cpu": _cpu,
    "allocation": _allocation,
    "statements": blocks.of_agent(CallKind.STATEMENTS, blocks.STATEMENTS),
    "statements.batched": blocks.batched,
    "connections.taken": blocks.of_page(blocks.CONNECTIONS),
    "calls": blocks.of_agent(CallKind.CALLS, blocks.CALLS),
    "gc.pause": _pauses,
    "gc.count": gc_count,
    "jit": _jit,
    "rss": _level("rss_bytes"),
    "threads": _level("threads"),
    "connections.open": _level("connections"),
    "startup.ready": ready,
    "startup.first_answer": first_answer,
    "warmup.cpu": warmup_cpu,
    "heap.growth": heap_growth,
    "threads.growth": grown("threads"),
    "connections.growth": grown("connections"),
    "descriptors.growth": grown("descriptors"),
    "cpu.limit": _cpu_of_limit,
    "throttled": _contained("throttled_ns", factor=1e-6),
    "throttled.periods": _throttled_periods,
    "memory": _memory,
    "memory.limit": _memory_of_limit,
    "network": _contained("network_bytes"),
    "oom.kills": _oom_kills,
    "metrics.page": _page("page_bytes"),
    "metrics.series": _page("series"),
    "generator.lag": _generator_lag,
}


def kinds(queries: Sequence[Query], tier: Tier = Tier.FULL) -> tuple[MetricKind, ...]:
    """All metrics of an experiment that asks Prometheus for `queries`, in the order in which they are judged."""
    return (*(kind for kind in METRICS.values() if tier in kind.tiers), *map(of_query, queries))


def metric_of(name: str, endpoint: str, queries: Sequence[Query] = ()) -> Metric | None:
    """The metric of that name, or None when there is none."""
    known = (*METRICS.values(), *map(of_query, queries))
    return next((each.metric(endpoint) for each in known if each.name == name), None)


def readings(fork: MeasuredFork, endpoints: Sequence[str], queries: Sequence[Query] = ()) -> dict[Metric, Reading]:
    """Every metric of the full tier on one fork: of the whole service, and of each of `endpoints`."""
    return read_by(READERS, fork, endpoints, kinds(queries))


def read_by(
    readers: Mapping[str, Reader], fork: MeasuredFork, endpoints: Sequence[str], wanted: Sequence[MetricKind]
) -> dict[Metric, Reading]:
    """The `wanted` metrics on one fork, each as `readers` read it; those they do not know were asked of Prometheus."""
    return {
        kind.metric(endpoint): _reading(readers, kind, fork, endpoint)
        for kind in wanted
        if not kind.stepped or fork.within_ms is not None
        for endpoint in (ALL, *(endpoints if kind.per_endpoint else ()))
    }


def _reading(readers: Mapping[str, Reader], kind: MetricKind, fork: MeasuredFork, endpoint: str) -> Reading:
    read = readers.get(kind.name) or _asked(kind.name)
    found = read(fork, endpoint)
    if kind.positive and isinstance(found, Value) and found.amount == 0:
        return Missing(reason="it was zero, which is impossible: its counter does not work")
    return found
