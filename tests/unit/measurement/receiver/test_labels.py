from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.receiver.labels import BadLabels, LabelsSnapshot, TooManyLabels, parse_labels

INT64 = st.integers(-(2**63), 2**63 - 1)


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(*fields: tuple[int, int | bytes]) -> bytes:
    return b"".join(
        varint(number << 3) + varint(value)
        if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )


@given(
    strings=st.dictionaries(INT64, st.text(max_size=20), min_size=1, max_size=5),
    contexts=st.dictionaries(INT64, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=3), max_size=4),
)
def test_what_was_written_is_read(strings: dict[int, str], contexts: dict[int, list[tuple[int, int]]]) -> None:
    ids = list(strings)
    by_id = {key: [(ids[a % len(ids)], ids[b % len(ids)]) for a, b in pairs] for key, pairs in contexts.items()}
    snapshot = b"".join(
        message((1, message((1, key), (2, b"".join(message((1, message((1, a), (2, b)))) for a, b in pairs)))))
        for key, pairs in by_id.items()
    ) + b"".join(message((2, message((1, key), (2, text.encode())))) for key, text in strings.items())
    named = {key: {strings[a]: strings[b] for a, b in pairs} for key, pairs in by_id.items()}
    assert parse_labels(snapshot) == LabelsSnapshot(contexts=named, strings=strings)


def test_unknown_fields_are_stepped_over() -> None:
    known = message((2, message((1, 5), (2, b"x"), (9, 3), (10, b"later"))))
    fixed = varint(7 << 3 | 1) + bytes(8) + varint(8 << 3 | 5) + bytes(4)
    assert parse_labels(fixed + known + fixed) == LabelsSnapshot(contexts={}, strings={5: "x"})


def test_label_without_its_strings_is_left_out() -> None:
    context = message((1, 7), (2, message((1, message((1, 1), (2, 2))))))
    assert parse_labels(message((1, context))) == LabelsSnapshot(contexts={7: {}}, strings={})


@pytest.mark.parametrize("snapshot", [b"\x0b", b"\x0a\x05ab", b"\x80" * 11, b"\x09\0", b"\x08"])
def test_nonsense(snapshot: bytes) -> None:
    with pytest.raises(BadLabels):
        parse_labels(snapshot)


@given(st.binary(max_size=200))
def test_any_bytes_are_labels_or_nonsense(snapshot: bytes) -> None:
    with contextlib.suppress(BadLabels):
        assert isinstance(parse_labels(snapshot), LabelsSnapshot)


@pytest.mark.hostile
@pytest.mark.parametrize("size", [-1, -2, -3, -11, -12, -(2**31), -(2**63)])
@pytest.mark.parametrize("before", [b"", b"\x12\x02\x08\x01", b"\x08\x01"])
def test_a_negative_size_is_nonsense(size: int, before: bytes) -> None:
    # The reader would go back, and read the same field again without end.
    with pytest.raises(BadLabels):
        parse_labels(before + b"\x0a" + varint(size))
    with pytest.raises(BadLabels):
        parse_labels(message((1, before + b"\x12" + varint(size))))


ENTRY = message((1, 7), (2, message((1, message((1, 1), (2, 2))))))
LONG = "x" * 1024

#: One snapshot for each measure by which it can be too much.
TOO_MUCH = {
    "empty contexts": b"\x0a\0" * 1_000_000,
    "unknown numbers": b"\x18\0" * 1_000_000,
    "unknown fixed": (b"\x19" + bytes(8)) * 300_000,
    "empty labels": message((1, message((1, 7), (2, b"\x0a\0" * 1_000_000)))),
    "fields of one entry": message((2, b"\x08\1" * 1_000_000)),
    "one context again and again": message((1, ENTRY)) * 60_000,
    "contexts": b"".join(message((1, message((1, at)))) for at in range(50_001)),
    "strings": b"".join(message((2, message((1, at), (2, b"a")))) for at in range(50_001)),
    "long strings": b"".join(message((2, message((1, at), (2, LONG.encode())))) for at in range(4097)),
    "long strings meant often": message((2, message((1, 1), (2, LONG.encode()))))
    + b"".join(message((1, message((1, at), (2, message((1, message((1, 1), (2, 1)))))))) for at in range(2049)),
}


@pytest.mark.hostile
@pytest.mark.parametrize("snapshot", TOO_MUCH.values(), ids=TOO_MUCH)
def test_more_labels_than_are_read(snapshot: bytes) -> None:
    with pytest.raises(TooManyLabels):
        parse_labels(snapshot)


def test_labels_of_a_busy_service_are_read() -> None:
    strings = b"".join(message((2, message((1, at), (2, f"GET /{at}".encode())))) for at in range(2000))
    contexts = b"".join(
        message((1, message((1, at), (2, message((1, message((1, 1), (2, at % 2000)))))))) for at in range(10_000)
    )
    assert len(parse_labels(contexts + strings).contexts) == 10_000
