"""What is measured: the table of all metrics, and their readings on one fork.

Pacecar's own stand in `DEFINITIONS`; what the configuration asks of Prometheus joins them in `definitions`.

Only windows count, and only requests inside windows. Totals follow load, so whatever can be is per request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pacecar.comparison import Metric, Scale
from pacecar.experiment import Query
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.reading import ALL, Missing, Reading, Value
from pacecar.judge.server_latency import server_quantile
from pacecar.stats.quantiles import FEWEST, blurred, grouped_quantile, refusal

#: Version of what the names in `DEFINITIONS` mean. Raise it with every change to what a metric counts or how it is
#: read: noise that was remembered under another meaning is then not used (`archive.history`).
MEANING = 1
#: Endpoints that get metrics of their own. A simulation that puts ids into request names makes thousands.
MOST_ENDPOINTS = 40

_COARSE = (
    "a log of whole milliseconds hides changes of what takes so few; gate latency.mean, or use the kit's simulation"
)


def _latency(quantile: float) -> Callable[[MeasuredFork, str], Reading]:
    def read(fork: MeasuredFork, endpoint: str) -> Reading:
        latencies = fork.latencies.get(endpoint, np.empty(0))
        if refused := refusal(len(latencies), quantile):
            return Missing(reason=refused)
        amount = grouped_quantile(latencies, quantile, resolution=fork.resolution_ms)
        coarse = _COARSE if blurred(amount, quantile, resolution=fork.resolution_ms) else ""
        return Value(amount=amount, requests=len(latencies), coarse=coarse)

    return read


def _mean_latency(fork: MeasuredFork, endpoint: str) -> Reading:
    latencies = fork.latencies.get(endpoint, np.empty(0))
    if len(latencies) < FEWEST:
        return Missing(reason=f"a mean needs {FEWEST} requests per side and pair, and there were {len(latencies)}")
    return Value(amount=float(latencies.mean()), requests=len(latencies))


def _server_latency(quantile: float) -> Callable[[MeasuredFork, str], Reading]:
    return lambda fork, endpoint: server_quantile(fork.server_histograms.get(endpoint, ()), quantile)


def _errors(fork: MeasuredFork, endpoint: str) -> Reading:
    failed, requests = fork.outcomes.get(endpoint, (0, 0))
    if requests == 0:
        return Missing(reason="no request was recorded inside a window")
    return Value(amount=100 * failed / requests, requests=requests)


def _counter(column: str, *, factor: float = 1.0) -> Callable[[MeasuredFork, str], Reading]:
    return lambda fork, _: fork.per_request(column, factor=factor)


def _cpu(fork: MeasuredFork, _: str) -> Reading:
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


def _contained(column: str, *, factor: float = 1.0) -> Callable[[MeasuredFork, str], Reading]:
    """Growth of an account of the container per request, times `factor`."""
    return lambda fork, _: fork.grown_per_request(fork.growth(column, table="containers"), column, factor=factor)


def _cpu_of_limit(fork: MeasuredFork, _: str) -> Reading:
    """CPU time used in windows against what the container's limit would have allowed in them, in %."""
    limits = fork.inside("containers")["cpu_limit"].dropna()
    used = fork.growth("used_cpu_ns", table="containers")
    if limits.empty or used.empty:
        return Missing(reason="the container has no limit of CPU", absent=True)
    allowed = float(limits.iloc[-1]) * sum(each.seconds for each in fork.windows if each.index in used.index)
    return Value(amount=100 * float(used.sum()) / 1e9 / allowed, requests=len(fork.requests))


def _throttled_periods(fork: MeasuredFork, _: str) -> Reading:
    """Share of the periods of its limit in which the container had to wait, in %."""
    throttled, periods = (fork.growth(name, table="containers") for name in ("throttled_periods", "periods"))
    if throttled.empty or fork.inside("containers")["cpu_limit"].dropna().empty:
        return Missing(reason="the container has no limit of CPU", absent=True)
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
        return Missing(reason="the container has no limit of memory", absent=True)
    return Value(amount=float(shares.max()), requests=len(fork.requests))


def _oom_kills(fork: MeasuredFork, _: str) -> Reading:
    killed = fork.growth("oom_kills", table="containers")
    if killed.empty:
        return Missing(reason="no container was accounted for", absent=True)
    return Value(amount=float(killed.sum()), requests=len(fork.requests))


def _level(column: str) -> Callable[[MeasuredFork, str], Reading]:
    """Mean over the edges of all windows of something that goes up and down."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        seen = fork.inside("counters")[column].dropna()
        if seen.empty:
            return Missing(reason=f"the counter {column} was never read", absent=True)
        return Value(amount=float(seen.mean()), requests=len(fork.requests))

    return read


def _page(column: str) -> Callable[[MeasuredFork, str], Reading]:
    """The last good scrape: both sides have then served the same load, and a page that grows has grown."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        scrapes = fork.inside("scrapes")
        good = scrapes[scrapes["error"].fillna("") == ""]
        if good.empty:
            return Missing(reason="the service's metrics page was not read", absent=True)
        return Value(amount=float(good.sort_values("time_ns")[column].iloc[-1]), requests=len(fork.requests))

    return read


