"""A configuration file, understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pacecar.model.experiment import (
    Acceptance,
    Budget,
    Plan,
    Profiler,
    Prometheus,
    Pyroscope,
    SourceTree,
    Target,
)
from pacecar.model.scenario import Scenario
from pacecar.model.shared_archive import SharedArchive


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """A build that the file gives a name, with what else differs on its side.

    Attributes:
        build: where it comes from, as text for the builds room.
        jvm_args: added to the target's own JVM arguments.
        env: added to the target's environment.
        profiler: whether the profiling agent is attached.
        spans: whether the OpenTelemetry agent is, where the profiler is to have it.
        java: home of the JDK or JRE it runs on; None for the one that Pacecar found.
    """

    build: str
    jvm_args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    profiler: bool = True
    spans: bool = True
    java: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """A configuration file, understood.

    Attributes:
        target: the service.
        source: how source becomes a jar; None when only jars are compared.
        scenario: the load.
        plan: how much is measured.
        budgets: the limits that metrics are held against.
        gate: the guaranteed metrics; empty means the catalogue's.
        ignored: metrics that decide nothing.
        comparisons: how many comparisons share the level of one.
        accepted: regressions that do not fail.
        profiler: how the agent samples.
        archive: the store that machines share; None when runs and baselines stay on this one.
        prometheus: a server that is asked for metrics; None when there is none.
        pyroscope: a server that profiles are forwarded to, likewise.
        builds: named builds.
        baseline: the build compared with when none is named on the command line; None when the file names none.
        candidate: the build under test, likewise.
        measure_equal: builds that are the same are measured all the same.
        path: the file, as the user named it.
        text: its content as it may be kept, see `kept`.
        sha256: digest of the content, and of the overrides if there were any.
    """

    target: Target
    source: SourceTree | None
    scenario: Scenario
    plan: Plan
    budgets: tuple[Budget, ...]
    gate: tuple[str, ...]
    ignored: tuple[str, ...]
    comparisons: int
    accepted: tuple[Acceptance, ...]
    profiler: Profiler
    archive: SharedArchive | None
    builds: dict[str, BuildOptions]
    baseline: str | None
    candidate: str | None
    measure_equal: bool
    path: Path
    text: str
    sha256: str
    prometheus: Prometheus | None = None
    pyroscope: Pyroscope | None = None
