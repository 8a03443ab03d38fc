"""The binary format, since Gatling 3.13: records of varying width without any index, big-endian.

Source: `LogFileDataWriter` and `LogFileReader` of Gatling's sources.

A text that occurs for the first time carries the next id of one table for the whole file and its bytes; afterwards
it is the negated id alone. So nearly all records have a width that follows from their first five bytes, and the
walk has two gaits: `_many` takes a whole stretch of such records (see `stretch`), `_one` reads any
single one; new texts, errors and nonsense end up there.
"""

from __future__ import annotations

import re
import struct
from array import array
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pacecar.measurement.load.gatling.simulation_log import stretch
from pacecar.measurement.load.gatling.simulation_log.cursor import STRING_BYTES, Cut, RecordCursor
from pacecar.measurement.load.gatling.simulation_log.tables import Run, Tables, UnreadableRecord, extend

_SCENARIOS = 10_000
_ASSERTIONS = 10_000
_VERSION = re.compile(r"\d+\.\d+[\w.+-]{0,40}")
_YEAR_2100_MS = 4_102_444_800_000

#: A stretch begins after this many single records without a new text, and grows up to so many while it succeeds.
_CALM = 64
_STRETCH = 16_384

_NO_GROUP = -1


class BinaryWalk:
    """Reads a binary log into `tables`."""

    def __init__(self, tables: Tables) -> None:
        self.run: Run | None = None
        self._tables = tables
        self._scenarios: list[int] = []
        # Id of a text in the file -> its code in the tables; ids begin at 1.
        self._codes = array("i", [-1])
        self._paths: dict[int, int] = {}
        self._start_ms = 0
        self._no_end = 0
        self._widths: dict[bytes, int] = {}
        self._calm = 0
        self._reach = _CALM

    def feed(self, data: bytes) -> int:
        """Read the whole records at the head of `data`; returns how many bytes they had.

        Raises:
            UnreadableRecord: what follows is no record; everything before it is in the tables.
        """
        at = 0
        known = len(self._codes)
        try:
            while at < len(data):
                if self._calm >= _CALM:
                    at = self._many(data, at)
                known = len(self._codes)
                if at < len(data):
                    at = self._one(data, at)
                self._calm = self._calm + 1 if known == len(self._codes) else 0
        except Cut:
            del self._codes[known:]  # they will be defined again when the record is there as a whole
        except UnreadableRecord as error:
            error.position = at
            raise
        return at

    def _one(self, data: bytes, at: int) -> int:
        cursor = RecordCursor(data, at)
        kind = cursor.byte()
        if self.run is None:
            if kind != stretch.RUN:
                raise UnreadableRecord(f"A first record of type {kind}")
            self._first(cursor)
        elif kind == stretch.REQUEST:
            self._request(cursor)
        elif kind == stretch.USER:
            self._user(cursor)
        elif kind == stretch.GROUP:
            self._group(cursor)
        elif kind == stretch.ERROR:
            self._error(cursor)
        else:
            raise UnreadableRecord(f"A record of type {kind}")
        return cursor.at

    def _first(self, cursor: RecordCursor) -> None:
        version, simulation = cursor.string(), cursor.string()
        start_ms = cursor.long()
        cursor.string()  # the description given on the command line
        if not _VERSION.fullmatch(version) or not simulation or not 0 < start_ms < _YEAR_2100_MS:
            raise UnreadableRecord("No version, simulation and time of start")
        names = [cursor.string() for _ in range(cursor.count("scenarios", _SCENARIOS))]
        for _ in range(cursor.count("assertions", _ASSERTIONS)):
            cursor.take(cursor.count("bytes of an assertion", STRING_BYTES))
        self._start_ms = start_ms
        self.run = Run(version=version, simulation=simulation, start_ms=start_ms)
        self._scenarios = [self._tables.texts.code(name) for name in names]
        self._widths = stretch.widths(len(names))
        # A message that answers no request ends at Long.MinValue; what the log keeps of that minus the start.
        self._no_end = struct.unpack(">i", struct.pack(">q", -start_ms)[4:])[0]

    def _text(self, cursor: RecordCursor) -> int:
        index = cursor.integer()
        if index < 0:
            if -index >= len(self._codes):
                raise UnreadableRecord(f"A reference to text {-index}, which is not defined")
            return self._codes[-index]
        if index != len(self._codes):
            raise UnreadableRecord(f"A definition of text {index}, where {len(self._codes)} is next")
        code = self._tables.texts.code(cursor.string())
        self._codes.append(code)
        return code

    def _path(self, cursor: RecordCursor) -> int:
        path = _NO_GROUP
        for _ in range(cursor.count("groups", stretch.DEPTH)):
            path = self._below(_pair(path, self._text(cursor)))
        return path

    def _below(self, pair: int) -> int:
        """The code of the path that `pair` names."""
        if pair not in self._paths:
            path, name = (pair >> 32) - 1, pair & 0xFFFF_FFFF
            texts = self._tables.texts
            self._paths[pair] = name if path == _NO_GROUP else texts.code(f"{texts[path]}/{texts[name]}")
        return self._paths[pair]

    def _request(self, cursor: RecordCursor) -> None:
        path, name = self._path(cursor), self._text(cursor)
        start, end, ok, message = cursor.integer(), cursor.integer(), cursor.flag(), self._text(cursor)
        if end == self._no_end:
            self._tables.unmatched += 1
            return
        requests = self._tables.requests
        requests.groups.append(self._tables.texts.code("") if path == _NO_GROUP else path)
        requests.name.append(name)
        requests.start_ms.append(self._start_ms + start)
        requests.end_ms.append(self._start_ms + end)
        requests.ok.append(ok)
        requests.message.append(message)

    def _user(self, cursor: RecordCursor) -> None:
        index = cursor.integer()
        if not 0 <= index < len(self._scenarios):
            raise UnreadableRecord(f"A reference to scenario {index} of {len(self._scenarios)}")
        is_start, time = cursor.flag(), cursor.integer()
        users = self._tables.users
        users.scenario.append(self._scenarios[index])
        users.is_start.append(is_start)
        users.time_ms.append(self._start_ms + time)

    def _group(self, cursor: RecordCursor) -> None:
        # How long a group took is not kept: what counts are its requests.
        self._path(cursor)
        cursor.take(12)
        cursor.flag()

    def _error(self, cursor: RecordCursor) -> None:
        message, time = self._text(cursor), cursor.integer()
        self._tables.errors.message.append(message)
        self._tables.errors.time_ms.append(self._start_ms + time)

    def _many(self, data: bytes, at: int) -> int:
        """Read a stretch of records that define no text; returns where the next record begins."""
        heads, end = stretch.hop(data, at, self._widths, self._reach)
        if not heads:
            return at
        sheets = list(stretch.sheets(data, heads))
        doubtful = [sheet.rows[~stretch.sound(sheet, len(self._codes))] for sheet in sheets]
        good = min((int(rows[0]) for rows in doubtful if len(rows)), default=len(heads))
        parts = [sheet.head(good) for sheet in sheets]
        # Requests first: they may pass the limit for texts, and then nothing of the stretch is to be kept.
        self._add_requests([part for part in parts if part.kind == stretch.REQUEST])
        self._add_users([part for part in parts if part.kind == stretch.USER])
        if good == len(heads):
            self._reach = min(2 * self._reach, _STRETCH)
            return end
        self._reach = _CALM
        return heads[good]

    def _add_users(self, sheets: list[stretch.Sheet]) -> None:
        for sheet in sheets:
            extend(
                self._tables.users,
                scenario=np.array(self._scenarios, dtype=np.int32)[sheet.records["scenario"]],
                is_start=sheet.records["is_start"],
                time_ms=sheet.records["time"] + np.int64(self._start_ms),
            )

    def _add_requests(self, sheets: list[stretch.Sheet]) -> None:
        if not sheets:
            return
        columns = [self._columns(sheet.records) for sheet in sheets]
        order = np.argsort(np.concatenate([sheet.rows for sheet in sheets]), kind="stable")
        table = {name: np.concatenate([part[name] for part in columns])[order] for name in columns[0]}
        matched = table.pop("matched")
        self._tables.unmatched += len(matched) - int(matched.sum())
        extend(self._tables.requests, **{name: values[matched] for name, values in table.items()})

    def _columns(self, records: NDArray[Any]) -> dict[str, NDArray[Any]]:
        codes = np.frombuffer(self._codes, dtype=np.int32)
        path = np.full(len(records), _NO_GROUP, dtype=np.int64)
        for ids in records["groups"].T:
            inverse, pairs = pd.factorize(_pair(path, codes[-ids]))
            path = np.array([self._below(int(pair)) for pair in pairs], dtype=np.int64)[inverse]
        path[path == _NO_GROUP] = self._tables.texts.code("")
        return {
            "groups": path,
            "name": codes[-records["name"]],
            "start_ms": records["start"] + np.int64(self._start_ms),
            "end_ms": records["end"] + np.int64(self._start_ms),
            "ok": records["ok"],
            "message": codes[-records["message"]],
            "matched": records["end"] != self._no_end,
        }


def _pair(path: Any, name: Any) -> Any:
    """A path and a name below it, both codes or arrays of codes, in one integer."""
    return (path + 1) << 32 | name
