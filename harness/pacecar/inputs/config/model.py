"""The configuration file, table by table. `docs/reference/configuration.md` says what each key means.

The models hold what one key may be; what several keys say together is checked in `agreement`.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pacecar.inputs.config.deployment import DeploymentKeys
from pacecar.inputs.config.fields import (
    AS_WRITTEN,
    ArtifactPath,
    BodyTemplate,
    ClassName,
    ClassPattern,
    CommandLine,
    FilePath,
    HeaderValue,
    Inherited,
    LimitOrOff,
    Name,
    OptionName,
    Port,
    QueryName,
    QueryText,
    Seed,
    ServerUrl,
    StoreUrl,
    Text,
    Title,
    UrlPath,
    UrlTemplate,
    Variable,
    Worsening,
    duration_between,
    rate_between,
    size_between,
)
from pacecar.model.scenario import HEAP_BYTES, MOST_INJECTORS, GeneratorKind
from pacecar.model.tiers import LONGEST_AFTER_WINDOWS_S

#: The simulation that sends `scenario.endpoints`.
BUILT_IN = "dev.pacecar.scenarios.EndpointMix"


class Table(BaseModel):
    """One TOML table: no unknown keys, no conversions."""

    model_config = AS_WRITTEN


class HooksTable(Table):
    """`[target.hooks]`."""

    setup: list[Annotated[CommandLine, Field(min_length=1)]] = []
    ready: list[Annotated[CommandLine, Field(min_length=1)]] = []
    reset: list[Annotated[CommandLine, Field(min_length=1)]] = []


class TargetTable(Table, DeploymentKeys):
    """`[target]`."""

    name: Name
    directory: FilePath = "."
    ready: UrlPath
    ready_timeout: Annotated[float, duration_between("1 s", "30 min")] = 60.0
    metrics: UrlPath | None = None
    application: list[ClassName] = []
    calls: bool | None = None
    port: Port = None
    env: dict[Variable, Text] = {}
    secrets: dict[Variable, Inherited] = {}
    hooks: HooksTable = HooksTable()


class SourceTable(Table):
    """`[source]`."""

    root: FilePath = "."
    command: Annotated[CommandLine, Field(min_length=1)] = ["mvn", "-q", "-B", "-DskipTests", "package"]
    artifact: ArtifactPath = "target/*.jar"
    timeout: Annotated[float, duration_between("1 s", "4 h")] = 900.0
    inherit: list[Inherited] = []


class NamedBuildTable(Table):
    """`[builds.named.NAME]`."""

    build: Title
    profiler: bool = True
    spans: bool = True
    java: FilePath | None = None
    jvm_args: CommandLine = []
    env: dict[Variable, Text] = {}


class BuildsTable(Table):
    """`[builds]`."""

    baseline: Title | None = None
    candidate: Title | None = None
    measure_equal: bool = False
    named: dict[Name, NamedBuildTable] = {}


class EndpointTable(Table):
    """`[[scenario.endpoints]]`."""

    name: Title
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] = "GET"
    path: UrlTemplate
    weight: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] = 1.0
    body: BodyTemplate | None = None
    headers: dict[Title, HeaderValue] = {}


class ScenarioTable(Table):
    """`[scenario]`."""

    generator: Annotated[GeneratorKind, Field(strict=False)] = GeneratorKind.GATLING
    model: Literal["open", "closed", "staircase"] = "open"
    rate: Annotated[float, rate_between("0.1/s", "20000/s")] = 50.0
    heap: Annotated[float, size_between("16 MiB", "64 GiB")] = HEAP_BYTES
    injectors: Annotated[int, Field(ge=1, le=MOST_INJECTORS)] = 1
    within: Annotated[float, duration_between("1 ms", "1 min")] | None = None
    users: Annotated[int, Field(ge=1, le=2000)] = 10
    think_time: Annotated[float, duration_between("0 s", "10 min")] = 1.0
    simulation: ClassName = BUILT_IN
    module: FilePath | None = None
    jar: FilePath | None = None
    sliced: bool = True
    properties: dict[Title, Text] = {}
    inherit: list[Inherited] = []
    endpoints: Annotated[list[EndpointTable], Field(max_length=500)] = []


class QuickTable(Table):
    """`[plan.quick]`."""

    pairs: Annotated[int, Field(ge=2, le=20)] = 3
    requests: Annotated[int, Field(ge=1, le=1000)] = 20
    rounds: Annotated[int, Field(ge=3, le=100)] = 5
    time: Annotated[float, duration_between("1 s", "1 h")] = 20.0


class EscalateTable(Table):
    """`[plan.escalate]`."""

    on: list[Literal["regressed", "improved", "passed", "inconclusive", "invalid", "always", "never"]] = [
        "regressed",
        "inconclusive",
        "invalid",
    ]
    classes: Annotated[list[ClassPattern], Field(max_length=200)] = []


class PlanTable(Table):
    """`[plan]`."""

    tier: Literal["full", "quick"] = "full"
    pairs: Annotated[int, Field(ge=1, le=100)] = 8
    stop_early: bool = True
    time: Annotated[float, duration_between("1 s", "12 h")] | None = None
    side: Annotated[float, duration_between("1 s", "1 h")] = 35.0
    slice: Annotated[float, duration_between("500 ms", "1 h")] = 2.5
    gap: Annotated[float, duration_between("0 s", "1 min")] = 0.5
    warmup: Annotated[float, duration_between("0 s", "1 h")] = 75.0
    warmup_at_most: Annotated[float, duration_between("0 s", "1 h")] | None = None
    burst: Annotated[float, duration_between("0 s", "1 h")] | None = None
    steady: bool = True
    burst_users: Annotated[int, Field(ge=1, le=200)] | None = None
    seed: Seed = 1
    pin: bool = True
    counted: LimitOrOff = LONGEST_AFTER_WINDOWS_S
    explain: bool = True
    quick: QuickTable = QuickTable()
    escalate: EscalateTable = EscalateTable()


class ProfilerTable(Table):
    """`[profiler]`."""

    cpu_interval: Annotated[float, duration_between("1 ms", "1 s")] = 0.001
    wall_interval: Annotated[float, duration_between("1 ms", "1 s")] = 0.050
    allocation: Annotated[float, size_between("1 KiB", "1 GiB")] = 2_097_152.0
    lock_threshold: Annotated[float, duration_between("1 us", "1 min")] = 0.001
    upload_interval: Annotated[float, duration_between("1 s", "1 min")] = 10.0
    spans: bool = False
    traces: bool = False


class BudgetTable(Table):
    """`[[budgets]]`."""

    metric: Title
    endpoint: Title | None = None
    worse: Worsening | None = None
    rule_out: Worsening | None = None
    max: Text | None = None


class AcceptedTable(Table):
    """`[[accepted]]`."""

    metric: Title
    endpoint: Title | None = None
    reason: Title
    by: Title
    until: date


class ArchiveTable(Table):
    """`[archive]`."""

    url: StoreUrl | None = None
    runs: bool = True
    options: Annotated[dict[OptionName, Title | int | bool], Field(max_length=40)] = {}


class PrometheusTable(Table):
    """`[prometheus]`."""

    url: ServerUrl
    targets: FilePath | None = None


class QueryTable(Table):
    """`[metrics.NAME]`."""

    query: QueryText
    unit: Literal["1", "ms", "s", "B", "%"] = "1"
    better: Literal["lower", "higher"] = "lower"
    compare: Literal["ratio", "difference"] = "ratio"


class PyroscopeTable(Table):
    """`[pyroscope]`."""

    url: ServerUrl
    service: Name | None = None


class GateTable(Table):
    """`[gate]`."""

    metrics: list[Title] = []
    ignore: Annotated[list[Title], Field(max_length=200)] = []
    comparisons: Annotated[int, Field(ge=1, le=100)] = 1


class FileTable(Table):
    """The whole file."""

    target: TargetTable
    source: SourceTable | None = None
    builds: BuildsTable = BuildsTable()
    scenario: ScenarioTable = ScenarioTable()
    plan: PlanTable = PlanTable()
    profiler: ProfilerTable = ProfilerTable()
    gate: GateTable = GateTable()
    budgets: list[BudgetTable] = []
    accepted: list[AcceptedTable] = []
    archive: ArchiveTable = ArchiveTable()
    prometheus: PrometheusTable | None = None
    metrics: Annotated[dict[QueryName, QueryTable], Field(max_length=50)] = {}
    pyroscope: PyroscopeTable | None = None
