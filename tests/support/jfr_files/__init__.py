"""Writes JFR chunks by hand, for tests and benchmarks of the reader.

The types are those of async-profiler 4.5 in Pyroscope's agent, including its extra fields, and the layout follows its
`flightRecorder.cpp`. The samples of a chunk are given, and the pools follow from them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

LONG, INT, BOOLEAN, FLOAT, STRING = "long", "int", "boolean", "float", "java.lang.String"
THREAD, STACK_TRACE, STACK_FRAME = "java.lang.Thread", "jdk.types.StackTrace", "jdk.types.StackFrame"
METHOD, CLASS, SYMBOL = "jdk.types.Method", "java.lang.Class", "jdk.types.Symbol"
FRAME_TYPE, THREAD_STATE = "jdk.types.FrameType", "jdk.types.ThreadState"

_LABELS = (("spanId", LONG), ("spanName", LONG), ("contextId", LONG), ("traceIdHi", LONG), ("traceIdLo", LONG))
_WHERE = (("eventThread", THREAD), ("stackTrace", STACK_TRACE))
_SAMPLED = (
    ("startTime", LONG),
    ("sampledThread", THREAD),
    ("stackTrace", STACK_TRACE),
    ("state", THREAD_STATE),
    *_LABELS,
)

#: Name -> fields in the order they are written. Fields of the types in `POOLED` are ids; a trailing [] is an array.
TYPES: dict[str, tuple[tuple[str, str], ...]] = {
    LONG: (),
    INT: (),
    BOOLEAN: (),
    FLOAT: (),
    STRING: (),
    THREAD: (("osName", STRING), ("osThreadId", LONG), ("javaName", STRING), ("javaThreadId", LONG)),
    CLASS: (("classLoader", LONG), ("name", SYMBOL), ("modifiers", INT)),
    STACK_TRACE: (("truncated", BOOLEAN), ("frames", STACK_FRAME + "[]")),
    STACK_FRAME: (("method", METHOD), ("lineNumber", INT), ("bytecodeIndex", INT), ("type", FRAME_TYPE)),
    METHOD: (("type", CLASS), ("name", SYMBOL), ("descriptor", SYMBOL), ("modifiers", INT), ("hidden", BOOLEAN)),
    SYMBOL: (("string", STRING),),
    FRAME_TYPE: (("description", STRING),),
    THREAD_STATE: (("name", STRING),),
    "jdk.ExecutionSample": _SAMPLED,
    "profiler.WallClockSample": (*_SAMPLED, ("samples", INT), ("timeSpan", LONG)),
    "jdk.ObjectAllocationInNewTLAB": (
        ("startTime", LONG),
        *_WHERE,
        ("objectClass", CLASS),
        ("allocationSize", LONG),
        ("tlabSize", LONG),
        *_LABELS,
    ),
    "jdk.ObjectAllocationOutsideTLAB": (
        ("startTime", LONG),
        *_WHERE,
        ("objectClass", CLASS),
        ("allocationSize", LONG),
        *_LABELS,
    ),
    "jdk.JavaMonitorEnter": (
        ("startTime", LONG),
        ("duration", LONG),
        *_WHERE,
        ("monitorClass", CLASS),
        ("previousOwner", THREAD),
        ("address", LONG),
        ("spanId", LONG),
        ("spanName", LONG),
        ("contextId", LONG),
    ),
    "jdk.ThreadPark": (("startTime", LONG), ("duration", LONG), *_WHERE, ("parkedClass", CLASS), ("until", LONG)),
    # Not read, only stepped over.
    "jdk.CPULoad": (("startTime", LONG), ("jvmUser", FLOAT), ("machineTotal", FLOAT)),
    "jdk.ActiveSetting": (("startTime", LONG), ("id", LONG), ("name", STRING), ("value", STRING)),
}
POOLED = frozenset({THREAD, CLASS, STACK_TRACE, METHOD, SYMBOL, FRAME_TYPE, THREAD_STATE})

START_NS = 1_700_000_000_000_000_000
START_TICKS = 5_000_000_000_000

_FIRST_TYPE_ID = 20
_HEADER = struct.Struct(">4s2H7QI")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """`owner` with slashes, as the JVM writes it; empty for a native frame without a library."""

    owner: str = "shop/Cart"
    method: str = "add"
    kind: str = "JIT compiled"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One event; `at_ns` after the start of the chunk, `frames` from the leaf to the entry point."""

    type_name: str = "jdk.ExecutionSample"
    at_ns: int = 0
    thread: str = "worker-1"
    native_thread: bool = False
    frames: tuple[Frame, ...] = (Frame(),)
    truncated: bool = False
    state: str = "STATE_DEFAULT"
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Form:
    """Ways to write the same content.

    Attributes:
        string_encoding: 3 UTF-8, 4 characters, 5 Latin-1, 2 by way of the pool of strings.
        pool_events: the pools are spread over a chain of that many events.
        wide_sizes: event sizes padded to five bytes.
        types: other than `TYPES`.
        ticks_per_s: rate of the clock of events.
        first_id: of the entries of each pool; large ones take more bytes.
        lies: fields that the metadata claim for some types, other than what is written.
        pool_distance: what the last pool event says about where the one before it lies.
    """

    string_encoding: int = 3
    pool_events: int = 1
    wide_sizes: bool = False
    types: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=lambda: TYPES)
    ticks_per_s: int = 1_000_000_000
    first_id: int = 1
    lies: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    pool_distance: int | None = None


