"""The protobuf LabelsSnapshot beside a chunk: what the label and string ids in its events mean.

    message LabelsSnapshot { map<int64, Context> contexts = 1; map<int64, string> strings = 2; }
    message Context        { map<int64, int64> labels = 1; }

A map is a repeated message with fields key = 1 and value = 2. These few lines instead of a protobuf runtime;
the wire format is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
#: Longest text that is kept of a label's name or value, of which a report shows 200 characters.
_TEXT_BYTES = 1024
#: Fields of one snapshot, at every level together: half a second's work. A snapshot tells of what one upload's samples
#: refer to; each context takes six fields or so, and a busy service makes some thousand contexts in that time.
_FIELDS = 200_000
#: Labels of all contexts and strings together that are kept, and their text: memory, and the file they are written to.
_KEPT = 50_000
_KEPT_CHARACTERS = 4 << 20


class BadLabels(ValueError):
    """The bytes are no LabelsSnapshot."""


class TooManyLabels(ValueError):
    """The snapshot is beyond what is read of one; the message says by which measure."""


@dataclass(frozen=True, kw_only=True)
class LabelsSnapshot:
    """What a snapshot says.

    Attributes:
        contexts: context id -> label -> value.
        strings: string id -> text; events may refer to these directly (`spanName`).
    """

    contexts: dict[int, dict[str, str]]
    strings: dict[int, str]


def parse_labels(snapshot: bytes) -> LabelsSnapshot:
    """Decode a LabelsSnapshot. Label ids without a string are left out. Raises BadLabels, TooManyLabels."""
    contexts: dict[int, list[tuple[int, int]]] = {}
    strings: dict[int, str] = {}
    budget = itertools.count(1)
    for field, entry in _fields(snapshot, budget):
        if field == 1 and isinstance(entry, bytes):
            key, context = _entry(entry, budget)
            contexts[key] = list(_label_ids(context, budget))
        elif field == 2 and isinstance(entry, bytes):
            key, text = _entry(entry, budget)
            strings[key] = text[:_TEXT_BYTES].decode("utf-8", "replace") if isinstance(text, bytes) else ""
    named = {
        context: {strings[name]: strings[value] for name, value in ids if name in strings and value in strings}
        for context, ids in contexts.items()
    }
    labels = LabelsSnapshot(contexts=named, strings=strings)
    _check(labels)
    return labels


def _check(labels: LabelsSnapshot) -> None:
    pairs = [pair for context in labels.contexts.values() for pair in context.items()]
    if len(labels.contexts) + len(pairs) + len(labels.strings) > _KEPT:
        raise TooManyLabels(f"more than {_KEPT} labels")
    # A context refers to strings, so a few long ones can be meant any number of times.
    texts = sum(map(len, labels.strings.values())) + sum(len(name) + len(value) for name, value in pairs)
    if texts > _KEPT_CHARACTERS:
        raise TooManyLabels(f"labels of more than {_KEPT_CHARACTERS} characters together")


def _label_ids(context: int | bytes, budget: Iterator[int]) -> Iterator[tuple[int, int]]:
    if not isinstance(context, bytes):
        return
    for field, entry in _fields(context, budget):
        if field == 1 and isinstance(entry, bytes):
            name, value = _entry(entry, budget)
            if isinstance(value, int):
                yield name, value


def _entry(entry: bytes, budget: Iterator[int]) -> tuple[int, int | bytes]:
    key: int = 0
    value: int | bytes = 0
    for field, content in _fields(entry, budget):
        if field == 1 and isinstance(content, int):
            key = content
        elif field == 2:
            value = content
    return key, value


def _fields(message: bytes, budget: Iterator[int]) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(message):
        if next(budget) > _FIELDS:
            raise TooManyLabels(f"more than {_FIELDS} fields")
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
        # A number's ten bytes hold a negative one, too.
        if not 0 <= size <= len(message) - at:
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
