"""The catalogue of metrics: everything Pacecar knows about each one, but for how it is read from a fork.

A new metric on a recorded column is a row here, a reader of the same name in `analysis.metrics.readers` (of the quick
tier in `analysis.metrics.counted`), and a line in the configuration reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pacecar.model.comparison import Metric, Scale
from pacecar.model.experiment import Query
from pacecar.model.profiles import ProfileKind
from pacecar.model.tiers import Tier

#: Version of what the names below mean. Raise it with every change to what a metric counts or how it is read: noise
#: that was remembered under another meaning is then not used (`archive.history`).
MEANING = 3


@dataclass(frozen=True, kw_only=True)
class MetricKind:
    """One row of the catalogue.

    Attributes:
        name: as budgets, gate and documents call it.
        title: as people read it, without an endpoint; None where the name's own words do.
        unit: as in `units.format_quantity`.
        scale: how two values compare: as a ratio, or as a difference where zero is an ordinary value.
        lower_is_better: direction.
        per_endpoint: read for every endpoint, too.
        named: of one endpoint nothing is promised but by a budget that names it: it is measured otherwise there, and
            scatters more.
        latency: how long a request takes, so that "more" of it is "slower".
        scraped: it comes from the service's own metrics page.
        called: the agent in the service's JVM counts it, in place of the page where both do.
        machine_bound: measured in time, so it depends on how fast the machine is that day.
        by_jvm: a count that the JVM decides as much as the code does.
        positive: never zero, so that a zero says that what counts it does not work.
        budget: largest tolerated worsening where the user set none, as a fraction, of a difference in `unit` (of shares
            0.01 is a point); None where nothing is promised.
        allowance: the worsening that must be ruled out of a guaranteed metric where the user named none, likewise; None
            where `budgets.allowance_of` derives it from the budget.
        scatter: standard deviation of a pair's change (log-ratio) that is assumed where no earlier run knows better;
            cautious: most machines are quieter. None where nothing is assumed.
        guaranteed: it must be shown to be no worse unless the user names other metrics.
        tiers: in which it is measured.
        counted: standard deviation of a pair's change (log-ratio, or difference) that is assumed in the quick tier,
            where no earlier run knows better, and in the full tier of what has no `scatter` and is read from blocks;
            None where nothing is assumed.
        in_blocks: read from blocks in the full tier too, of the whole service as well.
        stepped: it comes from the steps of a staircase, and there is none of it without one.
        tail: it rests on few slow requests, and may scatter too much for any plan, see `comparison.RuledOut.weak`.
        profile: the kind of profile that tells where it comes from; None where several may, or none does.
    """

    name: str
    unit: str
    title: str | None = None
    scale: Scale = Scale.RATIO
    lower_is_better: bool = True
    per_endpoint: bool = False
    named: bool = False
    latency: bool = False
    scraped: bool = False
    called: bool = False
    machine_bound: bool = True
    by_jvm: bool = False
    positive: bool = False
    budget: float | None = None
    allowance: float | None = None
    scatter: float | None = None
    guaranteed: bool = False
    tiers: tuple[Tier, ...] = (Tier.FULL,)
    counted: float | None = None
    in_blocks: bool = False
    stepped: bool = False
    tail: bool = False
    profile: ProfileKind | None = None

    def metric(self, endpoint: str = "") -> Metric:
        """The metric of one endpoint; of the whole service without one."""
        return Metric(
            name=self.name,
            endpoint=endpoint,
            unit=self.unit,
            scale=self.scale,
            lower_is_better=self.lower_is_better,
            machine_bound=self.machine_bound,
        )


_LATENCY = MetricKind(name="latency", unit="ms", per_endpoint=True, latency=True, budget=0.10)
_SHARE = MetricKind(name="", unit="%", scale=Scale.DIFFERENCE)
#: What a leak makes grow, per 1,000 requests; by default one in 2,000 requests may leave something behind.
_GROWTH = MetricKind(name="", unit="1", scale=Scale.DIFFERENCE, machine_bound=False, budget=0.5)

_BOTH = (Tier.FULL, Tier.QUICK)
#: How often a request makes the service do something beyond itself. One more in ten requests is tolerated.
_PER_REQUEST = MetricKind(
    name="",
    unit="1",
    scale=Scale.DIFFERENCE,
    per_endpoint=True,
    machine_bound=False,
    budget=0.1,
    tiers=_BOTH,
    counted=0.01,
    in_blocks=True,
)
#: The same of the operating system. A profiler that hands over what it has reads and writes, too.
_SYSTEM_CALLS = replace(_PER_REQUEST, budget=0.5, tiers=(Tier.QUICK,), counted=0.1)
_SYSTEM_BYTES = replace(_SYSTEM_CALLS, unit="B", scale=Scale.RATIO, budget=0.10, counted=0.01)

_ROWS = (
    # The median of each endpoint, averaged by the mix of requests. The median of all requests would lie between those
    # of fast and slow endpoints, where a few requests more or less move it far.
    replace(
        _LATENCY,
        name="latency.typical",
        title="typical latency",
        per_endpoint=False,
        scatter=0.04,
        guaranteed=True,
    ),
    # The slowest requests, but for the very last, averaged: that scatters less than the single quantile p99.
    replace(_LATENCY, name="latency.tail", title="tail latency", scatter=0.12, guaranteed=True, tail=True),
    replace(_LATENCY, name="latency.p50", title="p50", scatter=0.05),
    replace(_LATENCY, name="latency.p90", title="p90", scatter=0.08),
    replace(_LATENCY, name="latency.p99", title="p99", scatter=0.18, tail=True),
    replace(_LATENCY, name="latency.mean", title="mean", scatter=0.08),
    replace(_LATENCY, name="server.latency.p50", title="server p50", scraped=True),
    replace(_LATENCY, name="server.latency.p99", title="server p99", scraped=True),
    # Share of failed requests; its change is in percentage points.
    replace(
        _SHARE,
        name="errors",
        machine_bound=False,
        per_endpoint=True,
        budget=0.0005,
        allowance=0.005,
        guaranteed=True,
        tiers=_BOTH,
    ),
    # Requests per second within the latency budget. A staircase is coarse: steps near the limit are an eighth apart.
    MetricKind(
        name="capacity",
        unit="/s",
        lower_is_better=False,
        positive=True,
        budget=0.05,
        allowance=0.10,
        scatter=0.05,
        guaranteed=True,
        stepped=True,
    ),
    # The rest is per request of the whole service, whichever endpoint it went to; of one endpoint, from blocks.
    MetricKind(
        name="cpu",
        unit="ms",
        title="CPU per request",
        per_endpoint=True,
        named=True,
        positive=True,
        budget=0.05,
        scatter=0.03,
        guaranteed=True,
        profile=ProfileKind.CPU,
    ),
    MetricKind(
        name="allocation",
        unit="B",
        title="allocation per request",
        per_endpoint=True,
        machine_bound=False,
        by_jvm=True,
        positive=True,
        budget=0.01,
        allowance=0.05,
        scatter=0.005,
        guaranteed=True,
        tiers=_BOTH,
        counted=0.001,
        profile=ProfileKind.ALLOCATION,
    ),
    replace(_PER_REQUEST, name="statements", title="database statements per request", scraped=True, called=True),
    # What a batch holds goes out at once: more of it is more rows, and no more waiting.
    replace(
        _PER_REQUEST, name="statements.batched", title="statements in batches per request", called=True, budget=None
    ),
    replace(_PER_REQUEST, name="connections.taken", title="database connections taken per request", scraped=True),
    replace(_PER_REQUEST, name="calls", title="outgoing calls per request", scraped=True, called=True),
    # Of the operating system: whatever crosses a socket or a file is in them, whichever driver or client it uses.
    replace(_SYSTEM_CALLS, name="io.reads", title="read calls per request"),
    replace(_SYSTEM_CALLS, name="io.writes", title="write calls per request"),
    replace(_SYSTEM_BYTES, name="io.read", title="bytes read per request"),
    replace(_SYSTEM_BYTES, name="io.written", title="bytes written per request"),
    # The collector works for what is allocated.
    MetricKind(name="gc.pause", unit="ms", title="GC pause per request", budget=0.20, profile=ProfileKind.ALLOCATION),
    MetricKind(
        name="gc.count",
        unit="1",
        title="collections per 1,000 requests",
        machine_bound=False,
        by_jvm=True,
        budget=0.20,
        tiers=_BOTH,
        profile=ProfileKind.ALLOCATION,
    ),
    # A warm JVM may compile nothing at all in a window.
    MetricKind(name="jit", unit="ms", title="JIT time per request", scale=Scale.DIFFERENCE),
    MetricKind(
        name="rss", unit="B", title="resident memory", machine_bound=False, by_jvm=True, positive=True, budget=0.10
    ),
    # A few more in a pool harm nobody, and are a tenth of those that a small service has.
    MetricKind(
        name="threads",
        unit="1",
        machine_bound=False,
        by_jvm=True,
        positive=True,
        budget=0.25,
        tiers=_BOTH,
        counted=0.02,
    ),
    MetricKind(
        name="classes",
        unit="1",
        title="loaded classes",
        machine_bound=False,
        by_jvm=True,
        positive=True,
        budget=0.10,
        tiers=(Tier.QUICK,),
        counted=0.003,
    ),
    MetricKind(
        name="artifact.size",
        unit="B",
        title="size of the artifact",
        machine_bound=False,
        positive=True,
        budget=0.10,
        tiers=(Tier.QUICK,),
    ),
    # A service may have none.
    MetricKind(
        name="connections.open",
        unit="1",
        title="open connections to others",
        scale=Scale.DIFFERENCE,
        machine_bound=False,
        budget=5,
        tiers=_BOTH,
    ),
    # What a fresh instance costs until it is warm.
    MetricKind(
        name="startup.ready", unit="s", title="time to ready", positive=True, budget=0.10, tiers=_BOTH, counted=0.05
    ),
    MetricKind(
        name="startup.first_answer",
        unit="s",
        title="time to the first answer",
        positive=True,
        budget=0.10,
        tiers=_BOTH,
        counted=0.05,
    ),
    MetricKind(name="warmup.cpu", unit="s", title="CPU up to the first 1,000 requests", positive=True, budget=0.10),
    # Leaks: what does not come back down. 100 bytes a request are a quarter of a gigabyte a day at 30 requests/s.
    replace(_GROWTH, name="heap.growth", unit="B", title="heap growth per 1,000 requests", by_jvm=True, budget=100_000),
    replace(_GROWTH, name="threads.growth", title="thread growth per 1,000 requests", by_jvm=True),
    replace(_GROWTH, name="connections.growth", title="connection growth per 1,000 requests"),
    replace(_GROWTH, name="descriptors.growth", title="descriptor growth per 1,000 requests"),
    # Of services in containers only. What a limit does to a build is the build's affair: evidence, not a disturbance.
    replace(_SHARE, name="cpu.limit", profile=ProfileKind.CPU),
    MetricKind(name="throttled", unit="ms", scale=Scale.DIFFERENCE, profile=ProfileKind.CPU),
    replace(_SHARE, name="throttled.periods", budget=0.05, profile=ProfileKind.CPU),
    MetricKind(name="memory", unit="B", machine_bound=False, by_jvm=True, positive=True, budget=0.10),
    replace(_SHARE, name="memory.limit", machine_bound=False, by_jvm=True, budget=0.10),
    MetricKind(name="network", unit="B", machine_bound=False, budget=0.05, tiers=_BOTH),
    MetricKind(name="oom.kills", unit="1", scale=Scale.DIFFERENCE, machine_bound=False, tiers=_BOTH),
    MetricKind(
        name="metrics.page",
        unit="B",
        title="size of the metrics page",
        scraped=True,
        machine_bound=False,
        budget=0.10,
        tiers=_BOTH,
    ),
    MetricKind(
        name="metrics.series",
        unit="1",
        title="series on the metrics page",
        scraped=True,
        machine_bound=False,
        budget=0.10,
        tiers=_BOTH,
    ),
    # Latency runs from sending, so what the load generator sent late is not in it: it stands beside it.
    MetricKind(name="generator.lag", unit="ms", title="load generator's lateness (p99)", scale=Scale.DIFFERENCE),
)

#: Name -> row of every metric that a run may carry and a user may name, in the order in which they are judged.
METRICS = {each.name: each for each in _ROWS}

#: What stands for forks that died: judged by a rule of its own, and never named in a configuration.
DEATHS = MetricKind(name="deaths", unit="1", title="forks that died", scale=Scale.DIFFERENCE, machine_bound=False)

#: `MetricKind.scatter` of metrics that Prometheus is asked for, of which nobody here knows more.
SCATTER_OF_QUERIES = 0.10
#: Names that a query may not take, because reports give them a meaning.
RESERVED = frozenset({*METRICS, DEATHS.name, _LATENCY.name})


def of_query(query: Query) -> MetricKind:
    """The row of a metric that Prometheus is asked for.

    Whether it depends on how fast the machine is, nobody has said, so it is taken to.
    """
    return MetricKind(
        name=query.name,
        unit=query.unit,
        scale=Scale.DIFFERENCE if query.difference else Scale.RATIO,
        lower_is_better=query.lower_is_better,
    )


def title_of(name: str) -> str:
    """The metric `name` as people read it, without an endpoint: `p99`, `CPU per request`; its own words if unknown."""
    known = DEATHS if name == DEATHS.name else METRICS.get(name)
    return (known and known.title) or name.replace(".", " ")


def title_in_place(name: str, endpoint: str) -> str:
    """The metric as people read it: `GET /orders p99`, `overall p99`, `tail latency`, `CPU per request`."""
    title = title_of(name)
    overall = is_latency(name) and not title.endswith("latency")
    return f"{endpoint or ('overall' if overall else '')} {title}".strip()


def is_latency(name: str) -> bool:
    """Whether `name` says how long requests take, so that more of it is slower."""
    return "latency" in name.split(".")
