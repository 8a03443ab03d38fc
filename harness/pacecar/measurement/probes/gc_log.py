"""Stop-the-world pauses, and threads that waited for memory, from a JVM's own log.

The JVM writes it with `-Xlog:gc*,safepoint:file=PATH:time,uptime,level,tags` (JDK 9 and later; JEP 158, 271):

    [2026-11-21T02:51:22.623+0000][0.023s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->6M(64M) 3.18ms
    [2026-11-21T02:51:22.642+0000][0.043s][info][safepoint] Safepoint "ThreadDump", Time since last: …, Total: 61055 ns
    [2026-11-21T02:51:23.118+0000][0.107s][info][gc] Allocation Stall (main) 3.339ms
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import pandas as pd

from pacecar.system.foreign import files

_LINE_BYTES = 4096
#: Of one file. The JVM is told to begin another one long before.
_MOST_BYTES = 256 << 20
_MOST_ENTRIES = 500_000
#: Nanoseconds since the epoch that 64 bits hold, with room for a duration.
_LATEST_NS = 2**62

_STAMP = rb"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4})\]"
# The generational ZGC names the generation first: `GC(7) y: Pause Mark End 0.006ms`.
_HEAP = rb"\d+[BKMGT]->\d+[BKMGT]\(\d+[BKMGT]\)"
_PAUSE = re.compile(
    _STAMP + rb".*\] GC\(\d+\) (?:\w: )?(Pause [^\[\]]{1,200}?)(?: " + _HEAP + rb")? (\d{1,9}\.\d{1,9})ms\s*$"
)
_SAFEPOINT = re.compile(_STAMP + rb'.*\] Safepoint "(\w{1,100})".* Total: (\d{1,15}) ns')
# The name is whatever the service calls its thread.
_STALL = re.compile(_STAMP + rb".*?\] Allocation Stall \((.{1,200})\) (\d{1,9}\.\d{1,9})ms\s*$")


class _Pause(NamedTuple):
    start_ns: int
    duration_ms: float
    kind: str


class _Stall(NamedTuple):
    start_ns: int
    duration_ms: float
    thread: str


_Entry = TypeVar("_Entry", _Pause, _Stall)


def read_pauses(path: Path) -> pd.DataFrame:
    """Pauses in which all threads of the JVM stood still, in the order of their ends.

    A line is stamped when the pause is over, with the wall clock in ms; its start is the stamp minus the duration.
    A collection also ends in a safepoint line; only safepoints without a collection (thread dumps, deoptimisation)
    are listed as such, with the time it took to reach them. A thread that waits for memory is no such pause, nor is any
    concurrent phase.

    Args:
        path: the log; earlier parts of it that the JVM has put aside as `path.0`, `path.1` and so on are read with it.
            One that was cut, or holds other lines, gives what can be read; one that does not exist, or is no file,
            nothing. Of more than half a million entries the first are read.

    Returns:
        start_ns (int64, since the epoch), duration_ms (float64), kind (str: the log's own words, such as
        "Pause Young (Normal) (G1 Evacuation Pause)" or "Safepoint ThreadDump").
    """
    table = pd.DataFrame(_entries(path, _pauses), columns=list(_Pause._fields))
    return table.astype({"start_ns": "int64", "duration_ms": "float64", "kind": "str"})


def read_stalls(path: Path) -> pd.DataFrame:
    """Threads of the application that ZGC kept waiting for memory, in the order of their ends.

    Args:
        path: as in `read_pauses`.

    Returns:
        start_ns (int64, since the epoch), duration_ms (float64), thread (str: its name).
    """
    table = pd.DataFrame(_entries(path, _stalls), columns=list(_Stall._fields))
    return table.astype({"start_ns": "int64", "duration_ms": "float64", "thread": "str"})


def parts_of(path: Path) -> list[Path]:
    """The log at `path` and the parts that the JVM has put aside, in no particular order; those that exist."""
    aside = path.parent.glob(f"{glob.escape(path.name)}.[0-9]")
    return [part for part in (path, *aside) if part.is_file()]


def _entries(path: Path, found: Callable[[BinaryIO], Iterator[_Entry]]) -> list[_Entry]:
    parts = sorted((_of_part(part, found) for part in parts_of(path)), key=lambda part: part[0].start_ns if part else 0)
    return list(islice(chain.from_iterable(parts), _MOST_ENTRIES))


def _of_part(path: Path, found: Callable[[BinaryIO], Iterator[_Entry]]) -> list[_Entry]:
    try:
        with files.opened(path, most=_MOST_BYTES) as file:
            return list(islice(found(file), _MOST_ENTRIES))
    except OSError:
        return []


def _pauses(file: BinaryIO) -> Iterator[_Pause]:
    collected = False
    while line := file.readline(_LINE_BYTES):
        if b" Pause " in line and (match := _PAUSE.match(line)):
            collected = True
            yield from _pause(match, ms=float(match[3]), kind=match[2].decode("ascii", "replace"))
        elif b" Safepoint " in line and (match := _SAFEPOINT.match(line)):
            if not collected:
                yield from _pause(match, ms=int(match[3]) / 1e6, kind=f"Safepoint {match[2].decode()}")
            collected = False


def _pause(match: re.Match[bytes], *, ms: float, kind: str) -> Iterator[_Pause]:
    start_ns = _start_ns(match[1], ms=ms)
    if start_ns is not None:
        yield _Pause(start_ns=start_ns, duration_ms=ms, kind=kind)


def _stalls(file: BinaryIO) -> Iterator[_Stall]:
    while line := file.readline(_LINE_BYTES):
        if b" Stall (" in line and (match := _STALL.match(line)):
            ms = float(match[3])
            start_ns = _start_ns(match[1], ms=ms)
            if start_ns is not None:
                yield _Stall(start_ns=start_ns, duration_ms=ms, thread=match[2].decode("utf-8", "replace"))


def _start_ns(stamp: bytes, *, ms: float) -> int | None:
    """When something began that was over at `stamp`; None where that is no moment."""
    try:
        end = datetime.strptime(stamp.decode(), "%Y-%m-%dT%H:%M:%S.%f%z")
        end_ns = round(end.timestamp() * 1000) * 1_000_000
    except (ValueError, OverflowError):
        return None  # such as a 13th month: a damaged line
    return end_ns - round(ms * 1e6) if 0 < end_ns < _LATEST_NS else None
