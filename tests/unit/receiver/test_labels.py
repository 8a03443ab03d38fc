from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.receiver.labels import BadLabels, Labels, parse_labels

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
    assert parse_labels(snapshot) == Labels(contexts=named, strings=strings)


def test_unknown_fields_are_stepped_over() -> None:
    known = message((2, message((1, 5), (2, b"x"), (9, 3), (10, b"later"))))
    fixed = varint(7 << 3 | 1) + bytes(8) + varint(8 << 3 | 5) + bytes(4)
    assert parse_labels(fixed + known + fixed) == Labels(contexts={}, strings={5: "x"})


def test_label_without_its_strings_is_left_out() -> None:
    context = message((1, 7), (2, message((1, message((1, 1), (2, 2))))))
    assert parse_labels(message((1, context))) == Labels(contexts={7: {}}, strings={})


@pytest.mark.parametrize("snapshot", [b"\x0b", b"\x0a\x05ab", b"\x80" * 11, b"\x09\0", b"\x08"])
def test_nonsense(snapshot: bytes) -> None:
    with pytest.raises(BadLabels):
        parse_labels(snapshot)


@given(st.binary(max_size=200))
def test_any_bytes_are_labels_or_nonsense(snapshot: bytes) -> None:
    with contextlib.suppress(BadLabels):
        assert isinstance(parse_labels(snapshot), Labels)
