"""Gatling's simulation.log in both of its formats: text up to 3.12, binary since 3.13, told apart by content.

`binary` and `text` walk through the bytes, `tables` holds what grows meanwhile: numbers in arrays, every
distinct text once. Memory is bounded by the columns, never by the file.

A log is foreign: whatever is in it, reading ends with what came before the trouble, and says where that was.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

from pacecar.measurement.load.gatling.simulation_log import binary, text
from pacecar.measurement.load.gatling.simulation_log.tables import (
    LogError,
    Run,
    SimulationLog,
    Tables,
    UnreadableRecord,
)
from pacecar.system.foreign import files

__all__ = ["LogError", "SimulationLog", "read"]

_CHUNK_BYTES = 4 << 20
_RECORD_BYTES = 16 << 20
#: Some seventy million requests; the columns of them fit into the memory of a machine that can be measured.
_MOST_BYTES = 4 << 30


class _Walk(Protocol):
    """One format's reader: takes bytes as they come, remembers what it needs between calls."""

    @property
    def run(self) -> Run | None:
        """The log's first record, once it was read."""

    def feed(self, data: bytes) -> int:
        """Read the whole records at the head of `data`; returns how many bytes they had."""


def read(path: Path, *, chunk_bytes: int = _CHUNK_BYTES) -> SimulationLog:
    """Read a simulation.log.

    Args:
        path: the log; Gatling should have ended, since it writes in portions of 8 KiB.
        chunk_bytes: how much of the file is held at a time.

    Returns:
        Everything up to the end, or up to the first byte that makes no sense.

    Raises:
        LogError: there is no such file, or it does not begin like a log of Gatling.
    """
    try:
        with files.opened(path, most=_MOST_BYTES) as file:
            return _read(file, path=path, chunk_bytes=chunk_bytes)
    except OSError as error:
        raise LogError(
            f"Gatling's log {path} cannot be read: {error.strerror}.",
            hint="See Gatling's own output beside it for the reason.",
        ) from error


def _read(file: BinaryIO, *, path: Path, chunk_bytes: int) -> SimulationLog:
    tables = Tables()
    walk: _Walk | None = None
    rest, offset = b"", 0
    reason: str | None = None
    while chunk := file.read(chunk_bytes):
        data = rest + chunk
        walk = walk or _walk_for(data, tables)
        try:
            used = walk.feed(data)
        except UnreadableRecord as error:
            reason = f"{error} (byte {offset + error.position}); nothing after it was read."
            rest = b""
            break
        rest, offset = data[used:], offset + used
        if len(rest) > _RECORD_BYTES:
            reason = f"A record of more than {_RECORD_BYTES} bytes (byte {offset}); nothing after it was read."
            break
    if walk is None or walk.run is None:
        raise _not_a_log(path, empty=walk is None, reason=reason)
    return tables.finish(walk.run, truncated=bool(rest) and reason is None, unreadable=reason)


def _walk_for(data: bytes, tables: Tables) -> _Walk:
    # A binary log has no magic number; its first byte is the type of the Run record, 0, which no text holds.
    return binary.BinaryWalk(tables) if data[:1] == b"\0" else text.TextWalk(tables)


def _not_a_log(path: Path, *, empty: bool, reason: str | None) -> LogError:
    if empty:
        return LogError(
            f"Gatling's log {path} is empty.",
            hint="Gatling was killed before it wrote its first records; let it end by itself, or give it longer.",
        )
    trouble = reason or "It ends inside its first record."
    return LogError(
        f"{path} is not a Gatling log: {trouble}",
        hint="Name the simulation.log in Gatling's results folder.",
    )
