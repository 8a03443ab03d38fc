"""A chunk's own description of its types: the metadata event, a table of strings and a tree of elements."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.measurement.jfr.chunk import Chunk
from pacecar.measurement.jfr.numbers import Cursor, DamagedChunk

METADATA_EVENT = 0
#: Root, metadata, class, field, annotation: real trees have five levels.
_DEEPEST = 16
#: The whole description: a hundred bytes of memory for each of its own. Real ones have 10 to 200 kB.
_BYTES = 2 << 20
#: Fields of one type; real ones have up to thirty.
_FIELDS = 256
#: Characters of one string that are kept, which is what the JVM allows a name to have.
_TEXT = 1 << 16
_UTF8 = 3


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a type.

    Attributes:
        name: as in the metadata.
        type_id: its type.
        pooled: written as an id in the constant pool of that type.
        array: written as a count and that many values.
    """

    name: str
    type_id: int
    pooled: bool
    array: bool


@dataclass(frozen=True, kw_only=True)
class Type:
    """A type: primitives have no fields and are known by name."""

    type_id: int
    name: str
    fields: tuple[Field, ...]

    def position(self, name: str) -> int | None:
        """Index of the field with this name."""
        return next((index for index, field in enumerate(self.fields) if field.name == name), None)


class Types:
    """The types of one chunk, by id and by name."""

    def __init__(self, types: list[Type]) -> None:
        self._by_id = {described.type_id: described for described in types}
        self._by_name = {described.name: described for described in types}

    def __getitem__(self, type_id: int) -> Type:
        """The type with this id. Raises DamagedChunk."""
        try:
            return self._by_id[type_id]
        except KeyError:
            raise DamagedChunk(f"type {type_id} is not described") from None

    def named(self, name: str) -> Type | None:
        """The type with this name, if the chunk has it."""
        return self._by_name.get(name)


@dataclass(frozen=True, kw_only=True)
class _Element:
    name: str
    attributes: dict[str, str]
    children: list[_Element]


class Metadata:
    """Reads the metadata of one chunk after another; those of one writer are nearly always the same bytes."""

    def __init__(self) -> None:
        self._bytes = b""
        self._types = Types([])

    def of(self, chunk: Chunk) -> Types:
        """The types of `chunk`. Raises DamagedChunk."""
        cursor = Cursor(chunk.data, chunk.metadata_at, chunk.size)
        size = cursor.number()
        cursor = Cursor(chunk.data, cursor.at, min(chunk.metadata_at + size, chunk.size))
        if cursor.number() != METADATA_EVENT:
            raise DamagedChunk("no metadata where the header says")
        for _ in ("start", "duration", "metadata id"):
            cursor.number()
        if cursor.left > _BYTES:
            raise DamagedChunk(f"metadata of more than {_BYTES} bytes")
        described = bytes(chunk.data[cursor.at : cursor.end])
        if described != self._bytes:
            self._types = Types(_types(cursor))
            self._bytes = described
        return self._types


def _types(cursor: Cursor) -> list[Type]:
    strings = [read_string(cursor) for _ in range(cursor.count())]
    root = _element(cursor, [text if isinstance(text, str) else "" for text in strings], depth=0)
    return [_type(element) for part in root.children if part.name == "metadata" for element in part.children]


def read_string(cursor: Cursor) -> str | int:
    """A string; one that lies in the pool of strings comes as its id there. None reads as empty."""
    encoding = cursor.take(1)[0]
    if encoding in (0, 1):
        return ""
    if encoding == 2:
        return cursor.number()
    if encoding == _UTF8:
        return _cut(cursor).decode("utf-8", "replace")
    if encoding == 4:
        # UTF-16 units, so that a pair of surrogates becomes one character and a lone one is replaced.
        count = cursor.count()
        if count > _TEXT:
            raise DamagedChunk(f"a string of {count} characters")
        units = [cursor.number() & 0xFFFF for _ in range(count)]
        return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "replace")
    if encoding == 5:
        return _cut(cursor).decode("latin-1")
    raise DamagedChunk(f"a string in encoding {encoding}")


def _cut(cursor: Cursor) -> bytes:
    """The beginning of a string's bytes; all of them are stepped over."""
    size = cursor.number()
    begin = cursor.take(min(size, _TEXT))
    cursor.skip(size - len(begin))
    return begin


def read_strings(cursor: Cursor, count: int) -> list[tuple[int, str | int]]:
    """So many entries of a pool of strings: ids, and what `read_string` gives."""
    data, end = cursor.data, cursor.end
    entries: list[tuple[int, str | int]] = []
    for _ in range(count):
        entry, at = cursor.number(), cursor.at
        # Nearly all are short and in UTF-8; the others take the long way.
        size = data[at + 1]
        if data[at] == _UTF8 and size < 0x80 and at + 2 + size <= end:
            cursor.at = at + 2 + size
            entries.append((entry, data[at + 2 : cursor.at].decode("utf-8", "replace")))
        else:
            entries.append((entry, read_string(cursor)))
    return entries


def _element(cursor: Cursor, strings: list[str], depth: int) -> _Element:
    if depth > _DEEPEST:
        raise DamagedChunk("metadata nested too deep")
    name = _text(cursor, strings)
    attributes = {_text(cursor, strings): _text(cursor, strings) for _ in range(cursor.count(smallest=2))}
    children = [_element(cursor, strings, depth + 1) for _ in range(cursor.count(smallest=3))]
    return _Element(name=name, attributes=attributes, children=children)


def _text(cursor: Cursor, strings: list[str]) -> str:
    index = cursor.number()
    if index >= len(strings):
        raise DamagedChunk("metadata with a string that is not there")
    return strings[index]


def _type(element: _Element) -> Type:
    if len(element.children) > _FIELDS:
        raise DamagedChunk(f"a type of {len(element.children)} fields")
    fields = [
        Field(
            name=child.attributes.get("name", ""),
            type_id=_id(child.attributes.get("class", "")),
            pooled=child.attributes.get("constantPool") == "true",
            array=child.attributes.get("dimension", "0") != "0",
        )
        for child in element.children
        if child.name == "field"
    ]
    return Type(
        type_id=_id(element.attributes.get("id", "")), name=element.attributes.get("name", ""), fields=tuple(fields)
    )


def _id(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise DamagedChunk(f"metadata with a type id of {text[:20]!r}")
    return int(text)
