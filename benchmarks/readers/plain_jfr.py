"""A straightforward reader of JFR, to compare the real one with.

It follows the metadata, reads one value after the other, and adds up samples by event, thread, state and stack. It does
less than `pacecar.measurement.jfr`: it ignores windows, trusts every byte, and does not make generated names stable.
"""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path
from typing import Any

_HEADER = struct.Struct(">4s2H7QI")
_WEIGHTS = {
    "jdk.ExecutionSample": None,
    "profiler.WallClockSample": "samples",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
    "jdk.JavaMonitorEnter": "duration",
    "jdk.ThreadPark": "duration",
}
_INTEGERS = {"long", "int", "short", "char"}
_BYTES = {"boolean", "byte"}


class Reader:
    """Values one after another."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def number(self) -> int:
        """An unsigned LEB128 number; the ninth byte counts whole."""
        value = 0
        for shift in range(0, 56, 7):
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        value |= self.data[self.at] << 56
        self.at += 1
        return value

    def string(self) -> str | int | None:
        """A text, or its id in the pool of strings."""
        kind = self.data[self.at]
        self.at += 1
        if kind == 0:
            return None
        if kind == 1:
            return ""
        if kind == 2:
            return self.number()
        size = self.number()
        if kind == 4:
            return "".join(chr(self.number()) for _ in range(size))
        raw = self.data[self.at : self.at + size]
        self.at += size
        return raw.decode("utf-8" if kind == 3 else "latin-1")


class Chunk:
    """One chunk's types, pools and samples."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        fields = _HEADER.unpack_from(data)
        self.size, self.pools_at, self.metadata_at = fields[3:6]
        self.types: dict[int, tuple[str, list[tuple[str, int, bool, bool]]]] = {}
        self.pools: dict[int, dict[int, Any]] = {}
        self._read_metadata()
        self._read_pools()

    def _read_metadata(self) -> None:
        reader = Reader(self.data, self.metadata_at)
        for _ in range(5):
            reader.number()
        strings = [str(reader.string()) for _ in range(reader.number())]

        def element() -> tuple[str, dict[str, str], list[Any]]:
            name = strings[reader.number()]
            attributes = {strings[reader.number()]: strings[reader.number()] for _ in range(reader.number())}
            return name, attributes, [element() for _ in range(reader.number())]

        for part, _, classes in element()[2]:
            for _, attributes, children in classes if part == "metadata" else []:
                fields = [
                    (a["name"], int(a["class"]), a.get("constantPool") == "true", "dimension" in a)
                    for kind, a, _ in children
                    if kind == "field"
                ]
                self.types[int(attributes["id"])] = attributes["name"], fields

    def _read_pools(self) -> None:
        at = self.pools_at
        while True:
            reader = Reader(self.data, at)
            for _ in range(4):
                reader.number()
            distance = reader.number()
            reader.number()
            for _ in range(reader.number()):
                type_id = reader.number()
                pool = self.pools.setdefault(type_id, {})
                for _ in range(reader.number()):
                    entry = reader.number()
                    pool[entry] = self.value(reader, type_id)
            if distance == 0:
                return
            at += distance - (1 << 64) if distance >> 63 else distance

    def value(self, reader: Reader, type_id: int) -> Any:
        """One value of a type; a struct as a dictionary."""
        name, fields = self.types[type_id]
        if name in _INTEGERS:
            return reader.number()
        if name in _BYTES:
            reader.at += 1
            return reader.data[reader.at - 1]
        if name in ("float", "double"):
            reader.at += 4 if name == "float" else 8
            return 0.0
        if name == "java.lang.String":
            return reader.string()
        return {each[0]: self.field(reader, each) for each in fields}

    def field(self, reader: Reader, field: tuple[str, int, bool, bool]) -> Any:
        """The content of one field."""
        _, type_id, pooled, array = field
        if array:
            return [reader.number() if pooled else self.value(reader, type_id) for _ in range(reader.number())]
        return reader.number() if pooled else self.value(reader, type_id)

    def samples(self) -> tuple[Counter[tuple[str, str, str, str]], int]:
        """Weights by event, thread, state and stack; and how many events they come from."""
        count = 0
        ids = {name: type_id for type_id, (name, _) in self.types.items()}
        pool = {name: self.pools.get(ids.get(name, -1), {}) for name in ids}
        found: Counter[tuple[str, str, str, str]] = Counter()
        names: dict[int, str] = {}
        at = _HEADER.size
        while at < self.size:
            reader = Reader(self.data, at)
            at += reader.number()
            name, fields = self.types.get(reader.number(), ("", []))
            if name not in _WEIGHTS:
                continue
            count += 1
            values = {field[0]: self.field(reader, field) for field in fields}
            trace = values["stackTrace"]
            if trace not in names:
                names[trace] = self._stack(pool, trace)
            thread = pool["java.lang.Thread"].get(values.get("sampledThread", values.get("eventThread", -1)), {})
            state = pool["jdk.types.ThreadState"].get(values.get("state", -1), {})
            key = name, str(self._text(pool, thread.get("osName"))), str(state.get("name", "")), names[trace]
            weight = _WEIGHTS[name]
            found[key] += values[weight] if weight else 1
        return found, count

    def _stack(self, pool: dict[str, dict[int, Any]], trace: int) -> str:
        frames = pool["jdk.types.StackTrace"].get(trace, {"frames": []})["frames"]
        return "\n".join(self._frame(pool, frame["method"]) for frame in reversed(frames))

    def _frame(self, pool: dict[str, dict[int, Any]], method_id: int) -> str:
        method = pool["jdk.types.Method"].get(method_id, {})
        owner = pool["java.lang.Class"].get(method.get("type"), {})
        symbols = pool["jdk.types.Symbol"]
        parts = (symbols.get(each.get("name"), {}).get("string", "") for each in (owner, method))
        return ".".join(str(self._text(pool, part)) for part in parts)

    def _text(self, pool: dict[str, dict[int, Any]], value: object) -> object:
        return pool.get("java.lang.String", {}).get(value, "") if isinstance(value, int) else value


def read(path: Path) -> tuple[Counter[tuple[str, str, str, str]], int]:
    """Weights by event, thread, state and stack of all chunks of a file; and how many events they come from."""
    events = 0
    data = path.read_bytes()
    found: Counter[tuple[str, str, str, str]] = Counter()
    at = 0
    while at < len(data):
        chunk = Chunk(data[at : at + struct.unpack_from(">Q", data, at + 8)[0]])
        of_chunk, count = chunk.samples()
        found.update(of_chunk)
        events += count
        at += chunk.size
    return found, events
