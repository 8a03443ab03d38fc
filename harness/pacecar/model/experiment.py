"""What was asked for: target, builds, scenario, plan, budgets and gate.

Plain immutable shapes. `config` makes them from TOML; everything else only reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path

from pacecar.model.deployment import Deployment
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.model.tiers import Blocks, Escalation, Tier


class Side(StrEnum):
    """One of the two builds of a pair."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"

    @property
    def other(self) -> Side:
        """The side it is compared with."""
        return Side.CANDIDATE if self is Side.BASELINE else Side.BASELINE


class BuildKind(StrEnum):
    """Where a build comes from."""

    JAR = "jar"
    REF = "ref"
    PATCH = "patch"
    TREE = "tree"
    IMAGE = "image"


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """One side's build as the user named it.

    Attributes:
        kind: how `value` is meant.
        value: path of a jar, a git ref, path of a patch, path of a source tree, or an image by tag or digest.
        label: what reports call it.
        jvm_args, env: added to the target's own for this side only.
        profiler: whether the profiling agent is attached on this side.
        spans: whether the OpenTelemetry agent is, where the profiler is to have it.
        java: home of the JDK or JRE that it runs on; None for the one that Pacecar found.
        base: the commit a patch is applied to; None for the working tree.
        pinned: a name that means this very build whatever is promoted later; None when `value` does.
    """

    kind: BuildKind
    value: str
    label: str
    jvm_args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    profiler: bool = True
    spans: bool = True
    java: Path | None = None
    base: str | None = None
    pinned: str | None = None


@dataclass(frozen=True, kw_only=True)
class SourceTree:
    """How source becomes an artifact.

    Attributes:
        root: the directory that a build runs in and that patches apply to.
        command: the build command, run in a copy of `root`; empty when only jars are compared.
        artifact: path of the built jar or folder below `root`; may hold one `*`.
        timeout_s: limit for the build command.
        inherit: variables of Pacecar's own environment that the build command gets beside the usual.
    """

    root: Path
    command: tuple[str, ...]
    artifact: str
    timeout_s: float = 900.0
    inherit: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """When a fork counts as up: `path` answers with a 2xx status within `timeout_s`."""

    path: str
    timeout_s: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Target:
    """The service under test and how one fork of it is started.

    Attributes:
        name: short name, used for the profiles and the report.
        deployment: how a fork is started, with what only that way needs.
        directory: working directory of the hooks, and of a fork that is a process.
        env: environment of the fork, beside what every fork inherits (`deploy.launch`).
        secrets: variable of the fork -> variable of Pacecar's own environment. Values are never recorded.
        port: on this machine: None for a free one, else the fixed port.
        ready: when a fork is up.
        metrics_path: Prometheus page of the service, or None.
        application: prefixes of the class names that are the user's own code.
        setup: commands run once before a fork starts (each an argument list).
        once_ready: commands run when it has answered, before any load.
        reset: commands run after a fork has ended.
        calls: count calls of databases and other services in its JVM; None for the quick tier only.
    """

    name: str
    deployment: Deployment
    directory: Path
    env: dict[str, str]
    secrets: dict[str, str]
    port: int | None
    ready: Readiness
    metrics_path: str | None
    application: tuple[str, ...]
    setup: tuple[tuple[str, ...], ...] = ()
    once_ready: tuple[tuple[str, ...], ...] = ()
    reset: tuple[tuple[str, ...], ...] = ()
    calls: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is measured, in which portions.

    Attributes:
        pairs: most pairs (paired mode), or forks (recording).
        stop_early: paired mode: stop as soon as the gate is decided.
        time_s: start no pair that would not end within so many seconds of the first one's start; None for no limit.
        time_by_default: nobody asked for that limit; whoever names a number of pairs wants them all.
        side_s: measured seconds per side and pair.
        slice_s: length of one window under load before the sides switch.
        gap_s: pause between slices, in which requests drain and counters are read.
        warmup_s: load before the first window, both sides at once; at most so long when `steady`.
        warmup_at_most_s: how long that may become while a run goes on whose forks were not steady; None for no longer.
        burst_s: the first part of the warm-up, in which users without pauses ask as much as the service can bear.
        steady: end that part as soon as both sides are steady.
        tier: what is to be answered; of the quick tier only `pairs`, `seed` and `blocks` count.
        blocks: portions of the quick tier.
        counted: of the full tier, the blocks that follow the last window of a pair; None for none.
        escalation: what calls for the full tier where the quick one goes first.
        burst_users: open model: how many such users per side. The closed model has its own.
        seed: seed of the arrivals, the mix, the data and the order of the sides.
        pin: put target and load generator on different cores where there are two.
        explain: measure pairs that decide nothing, where latency or (quick tier) allocation regressed unexplained.
        profiled: of the quick tier: with the profiler, as in pairs that decide nothing.
    """

    pairs: int
    side_s: float
    slice_s: float
    gap_s: float
    warmup_s: float
    burst_s: float
    burst_users: int
    seed: int
    pin: bool = True
    stop_early: bool = True
    time_s: float | None = None
    time_by_default: bool = False
    steady: bool = True
    warmup_at_most_s: float | None = None
    tier: Tier = Tier.FULL
    blocks: Blocks = field(default_factory=Blocks)
    counted: Blocks | None = None
    explain: bool = True
    profiled: bool = False
    escalation: Escalation = field(default_factory=Escalation)

    @property
    def quick(self) -> bool:
        """Whether requests are counted in blocks."""
        return self.tier is Tier.QUICK

    @property
    def slices_per_side(self) -> int:
        """Whole slices that make up `side_s`; at least one."""
        return max(1, round(self.side_s / self.slice_s))


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much worse a metric may get, or may be.

    Attributes:
        metric: name of the metric, such as `latency.p99`.
        endpoint: restricts it to one endpoint; None is every endpoint without a budget of its own.
        relative: largest tolerated worsening as a fraction, of a difference in the metric's unit (of shares 0.01 is
            a point); None when only `absolute` counts.
        allowance: the worsening that must be ruled out for a guaranteed metric to pass, likewise; None for the default.
        absolute: largest tolerated value of the candidate, in the metric's unit.
    """

    metric: str
    endpoint: str | None = None
    relative: float | None = None
    absolute: float | None = None
    allowance: float | None = None


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """A regression that somebody has decided to live with.

    Attributes:
        metric: name of the metric.
        endpoint: the endpoint it belongs to; None for the whole service.
        reason, by: why, and who decided.
        until: the last day on which it holds.
    """

    metric: str
    endpoint: str | None
    reason: str
    by: str
    until: date

    @property
    def key(self) -> tuple[str, str]:
        """Name and endpoint, as judgements have them: "" for the whole service."""
        return (self.metric, self.endpoint or "")


