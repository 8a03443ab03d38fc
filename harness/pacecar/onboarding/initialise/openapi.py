"""Endpoints of an OpenAPI document that lies among a project's sources.

Projects that generate their controllers' interfaces from it have no annotations of their own to be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, Parameter, guessed, joined, joined_as_written
from pacecar.onboarding.initialise.specs import read_specs

_NAME = re.compile(r"(?:openapi|swagger|api-docs)[\w.-]{0,40}\.(?:ya?ml|json)")
_METHODS = ("get", "post", "put", "patch", "delete")
_SERVER = re.compile(r"^(?:https?://[^/]{1,200})?(/.*)?$")
#: Formats of texts of which not any text will do -> the Java type that has them.
_FORMATS = {"uuid": "UUID", "date": "LocalDate", "date-time": "OffsetDateTime"}
_MOST_DOCUMENTS = 3
_MOST_PATHS = 200
_MOST_PARAMETERS = 50
_MOST_VALUES = 50
_DEEPEST = 10


def in_documents(module: Path, *, base: str) -> Iterator[GuessedEndpoint]:
    """Endpoints of the documents of a module, with what their server puts before every path.

    They are those that its build makes controllers of, else those below `src/main` whose names say what they are.

    Args:
        module: the project, or the module of it.
        base: what all endpoints lie below as far as the service's settings say.
    """
    specs = read_specs(module)
    named = files.named(module.absolute() / "src" / "main", _NAME, most=_MOST_DOCUMENTS)
    for path in specs.served or (each for each in named if each not in specs.asked):
        for document in _documents(path):
            if isinstance(document, dict) and isinstance(document.get("paths"), dict):
                yield from _endpoints(document, base)


def _documents(path: Path) -> list[object]:
    if path.suffix != ".json":
        return files.yaml_documents(path)
    try:
        return [json.loads(files.text(path))]
    except (ValueError, RecursionError):
        return []


def _endpoints(document: dict[str, Any], base: str) -> Iterator[GuessedEndpoint]:
    prefix = _prefix(document, base)
    for route, item in list(document["paths"].items())[:_MOST_PATHS]:
        if not isinstance(item, dict):
            continue
        for method in _METHODS:
            operation = item.get(method)
            if isinstance(operation, dict) and isinstance(route, str):
                parameters = [*_parameters(document, item), *_parameters(document, operation)]
                endpoint = guessed(
                    method.upper(),
                    joined_as_written(prefix, route),
                    variables=[each for place, each in parameters if place == "path"],
                    query=[each for place, each in parameters if place == "query"],
                )
                if endpoint:
                    yield endpoint


def _prefix(document: dict[str, Any], base: str) -> str:
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = first.get("url", "") if isinstance(first, dict) else ""
    match = _SERVER.match(url) if isinstance(url, str) else None
    path = (match[1] or "" if match else "") or _text(document.get("basePath"))
    return path if path.startswith(base) else joined(base, path)


def _parameters(document: dict[str, Any], holder: dict[str, Any]) -> Iterator[tuple[str, Parameter]]:
    listed = holder.get("parameters")
    for each in listed[:_MOST_PARAMETERS] if isinstance(listed, list) else ():
        parameter = _resolved(document, each)
        name, place = parameter.get("name"), parameter.get("in")
        required = place == "path" or _text(parameter.get("required")).lower() == "true"
        if isinstance(name, str) and isinstance(place, str) and required:
            schema = parameter.get("schema")
            described = schema if isinstance(schema, dict) else parameter
            kind = _FORMATS.get(_text(described.get("format"))) or _text(described.get("type"))
            yield place, Parameter(name=name, type=kind, values=_values(described))


def _values(schema: dict[str, Any]) -> tuple[str, ...]:
    known = schema.get("enum")
    if isinstance(known, list):
        return tuple(value for value in known[:_MOST_VALUES] if isinstance(value, str))
    example = schema.get("example")
    return (example,) if isinstance(example, str) and schema.get("type") == "string" else ()


def _text(value: object) -> str:
    # Not of a list or an object: with aliases, a few bytes of YAML are gigabytes of text.
    return str(value) if isinstance(value, str | bool) else ""


def _resolved(document: dict[str, Any], value: object) -> dict[str, Any]:
    if isinstance(value, dict) and isinstance(reference := value.get("$ref"), str):
        value = document
        for part in reference.removeprefix("#/").split("/", _DEEPEST):
            value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
