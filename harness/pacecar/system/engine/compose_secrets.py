"""What a compose file gives away of secrets: to be struck out of whatever its services say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pacecar.system.engine.compose import Resolved
from pacecar.system.foreign import files
from pacecar.text import hidden
from pacecar.text.hidden import Struck

_MOST_BYTES = 64 << 10


def struck_of(resolved: Resolved, services: Iterable[str]) -> Struck:
    """The secrets of `services`: in variables, build arguments and commands by their name, and all of `secrets`.

    A value that the file has under a plain name too is none. Where a database, its user and its password are all called
    `orders`, striking that word out would take the endpoint `GET /orders` away and hide nothing.
    """
    names = tuple(services)
    found = {secret for name in names for secret in _of_service(resolved.service(name))}
    found -= {value for name in names for value in _plain(name, resolved.service(name))}
    return Struck.of({}, {}, (*found, *_declared(resolved, names)))


def _of_service(service: Mapping[str, Any]) -> Iterator[str]:
    for variables in _tables(service):
        yield from hidden.in_variables(variables)
    for commands in (service, service.get("healthcheck") or {}):
        for key in ("command", "entrypoint", "test"):
            yield from hidden.among(map(_text, commands.get(key) or ()))


def _plain(name: str, service: Mapping[str, Any]) -> Iterator[str]:
    image = str(service.get("image", "")).partition("@")[0].rpartition("/")[2]
    yield from (name, image.partition(":")[0])
    for variables in _tables(service):
        yield from (value for name, value in variables.items() if not hidden.is_credential(name))


def _tables(service: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The variables of a service and the arguments of its build, those that have a value."""
    for table in (service.get("environment"), (service.get("build") or {}).get("args")):
        yield {name: _text(value) for name, value in (table or {}).items() if value is not None}


def _declared(resolved: Resolved, services: Iterable[str]) -> Iterator[str]:
    """The content of what stands under `secrets` of the file and of one of `services`."""
    for service in services:
        for used in resolved.service(service).get("secrets") or ():
            yield _held(resolved.secrets.get(str(used.get("source")), {}))


def _held(secret: Mapping[str, Any]) -> str:
    if variable := secret.get("environment"):
        return os.environ.get(str(variable), "")
    try:
        content = files.content(Path(str(secret["file"])), most=_MOST_BYTES)
    except (KeyError, OSError):
        return ""  # an external one; or Compose says that the file cannot be read
    return content.decode("utf-8", "surrogateescape").strip("\r\n")


def _text(value: object) -> str:
    # Compose writes what it has resolved as a compose file, in which a dollar sign is two.
    return str(value).replace("$$", "$")
