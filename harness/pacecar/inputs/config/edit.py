"""Another value for one key of a configuration file, and every other byte of it as it was."""

from __future__ import annotations

import copy
import json
import re
import stat
from pathlib import Path
from typing import Any

from pacecar.inputs.config.config_text import ConfigError, parsed, read_text
from pacecar.inputs.config.loading import parse
from pacecar.system.disk import durable
from pacecar.system.foreign import files, toml

_BOM = b"\xef\xbb\xbf"


def line_with(key: str, value: str | int) -> str:
    """`rate = "190/s"` of the key `scenario.rate`."""
    return f"{key.rpartition('.')[2]} = {_literal(value)}"


def line_of_key(path: Path, key: str) -> int | None:
    """The line of `key` in the file at `path`, from 1; None when it is not in the file. Raises ConfigError."""
    return parsed(read_text(path), path=path).lines.get(tuple(key.split(".")))


def rewrite(path: Path, key: str, value: str | int) -> int:
    """Put `value` in the place of that of `key` in the file at `path`; a link to it stays one.

    Args:
        path: a configuration file.
        key: dotted, such as `scenario.rate`, with a string or a number on one line of the file.
        value: the new one.

    Returns:
        The line, from 1.

    Raises:
        ConfigError: when it cannot be replaced with certainty, the file would be wrong with it or cannot be written;
            the file is as it was, and the hint has the line to paste.
        NoRoom: when the disk is full; the file is as it was.
    """
    table, _, _ = key.rpartition(".")
    paste = f"Write it yourself, below [{table}]: {line_with(key, value)}"
    try:
        content = files.content(path, most=toml.MOST)
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", hint=paste) from error
    mark = _BOM if content.startswith(_BOM) else b""
    try:
        text, line = _with_value(content[len(mark) :].decode(), key, value, path=path)
        parse(text, path)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text.", hint=paste) from error
    except ConfigError as error:
        raise ConfigError(error.message, hint=paste) from error
    try:
        durable.write_bytes(path.resolve(), mark + text.encode())
        path.chmod(mode)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", hint=paste) from error
    return line


def with_value(text: str, key: str, value: str | int, *, path: Path) -> str:
    """`text` with `value` in the place of that of `key`. Arguments and errors are those of `rewrite`."""
    return _with_value(text, key, value, path=path)[0]


def _with_value(text: str, key: str, value: str | int, *, path: Path) -> tuple[str, int]:
    location = tuple(key.split("."))
    written = parsed(text, path=path)
    line = written.lines.get(location)
    if line is None:
        raise ConfigError(f"{path}: {key} is not in the file.")
    wanted = _expected(written.table, location, value)
    lines = text.split("\n")
    before, after = "\n".join(lines[: line - 1]), "\n".join(lines[line:])
    for found in _value_of(location[-1]).finditer(lines[line - 1]):
        start, end = found.span("value")
        changed = lines[line - 1][:start] + _literal(value) + lines[line - 1][end:]
        whole = "\n".join([*([before] if line > 1 else []), changed, *([after] if line < len(lines) else [])])
        if _means(whole, wanted):
            return whole, line
    raise written.error(location, "is written in a form that Pacecar cannot edit")


def _value_of(name: str) -> re.Pattern[str]:
    """Where a string or a number stands as the value of a key that ends in `name`."""
    return re.compile(
        rf"""(?<![\w-])(["']?){re.escape(name)}\1[ \t]*=[ \t]*(?P<value>"[^"\\\n]*"|'[^'\n]*'|[0-9_]+)(?![\w."'])"""
    )


def _expected(table: dict[str, Any], location: tuple[str, ...], value: str | int) -> dict[str, Any]:
    whole = copy.deepcopy(table)
    inner: Any = whole
    for name in location[:-1]:
        inner = inner[name]
    inner[location[-1]] = value
    return whole


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return bool(toml.loads(text) == wanted)
    except ValueError:
        return False


def _literal(value: str | int) -> str:
    return json.dumps(value)
