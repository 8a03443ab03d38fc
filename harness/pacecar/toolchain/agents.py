"""The agents that forks carry: our counter agent, Pyroscope's profiling agent, and where asked for OpenTelemetry's."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from pacecar import places
from pacecar.custody import Custody
from pacecar.toolchain.maven import DEPENDENCY_PLUGIN, Maven
from pacecar.toolchain.store import digest, link, product

PYROSCOPE_VERSION = "2.9.2"
OPENTELEMETRY_VERSION = "2.33.1"
_EXTENSION_VERSION = "1.0.2"

_PYROSCOPE = f"io.pyroscope:agent:{PYROSCOPE_VERSION}"
_OPENTELEMETRY = f"io.opentelemetry.javaagent:opentelemetry-javaagent:{OPENTELEMETRY_VERSION}"
_EXTENSION = f"io.pyroscope:otel:{_EXTENSION_VERSION}"
_COUNTER_JAR = "pacecar-agent.jar"


@dataclass(frozen=True, kw_only=True)
class SpanAgent:
    """OpenTelemetry's agent, and Pyroscope's extension of it, which tells the profiler which span a thread is in."""

    agent: Path
    extension: Path


def agent_jar(*, custody: Custody, log_dir: Path) -> Path:
    """The counter agent, built from the sources Pacecar brings. Raises ToolchainError."""
    source = places.brought("harness/agent")

    def make(folder: Path) -> None:
        build = custody.folder("agent")
        shutil.copy2(source / "pom.xml", build)
        shutil.copytree(source / "src" / "main", build / "src" / "main")
        maven = Maven(custody=custody, log_dir=log_dir)
        maven.run("-Dmaven.test.skip=true", "package", job="counter-agent", cwd=build)
        link(build / "target" / _COUNTER_JAR, folder / _COUNTER_JAR)

    key = digest([source / "pom.xml", source / "src" / "main"])
    return product("counter-agent", key=key, make=make) / _COUNTER_JAR


def pyroscope_jar(*, custody: Custody, log_dir: Path) -> Path:
    """The profiling agent, from Maven's repository. Raises ToolchainError."""
    return _from_repository(_PYROSCOPE, name="profiling-agent", custody=custody, log_dir=log_dir)


def span_agent(*, custody: Custody, log_dir: Path) -> SpanAgent:
    """The agent that tells endpoints apart, from Maven's repository. Raises ToolchainError."""
    return SpanAgent(
        agent=_from_repository(_OPENTELEMETRY, name="span-agent", custody=custody, log_dir=log_dir),
        extension=_from_repository(_EXTENSION, name="span-extension", custody=custody, log_dir=log_dir),
    )


def _from_repository(coordinates: str, *, name: str, custody: Custody, log_dir: Path) -> Path:
    """The jar of an artifact, without what it depends on: agents carry that in themselves."""
    _, artifact, version = coordinates.split(":")

    def make(folder: Path) -> None:
        Maven(custody=custody, log_dir=log_dir).run(
            f"{DEPENDENCY_PLUGIN}:copy",
            f"-Dartifact={coordinates}",
            f"-DoutputDirectory={folder}",
            job=name,
            cwd=folder,
        )

    return product(name, key=digest([], coordinates, DEPENDENCY_PLUGIN), make=make) / f"{artifact}-{version}.jar"
