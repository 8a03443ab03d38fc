from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.jfr.numbers import Cursor, DamagedChunk, column, distinct_pairs, starts
from support import jfr_files

NUMBERS = st.lists(
    st.integers(min_value=0, max_value=2**64 - 1) | st.sampled_from([0, 127, 128, 2**56 - 1, 2**56, 2**63]), min_size=1
)
PADDING = bytes(16)


@given(NUMBERS)
def test_one_by_one_and_as_a_column(values: list[int]) -> None:
    written = [jfr_files.number(value) for value in values]
    content = b"".join(written)
    data = bytearray(content + PADDING)

    cursor = Cursor(data, 0, len(content))
    assert [cursor.number() for _ in values] == values
    assert cursor.left == 0

    places = np.cumsum([0, *map(len, written)])
    array = np.frombuffer(data, dtype=np.uint8)
    read, after = column(array, places[:-1].astype(np.int64))
    assert [value % 2**64 for value in read.tolist()] == values
    assert after.tolist() == places[1:].tolist()
    assert starts(array, 0, len(content)).tolist() == places.tolist()


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
def test_signed(value: int) -> None:
    written = jfr_files.number(value)
    assert Cursor(bytearray(written + PADDING), 0, len(written)).signed() == value


def test_number_that_goes_beyond_its_end() -> None:
    with pytest.raises(DamagedChunk):
        Cursor(bytearray(b"\x80\x80\x01" + PADDING), 0, 2).number()


@pytest.mark.parametrize(("smallest", "fits"), [(1, True), (2, False)])
def test_count_must_fit(smallest: int, fits: bool) -> None:
    cursor = Cursor(bytearray(b"\x03abc" + PADDING), 0, 4)
    if fits:
        assert cursor.count(smallest=smallest) == 3
    else:
        with pytest.raises(DamagedChunk):
            cursor.count(smallest=smallest)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-(2**62), 2**62) | st.integers(0, 1))))
def test_distinct_pairs(rows: list[tuple[int, int]]) -> None:
    first, second = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    codes, pairs = distinct_pairs(first, second)
    assert [pairs[code] for code in codes] == rows
    assert len(set(pairs)) == len(pairs)
