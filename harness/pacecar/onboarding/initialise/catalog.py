"""Gradle's catalog of versions, `gradle/libs.versions.toml`: what a script means by `libs.plugins.spring.boot`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.system.foreign import toml

_FILE = Path("gradle", "libs.versions.toml")
#: What a script may call the catalog, beside `libs`: a name of its own, which says so, for the scopes of subprojects.
_ALIAS = re.compile(
    r"\b(?:val|def|var)\s{1,9}+(\w{1,60}+)\s{0,9}+(?::[^=\n]{0,80})?=\s{0,9}+(?:rootProject\.)?libs\b(?!\s{0,9}+[.(])",
    re.ASCII,
)
_MOST_ALIASES = 5
_PARTS = r"((?:\.[A-Za-z]\w{0,80}+){1,12}+)"
_OF_MICRONAUT = re.compile(r"(?<![\w.])mn\.(micronaut(?:\.[a-z]\w{0,40}+){1,8}+)(?!\()", re.ASCII)
#: `org.springframework.boot`, `group:artifact`; what stands behind a further colon is a version.
_ID = re.compile(r"([\w.-]{1,100}+(?::[\w.-]{1,100}+)?)(?::[^:]*)?", re.ASCII)
_MOST_ACCESSORS = 5_000
_MOST_IN_A_BUNDLE = 200

#: Ids of plugins and `group:artifact` of libraries, by what stands behind `libs.` in a script, in small letters.
Catalog = Mapping[str, tuple[str, ...]]


def read_catalog(directory: Path) -> Catalog:
    """The catalog of the build in `directory`; empty where there is none that can be read."""
    try:
        tables = toml.loads(files.text(directory / _FILE))
    except ValueError:
        return {}
    libraries = dict(_named(tables, "libraries", _module))
    plugins = {f"plugins.{name}": found for name, found in _named(tables, "plugins", _plugin)}
    bundles = {
        f"bundles.{_accessor(name)}": tuple(
            module
            for alias in islice(members, _MOST_IN_A_BUNDLE)
            if isinstance(alias, str)
            for module in libraries.get(_accessor(alias), ())
        )
        for name, members in _table(tables.get("bundles")).items()
        if isinstance(members, list)
    }
    return libraries | plugins | bundles


def meant(script: str, catalog: Catalog) -> list[str]:
    """What the accessors in a script stand for, each once; of `libs.spring.boot.get()` what precedes the call."""
    found: dict[str, None] = {}
    aliases = [match[1] for match in islice(_ALIAS.finditer(script), _MOST_ALIASES)]
    accessors = re.compile(rf"(?<![\w.])(?:rootProject\.)?(?:{'|'.join(('libs', *aliases))}){_PARTS}", re.ASCII)
    for accessor in islice(accessors.finditer(script) if catalog else (), _MOST_ACCESSORS):
        parts = accessor[1].lower().removeprefix(".").split(".")
        names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        found |= dict.fromkeys(next((catalog[name] for name in names if name in catalog), ()))
    # Micronaut's own catalog has the name of every library, with dots.
    for accessor in islice(_OF_MICRONAUT.finditer(script), _MOST_ACCESSORS):
        found[f"io.micronaut:{accessor[1].replace('.', '-')}"] = None
    return list(found)


def _named(
    tables: Mapping[str, object], table: str, read: Callable[[object], str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for alias, entry in _table(tables.get(table)).items():
        if found := _ID.fullmatch(read(entry)):
            yield _accessor(alias), (found[1],)


def _module(entry: object) -> str:
    if isinstance(entry, str):
        return entry
    table = _table(entry)
    return _text(table.get("module")) or f"{_text(table.get('group'))}:{_text(table.get('name'))}"


def _plugin(entry: object) -> str:
    # A plugin's id has no colon: what stands behind one is its version.
    return (entry if isinstance(entry, str) else _text(_table(entry).get("id"))).partition(":")[0]


def _accessor(alias: str) -> str:
    return re.sub(r"[-_]", ".", alias).lower()


def _table(found: object) -> Mapping[str, object]:
    return found if isinstance(found, dict) else {}


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""
