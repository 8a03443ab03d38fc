"""Structures in Thrift's compact protocol, as Parquet's footers and page headers are written, from untrusted bytes.

Source: "Thrift Compact protocol encoding" of Apache Thrift. Only what is there is built: numbers, lists and nested
structures; texts are kept as bytes. Depth, and the number of values, are bounded by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: A structure: number of a field -> its value.
Struct = dict[int, Any]

_DEEPEST = 8
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class Damaged(ValueError):
    """Bytes that are no such structure."""


def read_struct(data: bytes, at: int, *, most: int) -> tuple[Struct, int]:
    """The structure that begins at `at`, of at most `most` values together, and where it ends.

    Raises:
        Damaged: when there is none, or it is cut short, too deep or too large.
    """
    reader = _Reader(data, at, most)
    return reader.struct(depth=0), reader.at


class _Reader:
    def __init__(self, data: bytes, at: int, left: int) -> None:
        self._data = data
        self.at = at
        self._left = left
        self._simple: dict[int, Callable[[], Any]] = {
            _TRUE: lambda: True,
            _FALSE: lambda: False,
            _BYTE: self._byte,
            _I16: self._integer,
            _I32: self._integer,
            _I64: self._integer,
            _DOUBLE: lambda: self._take(8),
            _BINARY: lambda: self._take(self._varint()),
        }

    def struct(self, *, depth: int) -> Struct:
        found: Struct = {}
        number = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._integer()
            if number in found:
                raise Damaged("a field that stands there twice")
            found[number] = self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise Damaged("more, or deeper, than any of ours")
        if kind in self._simple:
            return self._simple[kind]()
        if kind == _STRUCT:
            return self.struct(depth=depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth)
        raise Damaged(f"a value of type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        size = self._varint() if size == 15 else size
        if size > self._left:
            raise Damaged("a list that is longer than any of ours")
        # Unlike as a field, a flag in a list takes a byte of its own.
        kind = _BYTE if kind in (_TRUE, _FALSE) else kind
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, size: int) -> bytes:
        taken = self._data[self.at : self.at + size]
        if len(taken) < size:
            raise Damaged("it ends too early")
        self.at += size
        return taken

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise Damaged("a number of too many bytes")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
