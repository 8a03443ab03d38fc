"""The JDK or JRE that a side runs on: whether it is one, which, and whether what Pacecar attaches runs on it."""

from __future__ import annotations

import functools
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.system import environment, paths

_TIMEOUT_S = 60.0
#: What the counter agent is compiled for, see `harness/agent/pom.xml`.
OLDEST = 17
#: What the agents are loaded by and read; a runtime made by jlink may lack any of them.
_MODULES = ("java.instrument", "jdk.management")
_PROPERTY = re.compile(r"^ {4}(java\.[\w.]+) = (.*)$", re.MULTILINE)
_LONGEST = 80


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """What a Java runtime says it is.

    Attributes:
        home: where it says that it lies.
        name: of its virtual machine.
        version: in full, such as `25.0.3+9-LTS`.
        vendor: who built it.
        feature: the release of Java it is, such as 25.
        modules: that it has.
    """

    home: Path
    name: str
    version: str
    vendor: str
    feature: int
    modules: frozenset[str]

    @property
    def title(self) -> str:
        """As a running JVM is described: `OpenJDK 64-Bit Server VM 25.0.3+9-LTS Eclipse Adoptium`."""
        return f"{self.name} {self.version} {self.vendor}".strip()


def java_of(home: Path | None) -> Path:
    """The program of the runtime at `home`; of the one that Pacecar found where that is None."""
    return paths.java() if home is None else home / "bin" / "java"


def runtime_at(home: Path) -> Runtime:
    """The runtime at `home`, which services with Pacecar's agents can run on.

    Raises:
        BuildError: when there is none, it does not run, is too old, or lacks a module.
    """
    java = java_of(home)
    if not java.is_file():
        raise BuildError(
            f"{home} is not a JDK: it has no bin/java.",
            hint="Set builds.named.NAME.java to the home of a JDK, the folder that JAVA_HOME would name.",
        )
    runtime = runtime_of(java)
    if runtime is None:
        raise BuildError(
            f"{home} is not a JDK that runs here: its java does not state its version.",
            hint=f"See what it says: {java} -XshowSettings:properties -version",
        )
    if home.resolve() != runtime.home.resolve():
        raise BuildError(
            f"{home} is not the home of a JDK: its java belongs to {runtime.home}.",
            hint=f'Name that one: java = "{runtime.home}"',
        )
    if runtime.feature < OLDEST:
        raise BuildError(
            f"{home} is Java {runtime.feature}, and the agents that Pacecar attaches need {OLDEST} or later.",
            hint=f"Name the home of Java {OLDEST} or later: builds.named.NAME.java",
        )
    lacking = [module for module in _MODULES if module not in runtime.modules]
    if lacking:
        raise BuildError(
            f"{home} has no module {lacking[0]}, which the agents that Pacecar attaches need.",
            hint=f"Build that runtime with it: jlink --add-modules …,{','.join(_MODULES)}",
        )
    return runtime


@functools.cache
def runtime_of(java: Path) -> Runtime | None:
    """What the program `java` says of itself, asked once; None where it says nothing that could be understood."""
    said = dict(_PROPERTY.findall(_asked(java, "-XshowSettings:properties", "-version")))
    feature = re.fullmatch(r"(?:1\.)?(\d{1,3})", said.get("java.specification.version", ""))
    if feature is None:
        return None
    modules = re.findall(r"^([\w.]+)(?:@\S*)?$", _asked(java, "--list-modules"), re.MULTILINE)
    return Runtime(
        home=Path(said.get("java.home", "")),
        name=said.get("java.vm.name", "")[:_LONGEST],
        version=said.get("java.vm.version", "")[:_LONGEST],
        vendor=said.get("java.vendor", "")[:_LONGEST],
        feature=int(feature[1]),
        modules=frozenset(modules),
    )


def _asked(java: Path, *arguments: str) -> str:
    """All that a short-lived `java` prints; "" where it cannot be started, or ends badly."""
    command = [str(java), *arguments]
    surroundings = environment.inherited()
    try:
        answer = subprocess.run(command, env=surroundings, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return "" if answer.returncode else (answer.stdout + answer.stderr).decode("utf-8", "replace")
