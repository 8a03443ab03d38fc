"""LEB128 numbers as JFR writes them: seven bits a byte, lowest first, and a ninth byte that is a full eight bits.

`Cursor` reads one value after another; `column` reads the number at each of many places at once and `table` a whole
pool of them, which is what makes this reader fast: Python touches each event once, numpy touches each field.
"""

from __future__ import annotations

import struct

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Column = NDArray[np.int64]

_LONGEST = 9
_FULL = _LONGEST - 1


class DamagedChunk(ValueError):
    """The bytes make no sense as JFR; the message says why."""


class Cursor:
    """Values one after another in `data[at:end]`."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytearray, at: int, end: int) -> None:
        if not 0 <= at <= end <= len(data):
            raise DamagedChunk(f"a place outside its chunk: {at}")
        self.data = data
        self.at = at
        self.end = end

    @property
    def left(self) -> int:
        """Bytes before the end."""
        return self.end - self.at

    def number(self) -> int:
        """An unsigned LEB128 number of at most 64 bits."""
        data, at, value = self.data, self.at, 0
        for shift in range(0, 7 * _FULL, 7):
            byte = data[at]
            at += 1
            if byte < 0x80:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
        else:
            value |= data[at] << 7 * _FULL
            at += 1
        if at > self.end:
            raise DamagedChunk("a number that is cut short")
        self.at = at
        return value

    def signed(self) -> int:
        """The same 64 bits as a signed number."""
        value = self.number()
        return value - (1 << 64) if value >> 63 else value

    def count(self, *, smallest: int = 1) -> int:
        """A number of things to follow, each of at least `smallest` bytes, that fits into what is left."""
        value = self.number()
        if value * smallest > self.left:
            raise DamagedChunk(f"a count of {value} in {self.left} bytes")
        return value

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        if size > self.left:
            raise DamagedChunk(f"{size} bytes wanted of {self.left}")
        taken = self.data[self.at : self.at + size]
        self.at += size
        return bytes(taken)

    def skip(self, size: int) -> None:
        """Step over `size` bytes."""
        if size > self.left:
            raise DamagedChunk(f"{size} bytes wanted of {self.left}")
        self.at += size

    def real(self, layout: struct.Struct) -> float:
        """A big-endian floating-point number."""
        value: float = layout.unpack(self.take(layout.size))[0]
        return value


def column(data: Bytes, at: Column) -> tuple[Column, Column]:
    """The number at each place of `at`, and the places right after them.

    `data` must be padded by at least nine bytes beyond the largest place.
    """
    values = data[at].astype(np.uint64)
    after = at + 1
    more = np.flatnonzero(values >= 0x80)
    values &= np.uint64(0x7F)
    for shift in range(7, 7 * _FULL + 1, 7):
        if not more.size:
            break
        bits = data[after[more]].astype(np.uint64)
        after[more] += 1
        ends = bits < 0x80
        if shift < 7 * _FULL:
            bits &= np.uint64(0x7F)
        values[more] |= bits << np.uint64(shift)
        more = more[~ends]
    return values.view(np.int64), after


def starts(data: Bytes, begin: int, end: int) -> Column:
    """Where each whole number in `data[begin:end]`, which holds nothing else, begins; and where the last one ends."""
    ends = np.append(np.flatnonzero(data[begin:end] < 0x80), end - begin)
    gaps = np.diff(ends, prepend=-1)
    # A longer run of continuation bytes holds nine-byte numbers, whose last byte says nothing about ends.
    long = np.flatnonzero(gaps > _LONGEST)
    splits = [np.arange(ends[run] - gaps[run] + _LONGEST, ends[run], _LONGEST) for run in long]
    whole = np.sort(np.concatenate([ends[:-1], *splits])) if splits else ends[:-1]
    return np.concatenate([[0], whole + 1]) + begin


def table(data: Bytes, cursor: Cursor, *, rows: int, width: int) -> list[Column]:
    """The columns of a table of numbers at `cursor`, which is left right after it. Raises DamagedChunk."""
    if rows * width > cursor.left:
        raise DamagedChunk(f"a table of {rows} rows in {cursor.left} bytes")
    # How long the table is, its numbers tell: it is looked for as far as it can reach.
    reach = min(cursor.end, cursor.at + rows * width * _LONGEST)
    places = starts(data, cursor.at, reach)
    if len(places) <= rows * width:
        raise DamagedChunk(f"a table of {rows} rows in {cursor.left} bytes")
    cursor.at = int(places[rows * width])
    values, _ = column(data, places[: rows * width])
    return list(values.reshape(rows, width).T)


def distinct_pairs(first: Column, second: Column) -> tuple[NDArray[np.intp], list[tuple[int, int]]]:
    """The distinct pairs of two columns, and for each row the index of its pair."""
    first_codes, first_values = pd.factorize(first)
    second_codes, second_values = pd.factorize(second)
    width = max(len(second_values), 1)
    codes, pairs = pd.factorize(first_codes * width + second_codes)
    return codes, list(zip(first_values[pairs // width].tolist(), second_values[pairs % width].tolist(), strict=True))
