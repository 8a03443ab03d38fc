"""Tables of the file to the shapes of `experiment`."""

from __future__ import annotations

from pacecar import units
from pacecar.config.agreement import absolute
from pacecar.config.catalogue import KNOWN, gated
from pacecar.config.document import Document
from pacecar.config.model import BudgetTable, FileTable, PlanTable, ProfilerTable, ScenarioTable
from pacecar.config.shapes import BuildOptions, Configuration
from pacecar.experiment import (
    Acceptance,
    Budget,
    Endpoint,
    LoadModel,
    Plan,
    Profiler,
    Readiness,
    Scenario,
    SourceTree,
    Target,
)

#: What the built-in simulation sends when the file names no endpoint.
_FRONT_PAGE = Endpoint(name="GET /", method="GET", path="/", weight=1.0)


def configuration(file: FileTable, document: Document) -> Configuration:
    """The configuration that `file`, checked already, describes. Raises ConfigError for a budget's unit."""
    return Configuration(
        target=_target(file, document),
        source=_source(file, document),
        scenario=_scenario(file.scenario, document),
        plan=_plan(file.plan),
        budgets=tuple(_budget(budget, ("budgets", index), document) for index, budget in enumerate(file.budgets)),
        gate=tuple(_gate_entry(text) for text in file.gate.metrics),
        comparisons=file.gate.comparisons,
        accepted=tuple(Acceptance(**dict(each)) for each in file.accepted),
        profiler=_profiler(file.profiler),
        builds={
            name: BuildOptions(
                build=named.build,
                jvm_args=tuple(named.jvm_args),
                env=dict(named.env),
                profiler=named.profiler,
                spans=named.spans,
            )
            for name, named in file.builds.named.items()
        },
        baseline=file.builds.baseline or "",
        candidate=file.builds.candidate or "",
        path=document.path,
        text=document.text,
        sha256=document.sha256,
    )


def _target(file: FileTable, document: Document) -> Target:
    target = file.target
    return Target(
        name=target.name,
        command=tuple(target.command),
        directory=absolute(document, target.directory),
        env=dict(target.env),
        secrets=dict(target.secrets),
        port=target.port,
        ready=Readiness(path=target.ready, timeout_s=target.ready_timeout),
        metrics_path=target.metrics,
        application=tuple(target.application),
        setup=tuple(tuple(command) for command in target.hooks.setup),
        reset=tuple(tuple(command) for command in target.hooks.reset),
    )


def _source(file: FileTable, document: Document) -> SourceTree | None:
    source = file.source
    if source is None:
        return None
    return SourceTree(
        root=absolute(document, source.root),
        command=tuple(source.command),
        artifact=source.artifact,
        timeout_s=source.timeout,
    )


def _scenario(scenario: ScenarioTable, document: Document) -> Scenario:
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
        module=absolute(document, scenario.module) if scenario.module is not None else None,
        jar=absolute(document, scenario.jar) if scenario.jar is not None else None,
        sliced=scenario.sliced,
        model=LoadModel(scenario.model),
        rate_per_s=scenario.rate,
        users=scenario.users,
        think_time_s=scenario.think_time,
        endpoints=endpoints if endpoints or own else (_FRONT_PAGE,),
        properties=dict(scenario.properties),
    )


def _plan(plan: PlanTable) -> Plan:
    return Plan(
        pairs=plan.pairs,
        side_s=plan.side,
        slice_s=min(plan.slice, plan.side),
        gap_s=plan.gap,
        warmup_s=plan.warmup,
        burst_s=min(plan.burst, plan.warmup),
        burst_users=plan.burst_users,
        seed=plan.seed,
        pin=plan.pin,
        stop_early=plan.stop_early,
        time_s=plan.time,
        steady=plan.steady,
    )


def _profiler(profiler: ProfilerTable) -> Profiler:
    return Profiler(
        cpu_interval_ms=profiler.cpu_interval * 1e3,
        wall_interval_ms=profiler.wall_interval * 1e3,
        allocation_bytes=round(profiler.allocation),
        lock_threshold_ms=profiler.lock_threshold * 1e3,
        upload_interval_s=profiler.upload_interval,
        spans=profiler.spans,
    )


def _gate_entry(text: str) -> str:
    metric, endpoint = gated(text)
    return metric if endpoint is None else f"{metric} of {endpoint}"


def _budget(budget: BudgetTable, location: tuple[str, int], document: Document) -> Budget:
    most = None
    if budget.max is not None:
        try:
            most = units.parse_quantity(budget.max, KNOWN[budget.metric].unit)
        except ValueError as error:
            raise document.error((*location, "max"), str(error)) from error
        if most < 0:
            raise document.error((*location, "max"), "must not be negative")
    return Budget(metric=budget.metric, endpoint=budget.endpoint, relative=budget.worse, absolute=most)
