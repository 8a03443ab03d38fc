"""Settings that Maven fills in while it builds: `@profile.name@` stands for a property of `pom.xml`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.pom import UnreadablePom, properties_of

_FILTERED = re.compile(r"@([A-Za-z][\w.-]{0,80}+)@", re.ASCII)
_PROPERTY = re.compile(r"\$\{([\w.-]{1,80}+)\}", re.ASCII)
_MOST_PARENTS, _DEEPEST = 4, 3
_LONGEST = 200


def filled_in_by_maven(module: Path) -> Callable[[str], str]:
    """What the build of a module does to the text of its settings: nothing, where it is not Maven's.

    A property that is not known leaves nothing behind, so that the rest can still be read.
    """
    known: dict[str, str] = {}

    def fill(text: str) -> str:
        if not _FILTERED.search(text) or not (module / "pom.xml").is_file():
            return text
        known.update({} if known else _properties(module))
        return _FILTERED.sub(lambda match: _value(match[1], known), text)

    return fill


def _properties(module: Path) -> dict[str, str]:
    """The properties of a module and its parents, of which the nearest count."""
    *_, top = (module.absolute(), *files.above(module))
    found: dict[str, str] = {}
    path = module.absolute() / "pom.xml"
    for _ in range(_MOST_PARENTS):
        try:
            own, parent = properties_of(path)
        except UnreadablePom:
            break
        found = own | found
        place = Path(os.path.normpath(path.parent / parent)) if parent else None
        if place is None or not place.is_relative_to(top):
            break
        path = place / "pom.xml" if place.is_dir() else place
    return found


def _value(name: str, known: Mapping[str, str]) -> str:
    value = known.get(name, "")
    for _ in range(_DEEPEST):
        value = _PROPERTY.sub(lambda match: known.get(match[1], ""), value)[:_LONGEST]
    return value
