"""Values given on the command line instead of the file's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pacecar.inputs.config import schema
from pacecar.inputs.config.config_text import ConfigText
from pacecar.inputs.config.sentences import unknown_key
from pacecar.system.foreign import toml


def overridden(written: ConfigText, overrides: Mapping[str, str]) -> ConfigText:
    """`written` with `overrides` (dotted key -> text) in place of, or added to, its own values.

    Text stays text where the model wants text; elsewhere numbers, `true`, `false` and lists are read as TOML.

    Raises:
        ConfigError: when there is no such key.
    """
    written = replace(written, overrides=dict(overrides))
    table = written.table
    for key, text in overrides.items():
        location = tuple(key.split("."))
        kind = schema.type_at(location)
        if kind is None:
            raise written.error(location, unknown_key(location))
        table = _with(table, location, text if kind is str else _value(text))
    return replace(written, table=table)


def _with(table: Any, location: tuple[str, ...], value: Any) -> Any:
    if not location:
        return value
    inner = table if isinstance(table, dict) else {}
    return {**inner, location[0]: _with(inner.get(location[0]), location[1:], value)}


def _value(text: str) -> Any:
    try:
        value = toml.loads(f"value = {text}")
    except ValueError:
        return text
    return value["value"] if len(value) == 1 and isinstance(value["value"], bool | int | float | list) else text
