"""Tables of the file to the shapes of `experiment`."""

from __future__ import annotations

from dataclasses import replace

from pacecar.inputs.config.config_text import ConfigText, absolute
from pacecar.inputs.config.deployment import deployment
from pacecar.inputs.config.kept import kept_text
from pacecar.inputs.config.model import (
    ArchiveTable,
    BudgetTable,
    FileTable,
    PlanTable,
    ProfilerTable,
    QuickTable,
    ScenarioTable,
)
from pacecar.inputs.config.named_metrics import entry, with_queries
from pacecar.inputs.config.shapes import BuildOptions, Configuration
from pacecar.inputs.config.suggestion import quoted
from pacecar.model.catalogue import MetricKind
from pacecar.model.comparison import Scale
from pacecar.model.experiment import (
    Acceptance,
    Budget,
    Plan,
    Profiler,
    Prometheus,
    Pyroscope,
    Query,
    Readiness,
    SourceTree,
    Target,
)
from pacecar.model.scenario import Endpoint, LoadModel, Scenario
from pacecar.model.shared_archive import SharedArchive
from pacecar.model.tiers import Blocks, Escalation, Tier, Trigger, after_windows
from pacecar.text import units

_LEAST_WORSE, _MOST_WORSE = 0.001, 10.0
#: What a plan may take that says neither how many pairs nor how long.
_DEFAULT_TIME_S = 20 * 60.0
#: The end of a warm-up, at the measured rate.
_AT_RATE_S = 5.0
#: A long pause of a small heap's collector. As many users make the burst as requests arrive in it.
_PAUSE_S = 0.016
_FEWEST_BURST_USERS, _MOST_BURST_USERS = 4, 32
#: What the built-in simulation sends when the file names no endpoint.
_FRONT_PAGE = Endpoint(name="GET /", method="GET", path="/", weight=1.0)


def configuration(file: FileTable, written: ConfigText) -> Configuration:
    """The configuration that `file`, checked already, describes. Raises ConfigError for a budget's unit."""
    return Configuration(
        target=_target(file, written),
        source=_source(file, written),
        scenario=_scenario(file.scenario, written, traced=file.profiler.traces),
        plan=_plan(file.plan, file.scenario),
        budgets=tuple(
            _budget(budget, with_queries(file.metrics)[budget.metric], ("budgets", index), written)
            for index, budget in enumerate(file.budgets)
        ),
        gate=tuple(_gate_entry(text) for text in file.gate.metrics),
        ignored=tuple(_gate_entry(text) for text in file.gate.ignore),
        comparisons=file.gate.comparisons,
        accepted=tuple(Acceptance(**dict(each)) for each in file.accepted),
        profiler=_profiler(file.profiler),
        archive=_archive(file.archive),
        prometheus=_prometheus(file, written),
        pyroscope=_pyroscope(file),
        builds={
            name: BuildOptions(
                build=named.build,
                jvm_args=tuple(named.jvm_args),
                env=dict(named.env),
                profiler=named.profiler,
                spans=named.spans,
                java=absolute(written, named.java) if named.java is not None else None,
            )
            for name, named in file.builds.named.items()
        },
        baseline=file.builds.baseline,
        candidate=file.builds.candidate,
        measure_equal=file.builds.measure_equal,
        path=written.path,
        text=kept_text(written.text),
        sha256=written.sha256,
    )


def _target(file: FileTable, written: ConfigText) -> Target:
    target = file.target
    return Target(
        name=target.name,
        deployment=deployment(target, written, target=target.name),
        directory=absolute(written, target.directory),
        env=dict(target.env),
        secrets=dict(target.secrets),
        port=target.port,
        ready=Readiness(path=target.ready, timeout_s=target.ready_timeout),
        metrics_path=target.metrics,
        application=tuple(target.application),
        setup=tuple(tuple(command) for command in target.hooks.setup),
        once_ready=tuple(tuple(command) for command in target.hooks.ready),
        reset=tuple(tuple(command) for command in target.hooks.reset),
        calls=target.calls,
    )


def _source(file: FileTable, written: ConfigText) -> SourceTree | None:
    source = file.source
    if source is None:
        return None
    return SourceTree(
        root=absolute(written, source.root),
        command=tuple(source.command),
        artifact=source.artifact,
        timeout_s=source.timeout,
        inherit=tuple(source.inherit),
    )


def _scenario(scenario: ScenarioTable, written: ConfigText, *, traced: bool) -> Scenario:
    endpoints = tuple(
        Endpoint(
            name=endpoint.name,
            method=endpoint.method,
            path=endpoint.path,
            weight=endpoint.weight,
            body=endpoint.body,
            headers=dict(endpoint.headers),
        )
        for endpoint in scenario.endpoints
    )
    own = scenario.module is not None or scenario.jar is not None
    return Scenario(
        simulation=scenario.simulation,
        module=absolute(written, scenario.module) if scenario.module is not None else None,
        jar=absolute(written, scenario.jar) if scenario.jar is not None else None,
        sliced=scenario.sliced,
        model=LoadModel(scenario.model),
        rate_per_s=scenario.rate,
        users=scenario.users,
        think_time_s=scenario.think_time,
        endpoints=endpoints if endpoints or own else (_FRONT_PAGE,),
        properties=dict(scenario.properties),
        inherit=tuple(scenario.inherit),
        generator=scenario.generator,
        heap_bytes=int(scenario.heap),
        injectors=scenario.injectors,
        within_ms=None if scenario.within is None else 1e3 * scenario.within,
        traced=traced,
    )


