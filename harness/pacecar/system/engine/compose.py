"""Compose files: the commands on them, and what a file says once it is resolved."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacecar.system import engine, environment
from pacecar.system.engine import EngineError

#: The first one that knows `!override` and `!reset`, by which one file takes back what another one says.
_OLDEST = (2, 24, 4)
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
#: A variable that a compose file asks for: `$NAME`, `${NAME:-default}`. `$$` is a dollar sign.
_FILLED_IN = re.compile(r"\$(?:\$|\{?([A-Za-z_][A-Za-z0-9_]*))")
_MOST_BYTES = 4 << 20


class ComposeFileError(EngineError):
    """Compose does not accept the file."""


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """A compose file with its variables, extensions and defaults filled in.

    Attributes:
        file: where it lies.
        services: name -> the service, as the Compose specification has it.
        networks: name -> network.
        volumes: name -> volume.
        secrets: name -> secret: the file or the variable that holds it.
    """

    file: Path
    services: Mapping[str, Mapping[str, Any]]
    networks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    volumes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def service(self, name: str) -> Mapping[str, Any]:
        """The service of that name.

        Raises:
            ComposeFileError: when there is none; says what there is.
        """
        if name not in self.services:
            known = ", ".join(sorted(self.services))
            raise ComposeFileError(
                f"The compose file {self.file} has no service {name!r}.",
                hint=f"Set target.compose.service to one of: {known}"
                if known
                else "It has no service at all: name another file in target.compose.file.",
            )
        return self.services[name]

    def together(self, name: str) -> tuple[str, ...]:
        """The service `name` and all that it depends on, itself first."""
        found = [name]
        for each in found:
            needed = self.service(each).get("depends_on") or {}
            found += [other for other in needed if other not in found and other in self.services]
        return tuple(found)


def command(*files: Path, project: str) -> tuple[str, ...]:
    """The beginning of every command on `files`, later ones laid over earlier ones.

    Relative paths are meant from the folder of the first.
    """
    named = [part for file in files for part in ("--file", str(file))]
    folder = str(files[0].parent)
    return (engine.PROGRAM, "compose", "--project-directory", folder, *named, "--project-name", project)


def version() -> str:
    """The version of Compose.

    Raises:
        EngineError: when there is none, or one that does not know what Pacecar's overlay needs.
    """
    status, out, _ = engine.call(["compose", "version", "--short"])
    match = _VERSION.search(out) if status == 0 else None
    hint = "Install it: apt-get install docker-compose-plugin (or docker-compose-v2), then: pacecar doctor"
    if match is None:
        raise EngineError("There is no Docker Compose v2 (`docker compose`).", hint=hint)
    if tuple(map(int, match.groups())) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise EngineError(f"Docker Compose {match[0]} is too old; Pacecar needs {oldest}.", hint=hint)
    return match[0]


def resolve(file: Path, *, project: str, inherit: Iterable[str] = ()) -> Resolved:
    """The compose file as Compose understands it.

    Args:
        file: the compose file.
        project: name of the project.
        inherit: variables that Compose gets beside the usual, to fill them in.

    Raises:
        ComposeFileError: when there is no such file, Compose does not accept it, or it asks for a variable that is set
            here and is not let through.
        EngineError: when there is no Compose.
    """
    if not file.is_file():
        raise ComposeFileError(f"There is no compose file {file}.", hint="Name it in target.compose.file.")
    surroundings = environment.of_engine(inherit)
    _refuse_withheld(file, _asked_for(file), surroundings)
    # Profiles, so that a service which is only started on demand can be a target too.
    arguments = [*command(file, project=project)[1:], "--profile", "*", "config", "--format", "json"]
    status, out, complaint = engine.call(arguments, inherit=inherit)
    if status != 0:
        raise ComposeFileError(
            f"Compose does not accept {file}: {engine.last_words(complaint)}",
            hint=f"Check it after every change: docker compose --file {file} config --quiet",
        )
    resolved = _read(file, json.loads(out))
    _refuse_withheld(file, _without_value(resolved), surroundings)
    return resolved


def _asked_for(file: Path) -> list[str]:
    with file.open("rb") as opened:
        text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    return [name for name in _FILLED_IN.findall(text) if name]


def _without_value(resolved: Resolved) -> list[str]:
    """Variables of services that are to be copied from Compose's own environment, and were not there."""
    stated = (service.get("environment") or {} for service in resolved.services.values())
    return [str(name) for variables in stated for name, value in variables.items() if value is None]


def _refuse_withheld(file: Path, names: Iterable[str], surroundings: Mapping[str, str]) -> None:
    # Compose would take the default, or nothing, without a word: another service would be measured than is meant.
    withheld = next((name for name in names if name in os.environ and name not in surroundings), None)
    if withheld is None:
        return
    hint = f'Let it through: inherit = ["{withheld}"] in [target.compose]; or unset it.'
    if environment.is_never_passed(withheld):
        hint = "It belongs to the job that Pacecar runs in. Have the file use another variable."
    raise ComposeFileError(f"{file} asks for {withheld}, which is set here and is not passed on to Compose.", hint=hint)


def _read(file: Path, found: Mapping[str, Any]) -> Resolved:
    return Resolved(
        file=file,
        services=found.get("services") or {},
        networks=found.get("networks") or {},
        volumes=found.get("volumes") or {},
        secrets=found.get("secrets") or {},
    )
