"""A configuration as runs keep it: everything it says, without the values that may be secrets.

A run's folder is uploaded, shared and shown. So it keeps the file without comments, in one canonical form, with a mark
in the place of every value of an environment variable, header or property, and of credentials in arguments. Judging
needs none of them. Going on with a run does: they are taken from the file again, or from the environment.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from pacecar.inputs.config.config_text import ConfigError, parsed, read_text
from pacecar.system.environment import is_never_passed
from pacecar.system.foreign import toml
from pacecar.text import hidden

#: Tables all of whose values are hidden; `*` is any name or place in a list.
_TABLES = (
    ("target", "env"),
    ("target", "dependencies", "*", "env"),
    ("builds", "named", "*", "env"),
    ("scenario", "properties"),
    ("scenario", "endpoints", "*", "headers"),
)
#: Tables of words about the measurement; nothing in them is a secret, and judging goes by every letter of them.
_PLAIN = frozenset({"accepted", "budgets", "gate", "plan", "profiler"})
_PLACEHOLDER = re.compile(
    r"\{(?:artifact|port|java|fork|folder|url|seconds|rate|[A-Za-z][A-Za-z0-9_-]{0,62}\.(?:port|folder))\}"
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
Location = tuple[str | int, ...]


def kept_text(text: str) -> str:
    """The TOML document `text` as it may be kept; the same for texts that differ only in hidden values."""
    return _written(_hidden(toml.loads(text), ()))


def kept_overrides(overrides: Mapping[str, str]) -> dict[str, str]:
    """Dotted key -> value as it may be kept and shown."""
    return {key: _hidden(value, _location(key)) for key, value in overrides.items()}


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What a kept configuration was before: its text, and the overrides on it."""

    text: str
    overrides: dict[str, str]


def restored(text: str, path: Path, overrides: Mapping[str, str]) -> Restored:
    """What was kept as `text` and `overrides`, with the values that were hidden as they are today.

    Those of the file come from the file at `path`, when it says the same as then; otherwise, like those of overrides,
    from variables of the same name in Pacecar's own environment.

    Raises:
        ConfigError: naming the first value that is in neither; also when `text`, which a stranger may have kept, is no
            configuration.
    """
    found = given_again(overrides)
    table = parsed(text, path=path).table
    if not any(hidden.MARK in leaf for _, leaf in _leaves(table, ()) if isinstance(leaf, str)):
        return Restored(text=text, overrides=found)
    today = _today(path)
    if today is not None and kept_text(today) == text:
        return Restored(text=today, overrides=found)
    return Restored(
        text=_written(_filled(table, (), f"neither {path}, which has changed, nor the environment has it")),
        overrides=found,
    )


def given_again(overrides: Mapping[str, str]) -> dict[str, str]:
    """Overrides as typed; what a command that Pacecar printed has hidden comes from the environment.

    Raises:
        ConfigError: naming the variable that is not set.
    """
    return {key: _wanted(_location(key), value, "the environment does not have it") for key, value in overrides.items()}


def _today(path: Path) -> str | None:
    try:
        text = read_text(path)
        parsed(text, path=path)
    except ConfigError:
        return None
    return text


def _location(key: str) -> Location:
    return tuple(key.split("."))


def _is_hidden(location: Location) -> bool:
    return any(
        len(location) > len(table)
        and all(expected in ("*", part) for expected, part in zip(table, location, strict=False))
        for table in _TABLES
    )


def _hidden(value: Any, location: Location) -> Any:
    if isinstance(value, dict):
        return {name: _hidden(each, (*location, name)) for name, each in value.items()}
    if _is_hidden(location):
        return _marked(value)
    if {*location[:1]} & _PLAIN or location[-1:] == ("name",):
        return value
    if isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            return list(hidden.arguments(value))
        return [_hidden(each, (*location, index)) for index, each in enumerate(value)]
    return hidden.text(value) if isinstance(value, str) else value


def _marked(value: Any) -> str:
    """A mark, and what is filled in, without which the configuration would not be one any more."""
    places = _PLACEHOLDER.findall(value) if isinstance(value, str) else []
    return places[0] if places == [value] else hidden.MARK + "".join(places)


def _filled(value: Any, location: Location, gone: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, (*location, name), gone) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, (*location, index), gone) for index, each in enumerate(value)]
    return _wanted(location, value, gone) if isinstance(value, str) else value


def _wanted(location: Location, value: str, gone: str) -> str:
    """`value`, or what was hidden there. Raises ConfigError."""
    if hidden.MARK not in value:
        return value
    key, variable = ".".join(str(part) for part in location), str(location[-1])
    if not _is_hidden(location):
        raise ConfigError(
            f"A part of {key} was not kept, because it looked like a credential, and {gone}.",
            hint="Put the secret into a variable and name that under [target.secrets]; then start a new run.",
        )
    if variable not in os.environ or is_never_passed(variable):
        raise ConfigError(
            f"The value of {key} was not kept, like every value in its table, and {gone}.",
            hint=f"Set it again: export {variable}=…; or, if it is a secret, name it under [target.secrets].",
        )
    return os.environ[variable]


def _leaves(value: Any, location: Location) -> Iterator[tuple[Location, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, (*location, name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _leaves(each, (*location, index))
    else:
        yield location, value


def _written(table: Mapping[str, Any]) -> str:
    """A table of TOML as text: each of its tables under a heading, what lies deeper inline."""
    top = {name: value for name, value in table.items() if not isinstance(value, dict)}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in top.items()]
    for name, value in table.items():
        if isinstance(value, dict):
            lines += [f"[{_key(name)}]", *(f"{_key(key)} = {_value(each)}" for key, each in value.items())]
    return "".join(f"{line}\n" for line in lines)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items()) + "}"
    return repr(value)  # whole numbers and floats, inf and nan too, are written as TOML has them


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    # A string of JSON is a basic string of TOML, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