def number(value: int) -> bytes:
    """LEB128, the ninth byte full."""
    value &= (1 << 64) - 1
    out = bytearray()
    for _ in range(8):
        if value < 0x80:
            return bytes([*out, value])
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def string(text: str | None, encoding: int = 3) -> bytes:
    """A string in one of JFR's encodings; None is null. Encoding 2 is for the writer alone."""
    if text is None:
        return b"\0"
    if encoding == 4:
        units = text.encode("utf-16-le")
        return b"\4" + number(len(units) // 2) + b"".join(number(unit) for (unit,) in struct.iter_unpack("<H", units))
    content = text.encode("latin-1" if encoding == 5 else "utf-8")
    return bytes([encoding]) + number(len(content)) + content


def event(type_id: int, content: bytes, *, wide: bool = False) -> bytes:
    """An event with its size and type in front."""
    payload = number(type_id) + content
    if wide:
        size = len(payload) + 5
        return bytes([*(size >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)), size >> 28]) + payload
    size = len(payload) + 1
    while len(number(size)) + len(payload) != size:
        size += 1
    return number(size) + payload


def chunk(
    samples: Iterable[Sample],
    *,
    form: Form | None = None,
    start_ns: int = START_NS,
    duration_ns: int = 3_000_000_000,
    others: Sequence[tuple[str, Mapping[str, Any]]] = (),
) -> bytes:
    """A whole chunk with `samples`, and before them events of other types with the given fields."""
    return _Writer(form or Form(), start_ns, duration_ns).chunk(list(samples), others)


