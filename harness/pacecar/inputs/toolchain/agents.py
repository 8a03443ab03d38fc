"""The agents that forks carry: our counter agent, Pyroscope's profiling agent, and where asked for OpenTelemetry's."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.toolchain import lock
from pacecar.inputs.toolchain.maven import DEPENDENCY_PLUGIN, Maven, ToolchainError
from pacecar.inputs.toolchain.store import Product, copy, digest, product
from pacecar.system import paths
from pacecar.system.resources import Resources

PYROSCOPE_VERSION = "2.9.2"
OPENTELEMETRY_VERSION = "2.33.1"
_EXTENSION_VERSION = "1.0.2"

_COORDINATES = {
    lock.PROFILING_AGENT: f"io.pyroscope:agent:{PYROSCOPE_VERSION}",
    lock.SPAN_AGENT: f"io.opentelemetry.javaagent:opentelemetry-javaagent:{OPENTELEMETRY_VERSION}",
    lock.SPAN_EXTENSION: f"io.pyroscope:otel:{_EXTENSION_VERSION}",
}
_COUNTER_JAR = "pacecar-agent.jar"
_ASM = "org.ow2.asm:asm"


@dataclass(frozen=True, kw_only=True)
class SpanAgent:
    """OpenTelemetry's agent, and Pyroscope's extension of it, which tells the profiler which span a thread is in."""

    agent: Path
    extension: Path


def agent_jar(*, resources: Resources, log_dir: Path) -> Path:
    """The counter agent, built from the sources Pacecar brings with the library that it carries, as locked.

    Raises:
        ToolchainError: when Maven fails, or the library is another one.
    """
    folder = _counter_agent(resources=resources, log_dir=log_dir, held=True).folder
    lock.check(folder, lock.COUNTER_AGENT)
    return folder / _COUNTER_JAR


def pyroscope_jar(*, resources: Resources, log_dir: Path) -> Path:
    """The profiling agent, from Maven's repository, as locked. Raises ToolchainError."""
    return _from_repository(lock.PROFILING_AGENT, resources=resources, log_dir=log_dir)


def span_agent(*, resources: Resources, log_dir: Path) -> SpanAgent:
    """The agent that tells endpoints apart, from Maven's repository, as locked. Raises ToolchainError."""
    return SpanAgent(
        agent=_from_repository(lock.SPAN_AGENT, resources=resources, log_dir=log_dir),
        extension=_from_repository(lock.SPAN_EXTENSION, resources=resources, log_dir=log_dir),
    )


def made_agents(*, resources: Resources, log_dir: Path) -> dict[str, Product]:
    """Each agent of `lock.PRODUCTS` as Maven resolves it, whatever the lock says. Raises ToolchainError."""
    made = {name: _made(name, resources=resources, log_dir=log_dir, held=False) for name in _COORDINATES}
    return made | {lock.COUNTER_AGENT: _counter_agent(resources=resources, log_dir=log_dir, held=False)}


def agent_coordinates() -> dict[str, str]:
    """Name of the jar of each agent, and of the library of our own, -> `group:artifact:version`."""
    parted = [coordinates.split(":") for coordinates in (*_COORDINATES.values(), library())]
    return {f"{artifact}-{version}.jar": f"{group}:{artifact}:{version}" for group, artifact, version in parted}


def library() -> str:
    """What the counter agent carries in itself to instrument classes: `group:artifact:version`, as its pom has it."""
    version = re.search(r"<asm\.version>([\w.]+)</", paths.brought("harness/agent/pom.xml").read_text())
    if version is None:
        raise ToolchainError("The pom of the counter agent names no version of ASM.", hint="Install Pacecar anew.")
    return f"{_ASM}:{version[1]}"


def _counter_agent(*, resources: Resources, log_dir: Path, held: bool) -> Product:
    source = paths.brought("harness/agent")

    def make(folder: Path) -> None:
        build = resources.folder("agent", place=paths.copies())
        shutil.copy2(source / "pom.xml", build)
        shutil.copytree(source / "src" / "main", build / "src" / "main")
        carried = build / "carried"
        # What it is packaged with is kept beside it, so that it can be held against the lock.
        listing = (f"{DEPENDENCY_PLUGIN}:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={carried}")
        maven = Maven(resources=resources, log_dir=log_dir)
        maven.run("-Dmaven.test.skip=true", "package", *listing, job="counter-agent", cwd=build)
        copy(build / "target" / _COUNTER_JAR, folder / _COUNTER_JAR)
        for jar in carried.glob("*.jar"):
            copy(jar, folder / jar.name)

    def check(folder: Path) -> None:
        lock.check(folder, lock.COUNTER_AGENT, origins=[_kept(library())])

    key = digest([source / "pom.xml", source / "src" / "main"], DEPENDENCY_PLUGIN)
    return product(lock.COUNTER_AGENT, key=key, make=make, resources=resources, check=check if held else None)


def _from_repository(name: str, *, resources: Resources, log_dir: Path) -> Path:
    """The jar of an artifact, without what it depends on: agents carry that in themselves."""
    folder = _made(name, resources=resources, log_dir=log_dir, held=True).folder
    lock.check(folder, name)
    _, artifact, version = _COORDINATES[name].split(":")
    return folder / f"{artifact}-{version}.jar"


def _made(name: str, *, resources: Resources, log_dir: Path, held: bool) -> Product:
    coordinates = _COORDINATES[name]

    def make(folder: Path) -> None:
        Maven(resources=resources, log_dir=log_dir).run(
            f"{DEPENDENCY_PLUGIN}:copy",
            f"-Dartifact={coordinates}",
            f"-DoutputDirectory={folder}",
            job=name,
            cwd=folder,
        )

    def check(folder: Path) -> None:
        lock.check(folder, name, origins=[_kept(coordinates)])

    key = digest([], coordinates, DEPENDENCY_PLUGIN)
    return product(name, key=key, make=make, resources=resources, check=check if held else None)


def _kept(coordinates: str) -> Path:
    """Where Maven keeps the jar."""
    group, artifact, version = coordinates.split(":")
    return Path("~/.m2/repository", *group.split("."), artifact, version, f"{artifact}-{version}.jar")
