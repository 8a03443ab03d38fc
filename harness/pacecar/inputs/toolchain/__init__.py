"""Everything a run takes from Maven: Gatling with the simulation, the counter agent, the profiling agent.

Each is resolved once, in a copy, and kept in the cache under the digest of what it was made from: an installed
Pacecar may be read-only, and a checkout should hold no build products it did not ask for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.toolchain.agents import (
    OPENTELEMETRY_VERSION,
    PYROSCOPE_VERSION,
    SpanAgent,
    agent_jar,
    pyroscope_jar,
    span_agent,
)
from pacecar.inputs.toolchain.classpath import gatling_classpath
from pacecar.inputs.toolchain.maven import ToolchainError
from pacecar.model.scenario import GeneratorKind, Scenario
from pacecar.system.resources import Resources

__all__ = ["Toolchain", "ToolchainError", "agent_jar", "gatling_classpath", "pyroscope_jar", "resolve"]

_GATLING_CORE = re.compile(r"(?:^|-)gatling-core-(\d[\w.]*?)\.jar$")


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """The files a run needs beside the builds.

    Attributes:
        classpath: Gatling with the scenario's simulation, in the order of the class path; empty where something else
            sends the load.
        counter_agent: jar of the agent that reads the JVM's counters.
        profiling_agent: jar of the Pyroscope agent.
        span_agent: what tells endpoints apart; None where it is not asked for.
        versions: name of a tool -> version.
        class_data: the load generator's classes as a JVM of this machine can map them; None without such a file.
    """

    classpath: tuple[Path, ...]
    counter_agent: Path
    profiling_agent: Path
    span_agent: SpanAgent | None
    versions: dict[str, str]
    class_data: Path | None = None


def resolve(scenario: Scenario, *, resources: Resources, log_dir: Path, spans: bool = False) -> Toolchain:
    """Everything that measuring `scenario` takes, with `spans` the OpenTelemetry agent too.

    Minutes the first time, then milliseconds.

    Raises:
        ToolchainError: when Maven fails, or the scenario's jar or module does not exist.
    """
    gatling = scenario.generator is GeneratorKind.GATLING
    classpath = gatling_classpath(scenario, resources=resources, log_dir=log_dir) if gatling else ()
    return Toolchain(
        classpath=classpath,
        counter_agent=agent_jar(resources=resources, log_dir=log_dir),
        profiling_agent=pyroscope_jar(resources=resources, log_dir=log_dir),
        span_agent=span_agent(resources=resources, log_dir=log_dir) if spans else None,
        versions={"pyroscope-agent": PYROSCOPE_VERSION}
        | ({"gatling": gatling_version(classpath)} if gatling else {})
        | ({"opentelemetry-agent": OPENTELEMETRY_VERSION} if spans else {}),
    )


def gatling_version(classpath: Iterable[Path]) -> str:
    """The version in the name of Gatling's core jar, or "unknown"."""
    matches = (_GATLING_CORE.search(entry.name) for entry in classpath)
    return next((match.group(1) for match in matches if match), "unknown")