def _plan(plan: PlanTable, scenario: ScenarioTable) -> Plan:
    by_default = plan.time is None and "pairs" not in plan.model_fields_set
    full = Plan(
        pairs=plan.pairs,
        side_s=plan.side,
        slice_s=min(plan.slice, plan.side),
        gap_s=plan.gap,
        warmup_s=plan.warmup,
        burst_s=_burst(plan),
        burst_users=plan.burst_users or _burst_users(scenario.rate),
        seed=plan.seed,
        pin=plan.pin,
        stop_early=plan.stop_early,
        time_s=_DEFAULT_TIME_S if by_default else plan.time,
        time_by_default=by_default,
        steady=plan.steady,
        warmup_at_most_s=_warmup_at_most(plan),
        # One endpoint by itself can be asked by the kit only.
        counted=after_windows(plan.counted) if scenario.sliced and plan.counted is not None else None,
        explain=plan.explain,
        escalation=Escalation(on=tuple(map(Trigger, plan.escalate.on)), classes=tuple(plan.escalate.classes)),
    )
    return full if Tier(plan.tier) is Tier.FULL else _quick(full, plan.quick)


def _quick(full: Plan, quick: QuickTable) -> Plan:
    # Every pair is measured: a verdict at the first look that looks decided would need levels for each look, and the
    # pairs that would be spared take seconds.
    return replace(
        full,
        tier=Tier.QUICK,
        pairs=quick.pairs,
        stop_early=False,
        time_s=None,
        time_by_default=False,
        blocks=Blocks(requests=quick.requests, rounds=quick.rounds, longest_s=quick.time),
    )


def _burst(plan: PlanTable) -> float:
    """All of a warm-up but its last seconds, in which the forks get used to the measured rate; all of a short one."""
    if plan.burst is not None:
        return plan.burst
    return plan.warmup - _AT_RATE_S if plan.warmup > 2 * _AT_RATE_S else plan.warmup


def _burst_users(rate_per_s: float) -> int:
    """As many as requests arrive while a collection stops the service: servers start a thread for each that waits."""
    return min(max(_FEWEST_BURST_USERS, round(rate_per_s * _PAUSE_S)), _MOST_BURST_USERS)


def _warmup_at_most(plan: PlanTable) -> float | None:
    """Whoever says how long a warm-up takes wants no longer one."""
    if plan.warmup_at_most is not None or "warmup" in plan.model_fields_set:
        return plan.warmup_at_most
    return 2 * plan.warmup


def _profiler(profiler: ProfilerTable) -> Profiler:
    return Profiler(
        cpu_interval_ms=profiler.cpu_interval * 1e3,
        wall_interval_ms=profiler.wall_interval * 1e3,
        allocation_bytes=round(profiler.allocation),
        lock_threshold_ms=profiler.lock_threshold * 1e3,
        upload_interval_s=profiler.upload_interval,
        spans=profiler.spans or profiler.traces,
        traces=profiler.traces,
    )


def _archive(archive: ArchiveTable) -> SharedArchive | None:
    if archive.url is None:
        return None
    return SharedArchive(url=archive.url, options=dict(archive.options), runs=archive.runs)


def _prometheus(file: FileTable, written: ConfigText) -> Prometheus | None:
    table = file.prometheus
    if table is None:
        return None
    return Prometheus(
        url=table.url,
        targets=absolute(written, table.targets) if table.targets is not None else None,
        queries=tuple(
            Query(
                name=name,
                text=query.query,
                unit=query.unit,
                lower_is_better=query.better == "lower",
                difference=query.compare == "difference",
            )
            for name, query in file.metrics.items()
        ),
    )


def _pyroscope(file: FileTable) -> Pyroscope | None:
    table = file.pyroscope
    return None if table is None else Pyroscope(url=table.url, service=table.service or file.target.name)


def _gate_entry(text: str) -> str:
    metric, endpoint = entry(text)
    return metric if endpoint is None else f"{metric} of {endpoint}"


def _budget(budget: BudgetTable, metric: MetricKind, location: tuple[str, int], written: ConfigText) -> Budget:
    most = worse = allowance = None
    key = "max"
    try:
        if budget.max is not None:
            most = _not_negative(units.parse_quantity(budget.max, metric.unit))
        key = "worse"
        if budget.worse is not None:
            worse = _worsening(budget.worse, metric)
        key = "rule_out"
        if budget.rule_out is not None:
            allowance = _worsening(budget.rule_out, metric)
            if worse is not None and allowance < worse:
                raise ValueError(f"{quoted(budget.rule_out)} is less than worse; what is tolerated cannot be ruled out")
    except ValueError as error:
        raise written.error((*location, key), str(error)) from error
    return Budget(metric=budget.metric, endpoint=budget.endpoint, relative=worse, absolute=most, allowance=allowance)


def _worsening(text: str, metric: MetricKind) -> float:
    """As `experiment.Budget.relative`: a fraction; of what is compared by its difference, an amount."""
    if metric.scale is Scale.DIFFERENCE:
        amount = _not_negative(units.parse_quantity(text, metric.unit))
        return amount / 100 if metric.unit == "%" else amount
    fraction = units.parse_percentage(text)
    if not _LEAST_WORSE <= fraction <= _MOST_WORSE:
        raise ValueError(f"{quoted(text)} is outside 0.1 % to 1000 %")
    return fraction


def _not_negative(amount: float) -> float:
    if amount < 0:
        raise ValueError("must not be negative")
    return amount
