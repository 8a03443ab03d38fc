"""The protobuf LabelsSnapshot beside a chunk: what the label and string ids in its events mean.

    message LabelsSnapshot { map<int64, Context> contexts = 1; map<int64, string> strings = 2; }
    message Context        { map<int64, int64> labels = 1; }

A map is a repeated message with fields key = 1 and value = 2. These few lines instead of a protobuf runtime;
the wire format is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
#: Longest text that is kept of a label's name or value.
_TEXT_BYTES = 1024


class BadLabels(ValueError):
    """The bytes are no LabelsSnapshot."""


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What a snapshot says.

    Attributes:
        contexts: context id -> label -> value.
        strings: string id -> text; events may refer to these directly (`spanName`).
    """

    contexts: dict[int, dict[str, str]]
    strings: dict[int, str]


def parse_labels(snapshot: bytes) -> Labels:
    """Decode a LabelsSnapshot. Label ids without a string are left out. Raises BadLabels."""
    contexts: dict[int, list[tuple[int, int]]] = {}
    strings: dict[int, str] = {}
    for field, entry in _fields(snapshot):
        if field == 1 and isinstance(entry, bytes):
            key, context = _entry(entry)
            contexts[key] = list(_label_ids(context))
        elif field == 2 and isinstance(entry, bytes):
            key, text = _entry(entry)
            strings[key] = text[:_TEXT_BYTES].decode("utf-8", "replace") if isinstance(text, bytes) else ""
    named = {
        context: {strings[name]: strings[value] for name, value in ids if name in strings and value in strings}
        for context, ids in contexts.items()
    }
    return Labels(contexts=named, strings=strings)


def _label_ids(context: int | bytes) -> Iterator[tuple[int, int]]:
    if not isinstance(context, bytes):
        return
    for field, entry in _fields(context):
        if field == 1 and isinstance(entry, bytes):
            name, value = _entry(entry)
            if isinstance(value, int):
                yield name, value


def _entry(entry: bytes) -> tuple[int, int | bytes]:
    key: int = 0
    value: int | bytes = 0
    for field, content in _fields(entry):
        if field == 1 and isinstance(content, int):
            key = content
        elif field == 2:
            value = content
    return key, value


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in _FIXED_SIZES:
            size = _FIXED_SIZES[kind]
        else:
            raise BadLabels(f"wire type {kind} at byte {at}")
        if size > len(message) - at:
            raise BadLabels(f"a field of {size} bytes at byte {at} of {len(message)}")
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise BadLabels("cut inside a number")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            value &= (1 << 64) - 1
            return value - (1 << 64 if value >> 63 else 0), at
    raise BadLabels(f"a number of more than ten bytes before byte {at}")