def _asked(name: str) -> Callable[[MeasuredFork, str], Reading]:
    """Mean over windows of what Prometheus said; of at least half of them, else it would speak of a part only."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        rows = fork.inside("queries")
        rows = rows[rows["metric"] == name]
        if rows.empty:
            return Missing(reason="Prometheus was not asked for it")
        answered = rows[(rows["error"] == "") & np.isfinite(rows["value"])]
        if 2 * len(answered) < len(rows):
            why = next((str(error) for error in rows["error"] if error), "the result was not a finite number")
            return Missing(reason=f"no number in {len(rows) - len(answered)} of {len(rows)} windows: {why}")
        return Value(amount=float(answered["value"].mean()), requests=len(fork.requests))

    return read


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One metric: its name, how two values of it compare, and how a fork's value is read.

    Attributes:
        name: as in budgets and gates.
        unit: as in `units.format_quantity`.
        read: a fork and an endpoint (`ALL` for the whole service) to a reading.
        scale: ratio, or difference where zero is an ordinary value.
        machine_bound: measured in time, so it depends on the machine of the day.
        per_endpoint: read for every endpoint too.
        lower_is_better: direction.
        positive: never zero, so that a zero says that what counts it does not work.
    """

    name: str
    unit: str
    read: Callable[[MeasuredFork, str], Reading]
    scale: Scale = Scale.RATIO
    machine_bound: bool = True
    per_endpoint: bool = False
    lower_is_better: bool = True
    positive: bool = False

    def reading(self, fork: MeasuredFork, endpoint: str) -> Reading:
        """What the metric says about `fork`."""
        found = self.read(fork, endpoint)
        if self.positive and isinstance(found, Value) and found.amount == 0:
            return Missing(reason="it was zero, which cannot be: what counts it does not work")
        return found

    def metric(self, endpoint: str) -> Metric:
        """The metric of one endpoint."""
        return Metric(
            name=self.name,
            endpoint=endpoint,
            unit=self.unit,
            scale=self.scale,
            lower_is_better=self.lower_is_better,
            machine_bound=self.machine_bound,
        )


DEFINITIONS = (
    Definition(name="latency.p50", unit="ms", read=_latency(0.50), per_endpoint=True),
    Definition(name="latency.p90", unit="ms", read=_latency(0.90), per_endpoint=True),
    Definition(name="latency.p99", unit="ms", read=_latency(0.99), per_endpoint=True),
    Definition(name="latency.mean", unit="ms", read=_mean_latency, per_endpoint=True),
    Definition(name="server.latency.p50", unit="ms", read=_server_latency(0.50), per_endpoint=True),
    Definition(name="server.latency.p99", unit="ms", read=_server_latency(0.99), per_endpoint=True),
    # Share of failed requests; its change is in percentage points.
    Definition(name="errors", unit="%", read=_errors, scale=Scale.DIFFERENCE, machine_bound=False, per_endpoint=True),
    # The rest is per request of the whole service, whichever endpoint it went to.
    Definition(name="cpu", unit="ms", read=_cpu, positive=True),
    Definition(name="allocation", unit="B", read=_counter("allocated_bytes"), machine_bound=False, positive=True),
    Definition(name="gc.pause", unit="ms", read=_pauses),
    # Collections per 1,000 requests.
    Definition(name="gc.count", unit="1", read=_counter("gc_count", factor=1000), machine_bound=False),
    # A warm JVM may compile nothing at all in a window.
    Definition(name="jit", unit="ms", read=_jit, scale=Scale.DIFFERENCE),
    Definition(name="rss", unit="B", read=_level("rss_bytes"), machine_bound=False, positive=True),
    Definition(name="threads", unit="1", read=_level("threads"), machine_bound=False, positive=True),
    # Of services in containers only. What a limit does to a build is the build's affair: evidence, not a disturbance.
    Definition(name="cpu.limit", unit="%", read=_cpu_of_limit, scale=Scale.DIFFERENCE),
    Definition(name="throttled", unit="ms", read=_contained("throttled_ns", factor=1e-6), scale=Scale.DIFFERENCE),
    Definition(name="throttled.periods", unit="%", read=_throttled_periods, scale=Scale.DIFFERENCE),
    Definition(name="memory", unit="B", read=_memory, machine_bound=False, positive=True),
    Definition(name="memory.limit", unit="%", read=_memory_of_limit, scale=Scale.DIFFERENCE, machine_bound=False),
    Definition(name="network", unit="B", read=_contained("network_bytes"), machine_bound=False),
    Definition(name="oom.kills", unit="1", read=_oom_kills, scale=Scale.DIFFERENCE, machine_bound=False),
    Definition(name="metrics.page", unit="B", read=_page("page_bytes"), machine_bound=False),
    Definition(name="metrics.series", unit="1", read=_page("series"), machine_bound=False),
)


def definitions(queries: Sequence[Query]) -> tuple[Definition, ...]:
    """All metrics of an experiment that asks Prometheus for `queries`.

    Whether one depends on the machine's speed nobody has said, so it is taken to.
    """
    asked = [
        Definition(
            name=query.name,
            unit=query.unit,
            read=_asked(query.name),
            scale=Scale.DIFFERENCE if query.difference else Scale.RATIO,
            lower_is_better=query.lower_is_better,
        )
        for query in queries
    ]
    return (*DEFINITIONS, *asked)


def metric_of(name: str, endpoint: str, queries: Sequence[Query] = ()) -> Metric | None:
    """The metric of that name, or None when there is none."""
    return next((each.metric(endpoint) for each in definitions(queries) if each.name == name), None)


def readings(fork: MeasuredFork, endpoints: Sequence[str], queries: Sequence[Query] = ()) -> dict[Metric, Reading]:
    """Every metric on one fork: of the whole service, and of each of `endpoints`."""
    return {
        definition.metric(endpoint): definition.reading(fork, endpoint)
        for definition in definitions(queries)
        for endpoint in (ALL, *(endpoints if definition.per_endpoint else ()))
    }
