"""The chunks of a file: header, bytes, and where the next one begins."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pacecar.measurement.jfr.numbers import Bytes, Column, DamagedChunk

#: Magic, version (2), size, offset of constant pools, offset of metadata, start (ns since the epoch), duration (ns),
#: start (ticks), ticks per second, flags.
_HEADER = struct.Struct(">4s2H7QI")
HEADER_BYTES = _HEADER.size
_MAGIC = b"FLR\0"
_VERSIONS = (1, 2)

#: A larger chunk is not read: memory follows the largest chunk. async-profiler begins a new one at 100 MB.
CHUNK_BYTES = 128 << 20
#: Chunks of one file that are looked at. The agent sends one; an hour of another recorder is some hundred.
_CHUNKS = 10_000
#: Zeros after the chunk, so that a number at its very end can be read without looking.
_PADDING = 16

#: No time is further away than this (18 years in ns); keeps sums within 64 bits whatever the bytes say.
_FAR = 1 << 59


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A part of a file that could not be read.

    Attributes:
        path: the file.
        offset: of the chunk in the file.
        reason: what made no sense.
    """

    path: Path
    offset: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """One chunk in memory.

    Attributes:
        offset: in its file.
        size: in bytes, without the padding that follows in `data`.
        pools_at: offset of the last constant pool event in the chunk.
        metadata_at: offset of the metadata event in the chunk.
        start_ns: since the epoch.
        duration_ns: length; 0 when the writer had not finished.
        start_ticks: `start_ns` on the clock of the events.
        ticks_per_s: rate of that clock.
        data: the bytes, padded.
    """

    offset: int
    size: int
    pools_at: int
    metadata_at: int
    start_ns: int
    duration_ns: int
    start_ticks: int
    ticks_per_s: int
    data: bytearray

    @property
    def bytes(self) -> Bytes:
        """`data` as an array that shares its memory."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def times_ns(self, ticks: Column) -> Column:
        """Times of events in ns since the epoch."""
        return self.start_ns + self.spans_ns(np.clip(ticks, -_FAR, _FAR) - self.start_ticks)

    def spans_ns(self, ticks: Column) -> Column:
        """Lengths of time in ns."""
        if self.ticks_per_s == 1_000_000_000:
            return ticks
        nanoseconds: Column = np.rint(np.clip(ticks * (1e9 / self.ticks_per_s), -_FAR, _FAR)).astype(np.int64)
        return nanoseconds


def chunks(path: Path) -> Iterator[Chunk | Unreadable]:
    """The chunks of `path` in order. What follows a header that makes no sense cannot be found and is given up."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            yield Unreadable(path=path, offset=0, reason="not a file")
            return
        total, at = about.st_size, 0
        with path.open("rb") as file:
            for _ in range(_CHUNKS):
                if at >= total:
                    return
                chunk, size = _chunk(file, at=at, left=total - at, path=path)
                yield chunk
                at += size
        if at < total:
            yield Unreadable(path=path, offset=at, reason=f"more than {_CHUNKS} chunks in a file")
    except OSError as error:
        yield Unreadable(path=path, offset=0, reason=f"the file cannot be read: {error.strerror}")


def _chunk(file: BinaryIO, *, at: int, left: int, path: Path) -> tuple[Chunk | Unreadable, int]:
    """The chunk at `at`, and how far the next one is."""
    file.seek(at)
    head = file.read(HEADER_BYTES)
    if len(head) < HEADER_BYTES:
        return Unreadable(path=path, offset=at, reason="cut inside a chunk's header"), left
    magic, major, _, size, pools_at, metadata_at, start_ns, duration_ns, ticks, rate, _ = _HEADER.unpack(head)
    if magic != _MAGIC or major not in _VERSIONS:
        return Unreadable(path=path, offset=at, reason="no chunk of a version that is known begins here"), left
    if not HEADER_BYTES <= size <= left:
        return Unreadable(path=path, offset=at, reason=f"a chunk of {size} bytes where {left} are left"), left
    if size > CHUNK_BYTES:
        return Unreadable(path=path, offset=at, reason=f"a chunk of more than {CHUNK_BYTES} bytes"), size
    try:
        _check(size=size, places=(pools_at, metadata_at), times=(start_ns, duration_ns, ticks, rate))
    except DamagedChunk as error:
        return Unreadable(path=path, offset=at, reason=str(error)), size
    file.seek(at)
    data = bytearray(file.read(size))
    if len(data) < size:
        return Unreadable(path=path, offset=at, reason="the file became shorter while it was read"), left
    data += bytes(_PADDING)
    chunk = Chunk(
        offset=at,
        size=size,
        pools_at=pools_at,
        metadata_at=metadata_at,
        start_ns=start_ns,
        duration_ns=duration_ns,
        start_ticks=ticks,
        ticks_per_s=rate,
        data=data,
    )
    return chunk, size


def _check(*, size: int, places: tuple[int, ...], times: tuple[int, ...]) -> None:
    if not all(HEADER_BYTES <= place < size for place in places):
        raise DamagedChunk("a chunk whose metadata or constant pools lie outside it")
    if max(times) >= 1 << 62 or times[2] >= _FAR or times[-1] == 0:
        raise DamagedChunk("a chunk with an impossible clock")
