"""Types of which a parameter may only hold certain words: `enum Status { NEW, PAID }`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.source_text import SourceText

_ENUM = re.compile(
    r"(?<![\w.@])enum\s{1,20}+(?:class\s{1,20}+)?(\w{1,100}+)(?:\s{0,20}+\([^{};]{0,1000}?\))?[^{}();]{0,200}\{",
    re.ASCII,
)
#: A constant with its annotations; what stands behind it, such as arguments, does not matter.
_CONSTANT = re.compile(
    r"\s*+(?:@[\w.]{1,100}+(?:\((?:[^()]|\([^()]{0,100}\)){0,300}\))?\s*+){0,5}([A-Za-z_]\w{0,59}+)", re.ASCII
)
_BRACKET = re.compile(r"[(){},;]")
_MOST_IN_A_FILE = 100
_MOST = 5_000
#: Constants that are asked for; each may be one that nothing has.
_MOST_CONSTANTS = 3
_LONGEST = 4_000


def enums_in(sources: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The first constants of the enums in sources, by their names; none of a name that several have.

    One within a class is also known as `Order.Status`.
    """
    found: dict[str, tuple[str, ...]] = {}
    for source in sources:
        for name, constants in _enums(source) if "enum " in source else ():
            found[name] = constants if found.get(name, constants) == constants else ()
            if len(found) >= _MOST:
                return found
    return found


def _enums(source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    whole = SourceText.of(source)
    text, outline = whole.masked, Outline(whole)
    for match in islice(_ENUM.finditer(text), _MOST_IN_A_FILE):
        constants = tuple(islice(_constants(text, match.end()), _MOST_CONSTANTS))
        yield match[1], constants
        holder = outline.holder(match.start())
        if holder and match.start() < holder.end:
            yield f"{holder.name}.{match[1]}", constants


def _constants(text: str, at: int) -> Iterator[str]:
    """The constants whose list begins at a place, as far as its brackets can be followed."""
    depth, start = 0, at
    for match in _BRACKET.finditer(text, at, at + _LONGEST):
        if depth or match[0] in "({":
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(match[0], 0)
            continue
        if constant := _CONSTANT.match(text, start, match.start()):
            yield constant[1]
        if match[0] != ",":
            return
        start = match.end()
