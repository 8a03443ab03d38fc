"""Stretches of binary records whose widths follow from their first five bytes, taken apart with numpy.

`hop` goes from head to head on the guess that no record defines a text. `sheets` lays the records out, one
array of fields per shape, and `sound` tells which of them confirm the guess: one that does not makes
everything after it void, because the widths of the others were then counted from a wrong place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RUN, REQUEST, USER, GROUP, ERROR = range(5)

#: Deepest nesting of groups that is believed.
DEPTH = 16

_HEAD_BYTES = 5


def _request(depth: int) -> np.dtype[Any]:
    return np.dtype(
        [
            ("type", "u1"),
            ("depth", ">i4"),
            ("groups", ">i4", (depth,)),
            ("name", ">i4"),
            ("start", ">i4"),
            ("end", ">i4"),
            ("ok", "u1"),
            ("message", ">i4"),
        ]
    )


def _group(depth: int) -> np.dtype[Any]:
    return np.dtype(
        [
            ("type", "u1"),
            ("depth", ">i4"),
            ("groups", ">i4", (depth,)),
            ("start", ">i4"),
            ("end", ">i4"),
            ("cumulated", ">i4"),
            ("ok", "u1"),
        ]
    )


_USER = np.dtype([("type", "u1"), ("scenario", ">i4"), ("is_start", "u1"), ("time", ">i4")])


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Records of one shape.

    Attributes:
        kind: REQUEST, USER or GROUP.
        rows: their places among the heads, ascending.
        records: their fields.
    """

    kind: int
    rows: NDArray[np.int64]
    records: NDArray[Any]

    def head(self, limit: int) -> Sheet:
        """The records whose row is below `limit`."""
        size = int(np.searchsorted(self.rows, limit))
        return Sheet(kind=self.kind, rows=self.rows[:size], records=self.records[:size])


def widths(scenarios: int) -> dict[bytes, int]:
    """First five bytes of a record -> its width, if it defines no text; for a run of so many scenarios."""

    def head(kind: int, number: int) -> bytes:
        return bytes([kind]) + number.to_bytes(4, "big")

    return (
        {head(REQUEST, depth): _request(depth).itemsize for depth in range(DEPTH + 1)}
        | {head(GROUP, depth): _group(depth).itemsize for depth in range(DEPTH + 1)}
        | {head(USER, scenario): _USER.itemsize for scenario in range(scenarios)}
    )


def hop(data: bytes, at: int, known: dict[bytes, int], limit: int) -> tuple[list[int], int]:
    """Heads of up to `limit` records from `at` on, and where the next one would begin.

    Stops before a record that is not among the `known` widths or not whole.
    """
    heads: list[int] = []
    size = len(data)
    for _ in range(limit):
        width = known.get(data[at : at + _HEAD_BYTES])
        if width is None or at + width > size:
            break
        heads.append(at)
        at += width
    return heads, at


def sheets(data: bytes, heads: list[int]) -> Iterator[Sheet]:
    """The records at `heads`, by shape."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    at = np.array(heads, dtype=np.int64)
    kinds = buffer[at].astype(np.int64)
    depths = np.where(kinds == USER, 0, buffer[at + _HEAD_BYTES - 1])
    shapes = kinds * (DEPTH + 1) + depths
    for shape in np.flatnonzero(np.bincount(shapes)):
        kind, depth = divmod(int(shape), DEPTH + 1)
        fields = _USER if kind == USER else _request(depth) if kind == REQUEST else _group(depth)
        rows = np.flatnonzero(shapes == shape)
        windows = np.lib.stride_tricks.sliding_window_view(buffer, fields.itemsize)
        yield Sheet(kind=kind, rows=rows, records=windows[at[rows]].view(fields)[:, 0])


def sound(sheet: Sheet, texts: int) -> NDArray[np.bool_]:
    """Whether each record is what its head promised: it refers to some of the first `texts` ids and defines none."""
    records = sheet.records
    if sheet.kind == USER:
        good: NDArray[np.bool_] = records["is_start"] <= 1
        return good
    good = records["ok"] <= 1
    for ids in records["groups"].T:
        good &= _known(ids, texts)
    if sheet.kind == REQUEST:
        good &= _known(records["name"], texts) & _known(records["message"], texts)
    return good


def _known(ids: NDArray[Any], texts: int) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (ids < 0) & (ids > -texts)
    return result
