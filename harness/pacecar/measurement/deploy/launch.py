"""The command and environment that a fork is started with.

The agents travel in `JAVA_TOOL_OPTIONS`, so neither the service nor its command changes, and a wrapper script passes
them on to the JVM it starts. The JVM arguments of one side travel in `_JAVA_OPTIONS`, which HotSpot reads last: there
they win over the arguments in the command, as an argument that is given for one side only has to.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.measurement.deploy import DeployError
from pacecar.model.deployment import Dependency
from pacecar.model.experiment import BuildRequest, Target
from pacecar.system import environment
from pacecar.text import hidden
from pacecar.text.hidden import NOTHING, SHORTEST, Struck

_ALL_JVMS = "JAVA_TOOL_OPTIONS"
_LAST_WORD = "_JAVA_OPTIONS"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What is started.

    Attributes:
        command: argument list with the placeholders filled in.
        env: the whole environment, secrets included: for the process alone.
        hook_env: the same without agents and JVM arguments, for setup and reset.
        shown: command and environment as they may be recorded, secrets by the name of their variable.
        struck: what is struck out of what the fork writes.
    """

    command: tuple[str, ...]
    env: dict[str, str]
    hook_env: dict[str, str]
    shown: tuple[str, ...]
    struck: Struck = NOTHING


#: Spring's own placeholders stand behind a dollar sign.
_BRACES = re.compile(r"(?<!\$)\{([^{}]+)\}")


@dataclass(frozen=True, kw_only=True)
class Placeholders:
    """What `{artifact}`, `{port}`, `{java}` and `{fork}` stand for, and by `others` what any further word does."""

    artifact: Path
    port: int
    fork: Path
    java: Path
    others: Mapping[str, str] = field(default_factory=dict)

    def fill(self, text: str) -> str:
        """`text` with every placeholder filled in; other braces stay, and what `others` has behind a dollar sign."""
        values = {"artifact": self.artifact, "port": self.port, "java": self.java, "fork": self.fork}
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return _BRACES.sub(lambda found: self.others.get(found[1], found[0]), text)

    def fill_all(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """`fill` for each argument."""
        return tuple(self.fill(argument) for argument in command)

    def fill_each(self, commands: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        """The same for several commands."""
        return tuple(self.fill_all(command) for command in commands)


def launch(
    target: Target,
    command: tuple[str, ...],
    request: BuildRequest,
    placeholders: Placeholders,
    *,
    jvm_options: tuple[str, ...],
    agent_env: Mapping[str, str],
) -> Launch:
    """How one fork of `request` is started.

    Args:
        target: environment and secrets.
        command: the argument list, placeholders included.
        request: JVM arguments and environment of this side.
        placeholders: what to fill in.
        jvm_options: for every JVM of the fork: agents and log.
        agent_env: settings of the agents.

    Raises:
        DeployError: when the variable of a secret is not set, or too short.
    """
    own = {name: placeholders.fill(value) for name, value in {**target.env, **request.env}.items()}
    plain = environment.of_fork() | _runtime(request) | own | secrets(target)
    options = jvm_environment(own | secrets(target), jvm_options=jvm_options, jvm_args=request.jvm_args)
    filled = placeholders.fill_all(command)
    return Launch(
        command=filled,
        env=plain | dict(agent_env) | options,
        hook_env=plain,
        shown=(*shown_variables(target, request), *hidden.arguments(filled)),
        struck=struck(target, request, command=command),
    )


def _runtime(request: BuildRequest) -> dict[str, str]:
    """Where a script finds the runtime of a side that has its own."""
    if request.java is None:
        return {}
    searched = os.environ.get("PATH", os.defpath)
    return {"JAVA_HOME": str(request.java), "PATH": f"{request.java / 'bin'}{os.pathsep}{searched}"}


def shown_variables(target: Target, request: BuildRequest) -> tuple[str, ...]:
    """`NAME=…` of a fork's own environment as it may be recorded: no value but the arguments of this side's JVM."""
    shown = hidden.values({**target.env, **request.env})
    shown |= {name: f"${variable}" for name, variable in target.secrets.items()}
    if request.jvm_args:
        shown[_LAST_WORD] = shlex.join(hidden.arguments(request.jvm_args))
    return tuple(f"{name}={value}" for name, value in sorted(shown.items()))


def struck(target: Target, request: BuildRequest, *, command: tuple[str, ...] = ()) -> Struck:
    """What is struck out of whatever a fork of `request` writes.

    Args:
        target: environment and secrets.
        request: JVM arguments and environment of this side.
        command: what starts it, where that is an argument list.

    Raises:
        DeployError: like `secrets`.
    """
    given = (*hidden.among(command), *hidden.among(request.jvm_args))
    tables = (Struck.of({}, env, given) for env in (target.env, request.env))  # either may say a variable
    return Struck.together((Struck.of(secrets(target), {}), *tables))


def jvm_environment(
    own: Mapping[str, str], *, jvm_options: tuple[str, ...], jvm_args: tuple[str, ...]
) -> dict[str, str]:
    """The variables that carry arguments to every JVM of a fork.

    Args:
        own: the fork's environment; what it says itself stays.
        jvm_options: for every JVM of the fork.
        jvm_args: of this side only.
    """
    options = {
        _ALL_JVMS: _joined(jvm_options, own.get(_ALL_JVMS, "")),
        _LAST_WORD: _joined((), own.get(_LAST_WORD, ""), jvm_args),
    }
    return {name: text for name, text in options.items() if text}


def struck_of_dependency(dependency: Dependency) -> Struck:
    """What is struck out of whatever a dependency writes. Raises DeployError like `secrets`."""
    given = hidden.among(dependency.command)
    return Struck.of(secrets_of_dependency(dependency), dependency.env, given)


def secrets(target: Target) -> dict[str, str]:
    """Variable of the fork -> value, taken from Pacecar's own environment.

    Raises:
        DeployError: when one is not set, or too short to be redacted from what a run keeps.
    """
    return _taken(target.secrets, whose=f"target {target.name}", plain="target.env")


def secrets_of_dependency(dependency: Dependency) -> dict[str, str]:
    """Variable of the dependency -> value, likewise."""
    return _taken(dependency.secrets, whose=f"dependency {dependency.name}", plain="the env of that dependency")


def _taken(wanted: Mapping[str, str], *, whose: str, plain: str) -> dict[str, str]:
    missing = sorted(variable for variable in wanted.values() if variable not in os.environ)
    if missing:
        raise DeployError(f"The secret variable {missing[0]} of {whose} is not set.", hint=f"export {missing[0]}=…")
    short = sorted(variable for variable in wanted.values() if 0 < len(os.environ[variable]) < SHORTEST)
    if short:
        raise DeployError(
            f"The secret variable {short[0]} of {whose} is shorter than {SHORTEST} characters, too short to be "
            f"redacted from what a run keeps.",
            hint=f"Use a longer one: export {short[0]}=…; or, if it is not a secret, set it under {plain}.",
        )
    return {name: os.environ[variable] for name, variable in wanted.items()}


def _joined(first: tuple[str, ...], users: str, last: tuple[str, ...] = ()) -> str:
    # The JVM splits at blanks and knows both kinds of quotes but no backslash, which is just what shlex.join writes.
    return " ".join(part for part in (shlex.join(first), users, shlex.join(last)) if part)
