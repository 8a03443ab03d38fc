"""Classes of Ktor that stand for a path: `@Resource("/orders/{id}") class Order`, with `get<Order> { … }` elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.arguments import Unread, text_of
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import joined
from pacecar.onboarding.initialise.source_text import SourceText

_MARK = re.compile(r"@(Resource|Location)\b")
_CLASS = re.compile(
    r"\s*+(?:@\w{1,100}+(?:\([^()]{0,200}+\))?+\s*+|(?:data|internal|private|public|sealed|open)\s++){0,8}"
    r"(?:class|object)\s{1,20}+(\w{1,100}+)\s*+(\()?",
    re.ASCII,
)
#: The resource above one: `val parent: Orders = Orders()`.
_PARENT = re.compile(
    r"\b(?:val|var)\s{1,9}+\w{1,100}+\s{0,9}+:\s{0,9}+([\w.]{1,200}+)\s{0,9}+=\s{0,9}+\1\s{0,9}+\(", re.ASCII
)
_MOST = 300
_DEEPEST = 6


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A class that stands for a path.

    Attributes:
        name: with those of the classes around it: `Orders.One`.
        path: its own; None where it cannot be read.
        parent: the name of the resource above it; None without one.
    """

    name: str
    path: str | None
    parent: str | None


def resources_in(source: str, constants: Constants | None = None) -> Iterator[Resource]:
    """Such classes in the text of one Kotlin file."""
    if "@Resource" not in source and "@Location" not in source:
        return
    text = SourceText.of(source)
    outline = Outline(text)
    known = Constants(constants_in(text), beyond=constants)
    for mark in islice(text.annotations(_MARK), _MOST):
        declared = _CLASS.match(text.masked, mark.end)
        if declared is None:
            continue
        around = _around(outline, mark.start)
        path: str | None = None
        with suppress(Unread):
            path = text_of(mark, "path", "value", constants=known, inside=around[-1] if around else None)
        if path is not None and "$" in path:  # what Kotlin could not fill in
            path = None
        given = text.parameters(declared.end() - 1) if declared[2] else None
        above = _PARENT.search(text.masked, *given) if given else None
        # Of locations, a class within another one lies below that.
        nested = ".".join(around) if around and mark.name == "Location" else None
        yield Resource(name=".".join((*around, declared[1])), path=path, parent=above[1] if above else nested)


def paths_of(resources: Iterable[Resource]) -> Mapping[str, str]:
    """The whole path of each resource, by its name; by its last parts, too, where these are the only ones so called."""
    listed = list(resources)
    named = {each.name: each for each in listed}
    short: dict[str, Resource | None] = {}
    for each in listed:
        parts = each.name.split(".")
        for last in (".".join(parts[first:]) for first in range(1, len(parts))):
            short[last] = None if last in short else each
    known = {name: each for name, each in short.items() if each} | named
    return {name: path for name, each in known.items() if (path := _whole(each, known, _DEEPEST)) is not None}


def _whole(resource: Resource, known: Mapping[str, Resource], depth: int) -> str | None:
    if resource.path is None:
        return None
    if resource.parent is None:
        return joined(resource.path)
    above = known.get(resource.parent)
    before = _whole(above, known, depth - 1) if above and depth else None
    return None if before is None else joined(before, resource.path)


def _around(outline: Outline, position: int) -> tuple[str, ...]:
    """The classes in which something stands, the outermost first."""
    names: list[str] = []
    while len(names) < _DEEPEST and (holder := outline.holder(position)) and position < holder.end:
        names.insert(0, holder.name)
        position = holder.start - 1
    return tuple(names)
