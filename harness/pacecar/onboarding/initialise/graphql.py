"""Queries that a GraphQL service answers, as the schema among its resources says: requests that only read."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import path_of
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, Parameter
from pacecar.onboarding.initialise.settings import FOLDER, Settings


@dataclass(frozen=True, kw_only=True)
class GraphQl:
    """Where a service answers queries.

    Attributes:
        path: without what all its endpoints begin with.
        folder: in which its schema lies, below its resources.
    """

    path: str
    folder: str


#: What answers queries, by its libraries; where its schema lies; settings that name the path.
_SERVERS: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = (
    (
        re.compile(r"graphql-dgs-(?:[\w-]{1,40}-)?starter"),
        "schema",
        ("dgs.graphql.path", "spring.graphql.http.path", "spring.graphql.path"),
    ),
    (re.compile(r"spring-boot-starter-graphql"), "graphql", ("spring.graphql.http.path", "spring.graphql.path")),
    (re.compile(r"graphql-spring-boot-starter"), "", ("graphql.servlet.mapping",)),
    (re.compile(r"micronaut-graphql"), "", ("graphql.path",)),
)
_FILE = re.compile(r"[\w.-]{1,80}\.(?:graphqls?|gqls?)")
_IGNORED = re.compile(r'"""(?:[^"]|"(?!""))*+"""|"(?:[^"\\\n]|\\.)*+"|#[^\n]*+')
_TYPE = re.compile(
    r"\b(type|interface|union|enum|scalar)\s{1,9}+(\w{1,100}+)[^{}]{0,300}?"
    r"(?:\{([^{}]{0,100000})\}|(?=\n(?!\s{0,100}+\{))|\Z)"
)
_FIELD = re.compile(r"(\w{1,100}+)\s{0,9}+(?:\(([^()]{0,2000})\))?\s{0,9}+:\s{0,9}+([\[\]!\w\s]{1,120}?)(?=[\s,@}]|\Z)")
_ARGUMENT = re.compile(r"(\w{1,100}+)\s{0,9}+:\s{0,9}+([\[\]\w]{1,100}+)(!?)\s{0,9}+(=?)")
_SCALARS = {"Int", "Float", "String", "Boolean", "ID"}
#: Of which any number is one.
_NUMBERS = {"Int", "Float", "ID"}
_MOST_FILES, _MOST_QUERIES, _MOST_FIELDS, _MOST_TYPES = 20, 8, 5, 500
_LONGEST = 500


@dataclass(frozen=True, kw_only=True)
class _Schema:
    """A schema: fields of its objects by their names, names of what has no fields, and of what is any of several."""

    objects: Mapping[str, str]
    scalars: frozenset[str]
    several: frozenset[str]


def graphql_server(words: Collection[str], settings: Settings) -> GraphQl | None:
    """Where a service answers queries of GraphQL; None where nothing among its libraries does.

    Args:
        words: names in its build files.
        settings: of the service.
    """
    for library, folder, names in _SERVERS:
        if any(library.fullmatch(word) for word in words):
            return GraphQl(path=path_of(settings.get(*names) or "graphql") or "/graphql", folder=folder)
    return None


def queries_in(modules: Sequence[Path], server: GraphQl) -> list[GuessedEndpoint]:
    """Queries that need nothing but numbers, at most eight; the name of the type alone where there is none.

    Args:
        modules: folders that hold `src/main`.
        server: where queries are asked; one without a schema only asks others.
    """
    schema = _read(modules, server.folder)
    found = list(islice(_queries(schema, server.path), _MOST_QUERIES))
    if found or "Query" not in schema.objects:
        return found
    guess = "that it says no more than the name of its type: the schema has no query that needs no arguments"
    return [_asked(server.path, "__typename", "{ __typename }", (guess,))]


def _read(modules: Sequence[Path], folder: str) -> _Schema:
    objects: dict[str, str] = {}
    scalars, several = set(_SCALARS), set()
    for module in modules:
        for file in files.named(module / FOLDER / folder, _FILE, most=_MOST_FILES):
            text = _IGNORED.sub(" ", files.text(file))
            for match in islice(_TYPE.finditer(text), _MOST_TYPES):
                kind, name = match[1], match[2]
                if kind == "type":
                    objects[name] = f"{objects.get(name, '')}\n{match[3] or ''}"
                elif kind in {"enum", "scalar"}:
                    scalars.add(name)
                else:
                    several.add(name)
    return _Schema(objects=objects, scalars=frozenset(scalars), several=frozenset(several))


def _queries(schema: _Schema, path: str) -> Iterator[GuessedEndpoint]:
    """Those without arguments first."""
    fields = [(name, given, kind) for name, given, kind in _FIELD.findall(schema.objects.get("Query", ""))]
    for name, given, kind in sorted(fields, key=lambda each: len(_needed(each[1]))):
        needed = _needed(given)
        selected = _selected(schema, kind)
        if selected is None or any(kind not in _NUMBERS for _, kind in needed):
            continue
        guessed = [(each, *Parameter(name=each, type="int").guess()) for each, _ in needed]
        arguments = ", ".join(f"{each}: {template}" for each, template, _ in guessed)
        query = f"{{ {name}{f'({arguments})' if arguments else ''}{selected} }}"
        if len(query) <= _LONGEST:
            yield _asked(path, name, query, tuple(guess for _, _, guess in guessed))


def _asked(path: str, name: str, query: str, guesses: tuple[str, ...]) -> GuessedEndpoint:
    return GuessedEndpoint(
        method="POST", route=path, path=path, guesses=guesses, label=name, body=json.dumps({"query": query})
    )


def _needed(arguments: str) -> list[tuple[str, str]]:
    """Names and types of the arguments that have to be given."""
    found = _ARGUMENT.findall(arguments)
    return [(name, kind.strip("[]")) for name, kind, required, default in found if required and not default]


def _selected(schema: _Schema, kind: str) -> str | None:
    """What to ask of a type, with braces around it; "" of one without fields, None where that cannot be told."""
    name = kind.strip("[]! \n\t")
    if name in schema.scalars:
        return ""
    if name in schema.several:
        return " { __typename }"
    fields = [
        field
        for field, given, inner in _FIELD.findall(schema.objects.get(name, ""))
        if inner.strip("[]! \n\t") in schema.scalars and not _needed(given)
    ]
    return f" {{ {' '.join(fields[:_MOST_FIELDS])} }}" if fields else None
