"""What grows while a log is read: columns of numbers, and every distinct text once."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pacecar.errors import MeasurementError

#: Limit for all distinct texts of a log together, and what each is taken to cost beside itself.
_TEXT_BYTES = 256 << 20
_TEXT_OVERHEAD_BYTES = 100

_PORTION = 1 << 20

_CONTROL = str.maketrans("\n\r\t", "   ")


class LogError(MeasurementError):
    """A file that is not a log of Gatling."""


class UnreadableRecord(Exception):
    """Bytes that no Gatling writes, in the record at `position` of the data at hand. The message has no full stop."""

    position = 0


@dataclass(frozen=True, kw_only=True)
class Run:
    """A log's first record."""

    version: str
    simulation: str
    start_ms: int


@dataclass(frozen=True, kw_only=True)
class SimulationLog:
    """One run of Gatling as its log tells it. Times are ms since the epoch; the log knows no finer.

    Attributes:
        version: of the Gatling that wrote the log.
        simulation: class name.
        start_ms: when the run started.
        requests: in the order of the log, which is that of their ends: groups (names from the outermost
            group inwards, joined by "/"), name, start_ms, end_ms, ok, message. Texts are categoricals.
        users: scenario, is_start, time_ms: a virtual user begins or ends.
        errors: message, time_ms: what failed outside of a request.
        unmatched: messages from the server that answered no request (WebSocket, SSE); not among `requests`.
        truncated: the file ends inside a record; everything before it was read.
        unreadable: what made no sense at which byte, in one sentence; None when all did. What stands before was read.
    """

    version: str
    simulation: str
    start_ms: int
    requests: pd.DataFrame
    users: pd.DataFrame
    errors: pd.DataFrame
    unmatched: int
    truncated: bool
    unreadable: str | None


class Texts:
    """Every distinct text once, by its code. Line breaks and tabs become blanks, as in Gatling's reports."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []
        self._bytes = 0

    def __getitem__(self, code: int) -> str:
        return self._texts[code]

    def code(self, text: str) -> int:
        """The code of `text`, the next free one when it is new. Raises UnreadableRecord beyond the limit."""
        text = text.translate(_CONTROL)
        known = self._codes.get(text)
        if known is not None:
            return known
        self._bytes += sys.getsizeof(text) + _TEXT_OVERHEAD_BYTES
        if self._bytes > _TEXT_BYTES:
            raise UnreadableRecord(f"More than {_TEXT_BYTES >> 20} MiB of distinct names and messages")
        self._texts.append(text)
        return self._codes.setdefault(text, len(self._codes))

    def categorical(self, codes: NDArray[np.int32]) -> pd.Categorical:
        """The texts of `codes`; its categories are those that occur, in order of first use in the log."""
        # In portions, because numpy widens an index to 64 bits: that would be the largest array of all.
        portions = np.array_split(codes, 1 + len(codes) // _PORTION)
        occurs = np.zeros(len(self._texts), dtype=np.bool_)
        for portion in portions:
            occurs[portion] = True
        names = [text for text, does in zip(self._texts, occurs, strict=True) if does]
        place = np.cumsum(occurs, dtype=np.int32) - 1
        narrow = place.astype(np.min_scalar_type(-len(names) - 1))
        found = np.concatenate([narrow[portion] for portion in portions])
        return pd.Categorical.from_codes(found, categories=pd.Index(names, dtype="str"))


@dataclass
class RequestColumns:
    """Columns of requests; texts are codes."""

    groups: array[int] = field(default_factory=lambda: array("i"))
    name: array[int] = field(default_factory=lambda: array("i"))
    start_ms: array[int] = field(default_factory=lambda: array("q"))
    end_ms: array[int] = field(default_factory=lambda: array("q"))
    ok: array[int] = field(default_factory=lambda: array("b"))
    message: array[int] = field(default_factory=lambda: array("i"))


@dataclass
class UserColumns:
    """Columns of beginnings and ends of virtual users."""

    scenario: array[int] = field(default_factory=lambda: array("i"))
    is_start: array[int] = field(default_factory=lambda: array("b"))
    time_ms: array[int] = field(default_factory=lambda: array("q"))


@dataclass
class ErrorColumns:
    """Columns of errors outside of requests."""

    message: array[int] = field(default_factory=lambda: array("i"))
    time_ms: array[int] = field(default_factory=lambda: array("q"))


def extend(rows: RequestColumns | UserColumns, **columns: NDArray[Any]) -> None:
    """Add many rows at once, a value for every column."""
    for name, values in columns.items():
        column: array[int] = getattr(rows, name)
        column.frombytes(np.ascontiguousarray(values, dtype=column.typecode).tobytes())


class Tables:
    """Everything read so far."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.requests = RequestColumns()
        self.users = UserColumns()
        self.errors = ErrorColumns()
        self.unmatched = 0

    def finish(self, run: Run, *, truncated: bool, unreadable: str | None) -> SimulationLog:
        """The log. The frames take over the columns' memory: nothing may be added afterwards."""
        requests, users, errors = self.requests, self.users, self.errors
        return SimulationLog(
            version=run.version,
            simulation=run.simulation,
            start_ms=run.start_ms,
            requests=pd.DataFrame(
                {
                    "groups": self._texts_of(requests.groups),
                    "name": self._texts_of(requests.name),
                    "start_ms": np.frombuffer(requests.start_ms, dtype=np.int64),
                    "end_ms": np.frombuffer(requests.end_ms, dtype=np.int64),
                    "ok": np.frombuffer(requests.ok, dtype=np.bool_),
                    "message": self._texts_of(requests.message),
                },
                copy=False,
            ),
            users=pd.DataFrame(
                {
                    "scenario": self._texts_of(users.scenario),
                    "is_start": np.frombuffer(users.is_start, dtype=np.bool_),
                    "time_ms": np.frombuffer(users.time_ms, dtype=np.int64),
                },
                copy=False,
            ),
            errors=pd.DataFrame(
                {
                    "message": self._texts_of(errors.message),
                    "time_ms": np.frombuffer(errors.time_ms, dtype=np.int64),
                },
                copy=False,
            ),
            unmatched=self.unmatched,
            truncated=truncated,
            unreadable=unreadable,
        )

    def _texts_of(self, codes: array[int]) -> pd.Categorical:
        column = self.texts.categorical(np.frombuffer(codes, dtype=np.int32))
        del codes[:]
        return column