class _Writer:
    def __init__(self, form: Form, start_ns: int, duration_ns: int) -> None:
        self.form = form
        self.start_ns = start_ns
        self.duration_ns = duration_ns
        self.ids = dict(zip(form.types, count(_FIRST_TYPE_ID), strict=False))
        #: Type -> content -> id, content being what a field's writer takes.
        self.pools: dict[str, dict[Any, int]] = {name: {} for name in form.types}

    def chunk(self, samples: list[Sample], others: Sequence[tuple[str, Mapping[str, Any]]]) -> bytes:
        metadata = event(0, self.metadata(), wide=self.form.wide_sizes)
        events = b"".join(self.other(name, values) for name, values in others)
        events += b"".join(self.sample(sample) for sample in samples)
        pools_from = _HEADER.size + len(metadata) + len(events)
        pools, last_pool = self.pool_events(pools_from)
        body = metadata + events + pools
        header = _HEADER.pack(
            b"FLR\0",
            2,
            0,
            _HEADER.size + len(body),
            last_pool,
            _HEADER.size,
            self.start_ns,
            self.duration_ns,
            START_TICKS,
            self.form.ticks_per_s,
            0,
        )
        return header + body

    def metadata(self) -> bytes:
        strings: dict[str, int] = {}

        def text(value: str) -> bytes:
            return number(strings.setdefault(value, len(strings)))

        def element(name: str, attributes: Mapping[str, str], children: Sequence[bytes]) -> bytes:
            written = b"".join(text(key) + text(value) for key, value in attributes.items())
            return text(name) + number(len(attributes)) + written + number(len(children)) + b"".join(children)

        def described(name: str, type_name: str) -> bytes:
            bare = type_name.removesuffix("[]")
            attributes = {"name": name, "class": str(self.ids[bare])}
            attributes |= {"constantPool": "true"} if bare in POOLED else {}
            attributes |= {"dimension": "1"} if bare != type_name else {}
            return element("field", attributes, [])

        classes = [
            element("class", self.attributes(name), [described(*one) for one in self.form.lies.get(name, fields)])
            for name, fields in self.form.types.items()
        ]
        root = element("root", {}, [element("metadata", {}, classes), element("region", {"locale": "en_US"}, [])])
        table = number(len(strings)) + b"".join(string(value) for value in strings)
        return number(START_TICKS) + number(0) + number(1) + table + root

    def attributes(self, name: str) -> dict[str, str]:
        own = {"name": name, "id": str(self.ids[name])}
        is_event = any(field_name == "startTime" for field_name, _ in self.form.types[name])
        own |= {"simpleType": "true"} if name in (SYMBOL, FRAME_TYPE, THREAD_STATE) else {}
        return own | ({"superType": "jdk.jfr.Event"} if is_event else {})

    def sample(self, sample: Sample) -> bytes:
        frames = tuple((frame.owner, frame.method, frame.kind) for frame in sample.frames)
        thread = (sample.thread, 1, "" if sample.native_thread else sample.thread, 1)
        values = {
            "startTime": START_TICKS + sample.at_ns * self.form.ticks_per_s // 1_000_000_000,
            "sampledThread": thread,
            "eventThread": thread,
            "stackTrace": (sample.truncated, frames),
            "state": (sample.state,),
            **sample.values,
        }
        return self.other(sample.type_name, values)

    def other(self, name: str, values: Mapping[str, Any]) -> bytes:
        content = b"".join(self.field(of, values.get(field_name)) for field_name, of in self.form.types[name])
        return event(self.ids[name], content, wide=self.form.wide_sizes)

    def field(self, type_name: str, value: Any) -> bytes:
        if type_name.endswith("[]"):
            elements = value or ()
            return number(len(elements)) + b"".join(self.struct(type_name[:-2], element) for element in elements)
        if type_name in POOLED:
            return number(0 if value is None else self.entry(type_name, value))
        if type_name == STRING:
            return self.text(value)
        if type_name == FLOAT:
            return struct.pack(">f", value or 0.0)
        return bytes([bool(value)]) if type_name == BOOLEAN else number(value or 0)

    def text(self, value: str | None) -> bytes:
        if value and self.form.string_encoding == 2:
            return b"\2" + number(self.entry(STRING, value))
        return string(value, self.form.string_encoding)

    def struct(self, type_name: str, value: Any) -> bytes:
        if type_name == STACK_FRAME:
            owner, method, kind = value
            value = ((owner, method), 12, 3, (kind,))
        if type_name == METHOD:
            owner, method = value
            value = ((owner,), (method,), ("()V",), 1, False)
        if type_name == CLASS:
            value = (0, value, 1)
        return b"".join(self.field(of, one) for (_, of), one in zip(self.form.types[type_name], value, strict=True))

    def entry(self, type_name: str, value: Any) -> int:
        pool = self.pools[type_name]
        return pool.setdefault(value, self.form.first_id + len(pool))

    def pool_events(self, begin: int) -> tuple[bytes, int]:
        """The chain of pool events, and where its last one, which a reader begins with, lies."""
        groups: list[list[bytes]] = [[] for _ in range(self.form.pool_events)]
        for place, (name, entries) in enumerate(self.written_pools()):
            groups[place % len(groups)].append(number(self.ids[name]) + number(len(entries)) + b"".join(entries))
        out, last = b"", begin
        for group in groups:
            at = begin + len(out)
            distance = last - at
            if group is groups[-1] and self.form.pool_distance is not None:
                distance = self.form.pool_distance
            content = number(START_TICKS) + number(0) + number(distance) + number(1) + number(len(group))
            out += event(1, content + b"".join(group), wide=True)
            last = at
        return out, last

    def written_pools(self) -> list[tuple[str, list[bytes]]]:
        """Every pool's entries. Writing one may add to others, so the strings, on which all depend, come last."""
        written: dict[str, list[bytes]] = {}
        for name in (STACK_TRACE, METHOD, CLASS, SYMBOL, THREAD, THREAD_STATE, FRAME_TYPE, STRING):
            encoding = 3 if name == STRING else 0
            written[name] = [
                number(entry) + (string(value, encoding) if encoding else self.struct(name, value))
                for value, entry in list(self.pools.get(name, {}).items())
            ]
        return [(name, entries) for name, entries in written.items() if entries]
