"""The models as a tree of keys: what may stand where."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pacecar.inputs.config.lines import Location
from pacecar.inputs.config.model import FileTable


def every_key() -> dict[str, FieldInfo]:
    """Dotted key -> field, for all keys of the file; the user's own names appear as `NAME`."""
    return dict(_keys(FileTable, ""))


def type_at(location: Location) -> Any:
    """What the model expects at `location`, bare of constraints; None where nothing may stand."""
    kind: Any = FileTable
    for part in location:
        kind = _inside(kind, part)
        if kind is None:
            return None
    return kind


def keys_at(location: Location) -> tuple[str, ...]:
    """The keys that the table at `location` may hold."""
    kind = type_at(location)
    return tuple(kind.model_fields) if _is_table(kind) else ()


def tables_with(key: str) -> list[str]:
    """Dotted names of the tables that hold `key`, top level left out."""
    return [table for table, _, name in (known.rpartition(".") for known in every_key()) if name == key and table]


def _keys(table: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in table.model_fields.items():
        kind = _bare(info.annotation)
        element = _element(kind)
        if _is_table(kind):
            yield from _keys(kind, f"{prefix}{name}.")
        elif _is_table(element):
            own = "NAME." if typing.get_origin(kind) is dict else ""
            yield from _keys(element, f"{prefix}{name}.{own}")
        else:
            yield f"{prefix}{name}", info


def _inside(kind: Any, part: str | int) -> Any:
    if _is_table(kind):
        info = kind.model_fields.get(str(part))
        return None if info is None else _bare(info.annotation)
    wanted = {dict: str, list: int}.get(typing.get_origin(kind))
    return _element(kind) if wanted is not None and isinstance(part, wanted) else None


def _element(kind: Any) -> Any:
    arguments = typing.get_args(kind)
    return _bare(arguments[-1]) if typing.get_origin(kind) in {dict, list} else None


def _bare(kind: Any) -> Any:
    """`kind` without constraints and without `| None`."""
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return _bare(typing.get_args(kind)[0])
    if origin in {typing.Union, types.UnionType}:
        return _bare(next(option for option in typing.get_args(kind) if option is not type(None)))
    return kind


def _is_table(kind: Any) -> typing.TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