#: What a query may hold in braces: the fork it is about, and the window as Unix seconds and a duration of PromQL.
QUERY_PLACEHOLDERS = ("instance", "port", "side", "pair", "start", "end", "length")


@dataclass(frozen=True, kw_only=True)
class Query:
    """A metric that Prometheus is asked for, once for each window.

    Attributes:
        name: what budgets, the gate and reports call it.
        text: PromQL with `QUERY_PLACEHOLDERS`; its result is one number.
        unit: as in `units.parse_quantity`.
        lower_is_better: direction.
        difference: the sides are compared by their difference, where zero is an ordinary value; else by their ratio.
    """

    name: str
    text: str
    unit: str = "1"
    lower_is_better: bool = True
    difference: bool = False


@dataclass(frozen=True, kw_only=True)
class Prometheus:
    """A Prometheus server that scrapes the forks.

    Attributes:
        url: where it answers; holds no credentials.
        targets: file in which it finds the forks that are up, for its `file_sd_configs`; None when it needs none.
        queries: what it is asked.
    """

    url: str
    targets: Path | None = None
    queries: tuple[Query, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Pyroscope:
    """A Pyroscope server that profiles are forwarded to.

    Attributes:
        url: where it answers; holds no credentials.
        service: name of the service the profiles are filed under.
    """

    url: str
    service: str


@dataclass(frozen=True, kw_only=True)
class Profiler:
    """How the profiling agent samples. Intervals in ms, allocation in bytes, see the agent's own settings.

    With `spans` the OpenTelemetry agent is loaded too, and samples carry the endpoint that they serve. With `traces` it
    also tells what was done for single requests.
    """

    cpu_interval_ms: float = 1.0
    wall_interval_ms: float = 50.0
    allocation_bytes: int = 2_097_152
    lock_threshold_ms: float = 1.0
    upload_interval_s: float = 10.0
    spans: bool = False
    traces: bool = False


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One comparison or recording, complete: what `--dry-run` prints and a manifest keeps.

    `gate` names the guaranteed metrics, `ignored` those that decide nothing. `comparisons` is how many comparisons,
    this one among them, share the level of one. `measure_equal` has builds measured that are the same.
    """

    target: Target
    source: SourceTree | None
    builds: dict[Side, BuildRequest]
    scenario: Scenario
    plan: Plan
    budgets: tuple[Budget, ...]
    gate: tuple[str, ...]
    profiler: Profiler
    config_path: Path
    accepted: tuple[Acceptance, ...] = ()
    ignored: tuple[str, ...] = ()
    prometheus: Prometheus | None = None
    pyroscope: Pyroscope | None = None
    comparisons: int = 1
    measure_equal: bool = False

    def profiles(self, side: Side) -> bool:
        """Whether the profiling agent is attached to forks of `side`.

        A profiler allocates, so what the quick tier counts is counted without one.
        """
        return self.builds[side].profiler and (not self.plan.quick or self.plan.profiled)

    @property
    def counts_calls(self) -> bool:
        """Whether the forks' counter agents count calls: unless told not to, where endpoints are asked one by one."""
        one_by_one = self.plan.quick or self.plan.counted is not None
        return one_by_one if self.target.calls is None else self.target.calls

    @property
    def counts_calls_in_windows(self) -> bool:
        """Whether they count while latency is measured, too."""
        return self.target.calls is True

    @property
    def climbs(self) -> bool:
        """Whether a staircase follows the windows of a pair; requests that are counted one by one have no rate."""
        return self.scenario.model is LoadModel.STAIRCASE and not self.plan.quick

    @property
    def queries(self) -> tuple[Query, ...]:
        """The metrics that Prometheus is asked for."""
        return self.prometheus.queries if self.prometheus else ()
