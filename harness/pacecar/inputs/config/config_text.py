"""The configuration file as text and as plain tables, and errors that point into it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacecar.errors import UsageError
from pacecar.inputs.config.lines import Location, key_lines, line_of
from pacecar.system.foreign import files, toml

_MOST_BYTES = toml.MOST
_LONGEST_KEY = 60


class ConfigError(UsageError):
    """The configuration is wrong; the message names file, line and key."""


@dataclass(frozen=True, kw_only=True)
class ConfigText:
    """A configuration as it was written.

    Attributes:
        path: the file, as the user named it.
        text: its content.
        table: the content as TOML's own types, overrides included.
        overrides: dotted key -> value given on the command line.
        lines: where each key stands.
    """

    path: Path
    text: str
    table: dict[str, Any]
    overrides: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[Location, int] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Digest of the text together with the overrides."""
        digest = hashlib.sha256(self.text.encode())
        if self.overrides:
            digest.update(json.dumps(dict(self.overrides), sort_keys=True).encode())
        return digest.hexdigest()

    def error(self, location: Location, problem: str, *, hint: str | None = None) -> ConfigError:
        """The error `problem` at `location`: `pacecar.toml line 12, plan.side: ...`."""
        return ConfigError(f"{self._place(location)}: {problem}", hint=hint)

    def line(self, location: Location) -> int:
        """The line of `location` or of what is around it; 0 when it does not stand in the file."""
        return line_of(location, self.lines) or 0

    def _place(self, location: Location) -> str:
        key = readable_key(location)
        overridden = any(key == name or key.startswith(f"{name}.") for name in self.overrides)
        if overridden:
            return f"override {key}"
        line = self.line(location)
        place = f"{self.path} line {line}" if line else str(self.path)
        return f"{place}, {key}" if key else place


def absolute(written: ConfigText, value: str) -> Path:
    """The path `value` of the file, which is meant from the file's own folder."""
    return Path(os.path.abspath(written.path.parent / value))  # noqa: PTH100  resolve() would follow links


def readable_key(location: Location) -> str:
    """`scenario.endpoints.weight`: list positions are left out, since the line says which one."""
    key = ".".join(str(part) for part in location if isinstance(part, str))
    plain = "".join(letter if letter.isprintable() else "?" for letter in key)
    return plain if len(plain) <= _LONGEST_KEY else f"{plain[:_LONGEST_KEY]}..."


def read_text(path: Path) -> str:
    """The text of the file at `path`.

    Raises:
        ConfigError: when it is missing, no regular file, too large, unreadable or not UTF-8.
    """
    try:
        content = files.content(path, most=_MOST_BYTES)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such file.", hint="Write a first one: pacecar init") from error
    except IsADirectoryError as error:
        hint = f"Name the file in it: --config {path / 'pacecar.toml'}"
        raise ConfigError(f"{path} is a directory.", hint=hint) from error
    except OSError as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path} line {line}: not UTF-8 text.", hint="Save the file as UTF-8.") from error


def parsed(text: str, *, path: Path) -> ConfigText:
    """`text` as TOML; `path` is where errors say it stands.

    Raises:
        ConfigError: when it is not TOML; the message has the line.
    """
    try:
        return ConfigText(path=path, text=text, table=toml.loads(text), lines=key_lines(text))
    except toml.Unshapely as error:
        raise ConfigError(f"{path}: {error}.") from error
    except ValueError as error:  # also an integer with thousands of digits
        raise ConfigError(_syntax_sentence(path, str(error)), hint="The format is TOML: https://toml.io") from error


def _syntax_sentence(path: Path, message: str) -> str:
    problem, found, place = message.partition(" (at ")
    problem = "".join(letter if letter.isprintable() else "?" for letter in problem)[:120]
    problem = problem[:1].lower() + problem[1:]
    if not found:
        return f"{path}: not valid TOML: {problem}"
    position = place.removesuffix(")").split(",")[0]
    return f"{path} {position if position.startswith('line') else 'at its end'}: not valid TOML: {problem}"
