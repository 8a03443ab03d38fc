"""The two agents that every fork carries: our counter agent and Pyroscope's profiling agent."""

from __future__ import annotations

import shutil
from pathlib import Path

from pacecar import places
from pacecar.custody import Custody
from pacecar.toolchain.maven import DEPENDENCY_PLUGIN, Maven
from pacecar.toolchain.store import digest, link, product

PYROSCOPE_VERSION = "2.9.2"

_PYROSCOPE = f"io.pyroscope:agent:{PYROSCOPE_VERSION}"
_COUNTER_JAR = "pacecar-agent.jar"
_PYROSCOPE_JAR = f"agent-{PYROSCOPE_VERSION}.jar"


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

    def make(folder: Path) -> None:
        maven = Maven(custody=custody, log_dir=log_dir)
        maven.run(
            f"{DEPENDENCY_PLUGIN}:copy",
            f"-Dartifact={_PYROSCOPE}",
            f"-DoutputDirectory={folder}",
            job="profiling-agent",
            cwd=folder,
        )

    key = digest([], _PYROSCOPE, DEPENDENCY_PLUGIN)
    return product("profiling-agent", key=key, make=make) / _PYROSCOPE_JAR
