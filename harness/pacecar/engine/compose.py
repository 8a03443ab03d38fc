"""Compose files: the commands on them, and what a file says once it is resolved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacecar import engine
from pacecar.engine import EngineError

#: The first one that knows `!override` and `!reset`, by which one file takes back what another one says.
_OLDEST = (2, 24, 4)
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


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
    """

    file: Path
    services: Mapping[str, Mapping[str, Any]]
    networks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    volumes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def service(self, name: str) -> Mapping[str, Any]:
        """The service of that name.

        Raises:
            ComposeFileError: when there is none; says what there is.
        """
        if name not in self.services:
            raise ComposeFileError(
                f"The compose file {self.file} has no service {name!r}.",
                hint=f"Set target.compose.service to one of: {', '.join(sorted(self.services)) or 'none there is'}",
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


def resolve(file: Path, *, project: str) -> Resolved:
    """The compose file as Compose understands it.

    Raises:
        ComposeFileError: when there is no such file, or Compose does not accept it.
        EngineError: when there is no Compose.
    """
    if not file.is_file():
        raise ComposeFileError(f"There is no compose file {file}.", hint="Name it in target.compose.file.")
    # Profiles, so that a service which is only started on demand can be a target too.
    arguments = [*command(file, project=project)[1:], "--profile", "*", "config", "--format", "json"]
    status, out, complaint = engine.call(arguments)
    if status != 0:
        raise ComposeFileError(
            f"Compose does not accept {file}: {engine.last_words(complaint)}",
            hint=f"Check it after every change: docker compose --file {file} config --quiet",
        )
    return _read(file, json.loads(out))


def _read(file: Path, found: Mapping[str, Any]) -> Resolved:
    return Resolved(
        file=file,
        services=found.get("services") or {},
        networks=found.get("networks") or {},
        volumes=found.get("volumes") or {},
    )
