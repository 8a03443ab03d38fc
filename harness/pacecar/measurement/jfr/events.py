"""Samples as columns: which events are samples, where they lie in a chunk, and what their fields say.

Python walks from event to event by their sizes; the fields are then read by numpy, one field of all events of a type
at a time. Events of other types are stepped over.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pacecar.measurement.jfr.chunk import HEADER_BYTES, Chunk
from pacecar.measurement.jfr.metadata import Field, Type, Types
from pacecar.measurement.jfr.numbers import Column, Cursor, DamagedChunk, column
from pacecar.measurement.jfr.values import NUMBERS, SINGLE_BYTES, Readers, ValueReader
from pacecar.model.experiment import Profiler
from pacecar.model.profiles import ProfileKind

Mask = NDArray[np.bool_]


#: Events of one chunk that are read, the first ones: memory follows them, with some hundred bytes each. A thousand
#: threads, sampled every 20 ms, make half a million in ten seconds.
_EVENTS = 2_000_000

#: Fields that say what an event was taken in: labels, and a span of a trace.
LABELS = ("contextId", "spanName", "spanId", "traceIdHi", "traceIdLo")

_FIXED_BYTES = {"float": 4, "double": 8}


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """What the profiler was told, which is what a sample stands for."""

    cpu_ns: float
    wall_ns: float
    lock_ns: float
    allocation_bytes: float

    @classmethod
    def of(cls, profiler: Profiler) -> Intervals:
        """The intervals of the settings that the agent was given."""
        return cls(
            cpu_ns=profiler.cpu_interval_ms * 1e6,
            wall_ns=profiler.wall_interval_ms * 1e6,
            lock_ns=profiler.lock_threshold_ms * 1e6,
            allocation_bytes=float(profiler.allocation_bytes),
        )


@dataclass(frozen=True, kw_only=True)
class Source:
    """One type of event that is read.

    Attributes:
        event: kind of profile.
        thread: field with the thread.
        size: field with the bytes a sample stands for, where there is one.
        object: field with the bytes of the object that was sampled, where `size` is the larger of it and the interval.
        span: field with the time an event covers from its start on.
        samples: field with the number of samples in the event.
    """

    event: ProfileKind
    thread: str = "eventThread"
    size: str | None = None
    object: str | None = None
    span: str | None = None
    samples: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """Everything that is read of such an event."""
        own = (self.thread, self.size, self.object, self.span, self.samples)
        return ("startTime", "stackTrace", "state", *LABELS, *filter(None, own))


#: async-profiler writes what HotSpot samples (`SampledObjectAlloc` of JVMTI) as TLAB events, whose `tlabSize` is the
#: larger of the object's size and the interval (`ObjectSampler::recordAllocation`).
SOURCES = {
    "jdk.ExecutionSample": Source(event=ProfileKind.CPU, thread="sampledThread"),
    "profiler.WallClockSample": Source(
        event=ProfileKind.WALL, thread="sampledThread", span="timeSpan", samples="samples"
    ),
    "jdk.ObjectAllocationInNewTLAB": Source(event=ProfileKind.ALLOCATION, size="tlabSize", object="allocationSize"),
    "jdk.ObjectAllocationOutsideTLAB": Source(event=ProfileKind.ALLOCATION, size="allocationSize"),
    "jdk.ObjectAllocationSample": Source(event=ProfileKind.ALLOCATION, size="weight"),
    "jdk.JavaMonitorEnter": Source(event=ProfileKind.LOCK, span="duration"),
    "jdk.ThreadPark": Source(event=ProfileKind.LOCK, span="duration"),
}


@dataclass(frozen=True, kw_only=True)
class Events:
    """All events of one source in a chunk, as columns by field; a field the type does not have is missing."""

    source: Source
    columns: dict[str, Column]


@dataclass(kw_only=True)
class ChunkEvents:
    """The samples of a chunk, and what could not be read."""

    events: list[Events] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)


def find_events(chunk: Chunk, types: Types) -> ChunkEvents:
    """Read the columns of every source in `chunk`. What is damaged is left out and said."""
    places, damage = _places(chunk)
    found = ChunkEvents(damage=[damage] if damage else [])
    data = chunk.bytes
    sizes, at = column(data, places)
    ends = places + sizes
    ids, at = column(data, at)
    for name, source in SOURCES.items():
        described = types.named(name)
        mine = np.flatnonzero(ids == described.type_id) if described is not None else ()
        if described is None or not len(mine):
            continue
        try:
            columns, whole = _columns(chunk, types, described, source.fields, at=at[mine], ends=ends[mine])
        except DamagedChunk as error:
            found.damage.append(f"{name}: {error}")
            continue
        if not whole.all():
            found.damage.append(f"{name}: {np.count_nonzero(~whole)} events shorter than their fields")
        found.events.append(Events(source=source, columns={key: values[whole] for key, values in columns.items()}))
    return found


def _places(chunk: Chunk) -> tuple[Column, str]:
    """Where each event begins, and what ended the walk before the end of the chunk, if anything."""
    data, end = chunk.data, chunk.size
    places = array("q")
    at = HEADER_BYTES
    for _ in range(_EVENTS):
        if at >= end:
            break
        size = data[at]
        if size >= 0x80:
            size = Cursor(data, at, len(data)).number()
        if size == 0 or size > end - at:
            return np.array(places, dtype=np.int64), f"an event of {size} bytes where {end - at} are left (byte {at})"
        places.append(at)
        at += size
    return np.array(places, dtype=np.int64), f"more than {_EVENTS} events in a chunk" if at < end else ""


def _columns(
    chunk: Chunk, types: Types, described: Type, wanted: tuple[str, ...], *, at: Column, ends: Column
) -> tuple[dict[str, Column], Mask]:
    """The wanted fields of events whose first field lies at `at`, and which events hold them within their size."""
    readers = Readers(types)
    columns: dict[str, Column] = {}
    whole = at <= ends
    left = [name for name in wanted if described.position(name) is not None]
    for described_field in described.fields:
        if not left or not whole.any():
            break
        values, at = _field(chunk, types, readers, described_field, at=np.minimum(at, ends), ends=ends)
        whole &= at <= ends
        if described_field.name in left:
            left.remove(described_field.name)
            columns[described_field.name] = values
    if "startTime" not in columns:
        raise DamagedChunk("events without a time")
    return columns, whole


def _field(
    chunk: Chunk, types: Types, readers: Readers, described: Field, *, at: Column, ends: Column
) -> tuple[Column, Column]:
    """Values of one field at the places `at`, and the places after it."""
    type_of_field = types[described.type_id]
    name = type_of_field.name
    if not described.array:
        if described.pooled or name in NUMBERS:
            return column(chunk.bytes, at)
        if name in SINGLE_BYTES:
            return chunk.bytes[at].astype(np.int64), at + 1
        if name in _FIXED_BYTES:
            return np.zeros_like(at), at + _FIXED_BYTES[name]
    # A string, an array or a struct is stepped over event by event; the types read here have none.
    read = readers.of_field(described)
    after = [_after(chunk, read, begin, end) for begin, end in zip(at.tolist(), ends.tolist(), strict=True)]
    return np.zeros_like(at), np.array(after, dtype=np.int64)


def _after(chunk: Chunk, read: ValueReader, begin: int, end: int) -> int:
    """The place after one value; beyond `end` when it makes no sense."""
    cursor = Cursor(chunk.data, begin, end)
    try:
        read(cursor)
    except DamagedChunk:
        return end + 1
    return cursor.at
