"""Writes logs as Gatling does, in both formats, for tests and benchmarks of the reader.

It follows `LogFileDataWriter` in Gatling's sources (binary) and the logs that 3.11 leaves behind (text).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Run:
    version: str = "3.15.1"
    simulation: str = "shop.Checkout"
    start_ms: int = 1_700_000_000_000
    description: str = ""
    scenarios: tuple[str, ...] = ("browse", "buy")
    assertions: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Request:
    """Times in ms after the start of the run, here and below."""

    groups: tuple[str, ...] = ()
    name: str
    start: int
    end: int
    ok: bool = True
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class User:
    scenario: int
    is_start: bool
    time: int


@dataclass(frozen=True, kw_only=True)
class Group:
    groups: tuple[str, ...]
    start: int
    end: int
    cumulated: int = 0
    ok: bool = True


@dataclass(frozen=True, kw_only=True)
class Error:
    message: str
    time: int


Record = Request | User | Group | Error


def string(text: str) -> bytes:
    """A Java string: Latin-1 where that is enough, else UTF-16 of a little-endian machine."""
    if not text:
        return struct.pack(">i", 0)
    try:
        raw, coder = text.encode("latin-1"), 0
    except UnicodeEncodeError:
        raw, coder = text.encode("utf-16-le", "surrogatepass"), 1
    return struct.pack(">i", len(raw)) + raw + bytes([coder])


class BinaryWriter:
    """Since 3.13. Every text is written once, afterwards its negated id; `ids` has those given so far."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def run(self, run: Run) -> bytes:
        return b"".join(
            [
                b"\0",
                string(run.version),
                string(run.simulation),
                struct.pack(">q", run.start_ms),
                string(run.description),
                struct.pack(">i", len(run.scenarios)),
                *map(string, run.scenarios),
                struct.pack(">i", len(run.assertions)),
                *(struct.pack(">i", len(raw)) + raw for raw in run.assertions),
            ]
        )

    def record(self, record: Record) -> bytes:
        match record:
            case Request():
                times = struct.pack(">ii?", record.start, record.end, record.ok)
                return (
                    b"\1" + self._groups(record.groups) + self._text(record.name) + times + self._text(record.message)
                )
            case User():
                return struct.pack(">bi?i", 2, record.scenario, record.is_start, record.time)
            case Group():
                numbers = struct.pack(">iii?", record.start, record.end, record.cumulated, record.ok)
                return b"\3" + self._groups(record.groups) + numbers
            case Error():
                return b"\4" + self._text(record.message) + struct.pack(">i", record.time)

    def _groups(self, groups: tuple[str, ...]) -> bytes:
        return struct.pack(">i", len(groups)) + b"".join(map(self._text, groups))

    def _text(self, text: str) -> bytes:
        if text in self.ids:
            return struct.pack(">i", -self.ids[text])
        self.ids[text] = len(self.ids) + 1
        return struct.pack(">i", self.ids[text]) + string(text)


def binary_parts(run: Run, records: Iterable[Record]) -> list[bytes]:
    """The run's record and each record, as bytes."""
    writer = BinaryWriter()
    return [writer.run(run), *map(writer.record, records)]


def binary_log(run: Run, records: Iterable[Record]) -> bytes:
    return b"".join(binary_parts(run, records))


def text_parts(run: Run, records: Iterable[Record]) -> list[bytes]:
    """As `binary_parts`, up to 3.12: the first part holds the lines of assertions too."""
    head = "".join(f"ASSERTION\t{raw.hex()}\n" for raw in run.assertions)
    identifier = run.simulation.rpartition(".")[2].lower()
    fields = ["RUN", run.simulation, identifier, str(run.start_ms), run.description or " ", run.version]
    return [(head + "\t".join(fields) + "\n").encode(), *(_line(run, record) for record in records)]


def text_log(run: Run, records: Iterable[Record]) -> bytes:
    return b"".join(text_parts(run, records))


def _line(run: Run, record: Record) -> bytes:
    def time(after: int) -> str:
        return str(run.start_ms + after)

    def status(ok: bool) -> str:
        return "OK" if ok else "KO"

    match record:
        case Request():
            times = [time(record.start), time(record.end), status(record.ok)]
            fields = ["REQUEST", ",".join(record.groups), record.name, *times, record.message or " "]
        case User():
            event = "START" if record.is_start else "END"
            fields = ["USER", run.scenarios[record.scenario], event, time(record.time)]
        case Group():
            numbers = [time(record.start), time(record.end), str(record.cumulated), status(record.ok)]
            fields = ["GROUP", ",".join(record.groups), *numbers]
        case Error():
            fields = ["ERROR", record.message, time(record.time)]
    return ("\t".join(fields) + "\n").encode()
