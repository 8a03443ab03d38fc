"""Readers for any described type: closures built from the metadata, one per type, that walk a `Cursor`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from pacecar.measurement.jfr.metadata import Field, Type, Types, read_string
from pacecar.measurement.jfr.numbers import Cursor, DamagedChunk

#: A number, a text (or its id in the pool of strings), a tuple of a struct's fields, a list of an array's elements.
FieldValue = Any
ValueReader = Callable[[Cursor], FieldValue]

NUMBERS = frozenset({"long", "int", "short", "char"})
SINGLE_BYTES = frozenset({"boolean", "byte"})
STRING = "java.lang.String"
_FLOAT, _DOUBLE = struct.Struct(">f"), struct.Struct(">d")

_PRIMITIVES: dict[str, tuple[ValueReader, int]] = {
    **dict.fromkeys(NUMBERS, (Cursor.number, 1)),
    **dict.fromkeys(SINGLE_BYTES, (lambda cursor: cursor.take(1)[0], 1)),
    "float": (lambda cursor: cursor.real(_FLOAT), _FLOAT.size),
    "double": (lambda cursor: cursor.real(_DOUBLE), _DOUBLE.size),
    STRING: (read_string, 1),
}


#: Structs inside structs that are believed: each byte may become an object at every level. Real ones have two.
_DEEPEST = 4
#: Of a name in a message.
_SHOWN = 80


class Readers:
    """The readers of one chunk's types, built when first asked for."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._built: dict[int, tuple[ValueReader, int]] = {}

    def of(self, described: Type) -> ValueReader:
        """Reads one value of the type. Raises DamagedChunk for a type that cannot be written."""
        return self._of(described, depth=0)[0]

    def is_text(self, described: Type) -> bool:
        """Whether a value is one string, or a struct of nothing else."""
        fields = described.fields
        return described.name == STRING or (
            len(fields) == 1
            and not (fields[0].pooled or fields[0].array)
            and self._types[fields[0].type_id].name == STRING
        )

    def numbers_of(self, described: Type) -> int | None:
        """How many numbers a value consists of; None for a number by itself, and when it holds anything else."""
        if described.name in _PRIMITIVES or not described.fields:
            return None
        plain = NUMBERS | {"boolean"}
        if all(not f.array and (f.pooled or self._types[f.type_id].name in plain) for f in described.fields):
            return len(described.fields)
        return None

    def of_field(self, field: Field) -> ValueReader:
        """Reads one field's content. Raises DamagedChunk."""
        return self._field(field, depth=0)[0]

    def _of(self, described: Type, depth: int) -> tuple[ValueReader, int]:
        """The reader, and the fewest bytes a value has."""
        if described.name in _PRIMITIVES:
            return _PRIMITIVES[described.name]
        if depth > _DEEPEST:
            raise DamagedChunk(f"type {described.name[:_SHOWN]!r} lies too deep in others, or in itself")
        if described.type_id not in self._built:
            self._built[described.type_id] = self._struct(described, depth)
        return self._built[described.type_id]

    def _struct(self, described: Type, depth: int) -> tuple[ValueReader, int]:
        parts = [self._field(field, depth) for field in described.fields]
        reads = tuple(read for read, _ in parts)
        smallest = sum(smallest for _, smallest in parts)
        if smallest == 0:
            return lambda _: (), 0
        return lambda cursor: tuple([read(cursor) for read in reads]), smallest

    def _field(self, field: Field, depth: int) -> tuple[ValueReader, int]:
        read, smallest = (Cursor.number, 1) if field.pooled else self._of(self._types[field.type_id], depth + 1)
        if smallest == 0:
            # Empty types nested in each other could keep the reader busy without using up a byte.
            raise DamagedChunk(f"field {field.name[:_SHOWN]!r} consists of nothing")
        if not field.array:
            return read, smallest
        return lambda cursor: [read(cursor) for _ in range(cursor.count(smallest=smallest))], 1
