"""What a Parquet file would take to be read, told before any of it is: by its footer, then page by page.

A footer only claims. What a reader allocates is told by the header of each page, and a page of a few bytes may unpack
to gigabytes; so all headers are walked and added up. Layouts and encodings of which a small page may stand for large
values, such as nested columns or texts that share beginnings, are none of ours and refused. The format:
https://parquet.apache.org/docs/file-format/.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from pacecar.archive.thrift import Damaged, Struct, read_struct

_MAGIC = b"PAR1"
_TAIL = 8
_MOST_FOOTER = 512 << 10
_MOST_VALUES = 60_000
_MOST_COLUMNS = 100
_MOST_HEADER = 64 << 10
_HEADER_VALUES = 200
_MOST_PAGES = 200_000
_MOST_ROWS = 50_000_000
#: Decoded bytes: so many, and so many for each byte of the file.
_SLACK_BYTES = 64 << 20
_MAX_RATIO = 100
_MOST_BYTES = 4 << 30

# Numbers of the fields that count, as parquet.thrift gives them.
_SCHEMA, _ROWS, _GROUPS = 2, 3, 4
_CHILDREN, _NAME = 5, 4
_COLUMNS, _GROUP_ROWS = 1, 3
_FILE, _META = 1, 3
_COMPRESSED, _DATA_AT, _DICTIONARY_AT = 7, 9, 11
_TYPE, _UNPACKED, _PACKED = 1, 2, 3
_PAGE = {0: 5, 2: 7, 3: 8}  # data page, dictionary page, data page of version 2 -> field of its own header
_DICTIONARY = 7
_VALUES = 1
_ENCODING = {5: 2, 7: 2, 8: 4}
#: PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY: a value takes no more than its bytes in the page or its dictionary.
_ENCODINGS = {0, 2, 3, 8}


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What a file holds: rows, and the bytes of its pages when they are unpacked."""

    rows: int
    unpacked: int


def most_decoded(size: int) -> int:
    """Bytes that the columns of a file of `size` bytes may take when they are decoded."""
    return min(_MOST_BYTES, _SLACK_BYTES + _MAX_RATIO * size)


def extent(file: BinaryIO, size: int) -> Extent:
    """Walk through the `size` bytes of `file`.

    Raises:
        Damaged: when it is no Parquet, or claims or holds more than a table of ours; the message is the end of a
            sentence.
    """
    footer = _footer(file, size)
    number = _flat_columns(footer)
    rows = _number(footer, _ROWS)
    groups = _structs(footer, _GROUPS)
    if rows > _MOST_ROWS or sum(_number(group, _GROUP_ROWS) for group in groups) != rows:
        raise Damaged(f"it claims {rows} rows")
    walk = _Walk(file=file, size=size, left=most_decoded(size))
    for group in groups:
        columns = _structs(group, _COLUMNS)
        if len(columns) != number:
            raise Damaged("a row group has other columns than the schema")
        for column in columns:
            walk.column(column, rows=_number(group, _GROUP_ROWS))
    return Extent(rows=rows, unpacked=walk.unpacked)


def _footer(file: BinaryIO, size: int) -> Struct:
    tail = _at(file, max(0, size - _TAIL), _TAIL)
    if len(tail) < _TAIL or tail[4:] != _MAGIC:
        raise Damaged("it does not end like Parquet")
    length = int.from_bytes(tail[:4], "little")
    if length > min(_MOST_FOOTER, size - _TAIL):
        raise Damaged(f"it claims a footer of {length} bytes")
    return read_struct(_at(file, size - _TAIL - length, length), 0, most=_MOST_VALUES)[0]


def _flat_columns(footer: Struct) -> int:
    # Nested columns are opened by recursion: a schema of ours is a root and what lies directly below.
    schema = _structs(footer, _SCHEMA)
    if not 2 <= len(schema) <= _MOST_COLUMNS + 1 or any(column.get(_CHILDREN) for column in schema[1:]):
        raise Damaged("its columns are nested, or more than a table of ours has")
    names = {name for column in schema[1:] if _is_text(name := column.get(_NAME))}
    if schema[0].get(_CHILDREN) != len(names) or len(names) != len(schema) - 1:
        raise Damaged("its schema contradicts itself")
    return len(names)


@dataclass(kw_only=True)
class _Walk:
    """Through the pages of all columns: what is left of the budget, and how far it has got."""

    file: BinaryIO
    size: int
    left: int
    unpacked: int = 0
    pages: int = 0

    def column(self, column: Struct, *, rows: int) -> None:
        """Count the pages of one column of a row group."""
        meta = column.get(_META)
        if _FILE in column or not isinstance(meta, dict):
            raise Damaged("a column lies in another file, or nowhere")
        starts = [_number(meta, field) for field in (_DATA_AT, _DICTIONARY_AT) if field in meta]
        at = min((start for start in starts if start > 0), default=0)
        end = at + _number(meta, _COMPRESSED)
        if end > self.size:
            raise Damaged("a column lies outside of the file")
        values = 0
        while at < end:
            at, counted = self._page(at, end, rows=rows)
            values += counted
        if values != rows:
            raise Damaged(f"a column has {values} values in {rows} rows")

    def _page(self, at: int, end: int, *, rows: int) -> tuple[int, int]:
        data = _at(self.file, at, min(_MOST_HEADER, end - at))
        header, length = read_struct(data, 0, most=_HEADER_VALUES)
        unpacked, packed = _number(header, _UNPACKED), _number(header, _PACKED)
        field = _PAGE.get(_number(header, _TYPE), -1)
        own = header.get(field)
        if not isinstance(own, dict) or _number(own, _ENCODING[field]) not in _ENCODINGS:
            raise Damaged("a page is of a kind, or in an encoding, that is none of ours")
        values = _number(own, _VALUES)
        self.pages += 1
        self.unpacked += unpacked
        if at + length + packed > end or values > max(rows, unpacked):
            raise Damaged("a page is larger than its column")
        if self.unpacked > self.left or self.pages > _MOST_PAGES:
            raise Damaged(f"it unpacks to more than {self.left >> 20} MiB")
        return at + length + packed, 0 if field == _DICTIONARY else values


def _is_text(name: object) -> bool:
    try:
        return isinstance(name, bytes) and bool(name.decode())
    except UnicodeDecodeError:
        return False


def _at(file: BinaryIO, at: int, length: int) -> bytes:
    file.seek(at)
    return file.read(length)


def _number(struct: Struct, field: int) -> int:
    value = struct.get(field)
    if type(value) is not int or value < 0:
        raise Damaged("a number is missing, or below zero")
    return value


def _structs(struct: Struct, field: int) -> list[Struct]:
    values = struct.get(field)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise Damaged("a list is missing")
    return values
