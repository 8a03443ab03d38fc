"""Parquet that claims, or unpacks to, more than a table of ours."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.archive import RunError
from pacecar.archive.tables import read_table, read_tables
from pacecar.archive.thrift import Damaged, read_struct
from support.confined import confined

NAME = "pauses"
_NULLS = pa.array([None], pa.string())


def pauses(rows: int, **columns: pa.Array) -> pa.Table:
    held = {
        "process": pa.array(["target"] * rows, pa.string()),
        "start_ns": pa.array(range(rows), pa.int64()),
        "duration_ms": pa.array([0.5] * rows, pa.float64()),
        "kind": pa.array(["Pause"] * rows, pa.string()),
        "injector": pa.array([0] * rows, pa.int16()),
    }
    return pa.table({**held, **columns})


def stored(table: pa.Table, path: Path, **options: object) -> Path:
    pq.write_table(table, path, compression="zstd", **options)
    return path


def nested(depth: int) -> pa.Array:
    kind: pa.DataType = pa.int32()
    for _ in range(depth):
        kind = pa.struct([("a", kind)])
    return pa.nulls(1, kind)


@pytest.mark.parametrize("rows", [0, 1, 1000])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "none"])
def test_what_other_writers_of_plain_tables_leave_is_read(
    tmp_path: Path, rows: int, version: str, compression: str
) -> None:
    path = tmp_path / "pauses.parquet"
    pq.write_table(pauses(rows), path, data_page_version=version, compression=compression)
    frame = read_table(NAME, path)
    assert len(frame) == rows
    pd.testing.assert_frame_equal(frame, pauses(rows).to_pandas(), check_dtype=False)


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("column", "options"),
    [
        ({"extra": nested(3)}, {}),
        ({"extra": nested(60)}, {}),
        ({"extra": pa.array([[1]], pa.list_(pa.int64()))}, {}),
        ({"extra": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}, {}),
        ({"kind": pa.array([["a"]], pa.list_(pa.string()))}, {}),
        ({f"extra-{number}": pa.array([1]) for number in range(200)}, {}),
        ({}, {"use_dictionary": False, "column_encoding": {"kind": "DELTA_BYTE_ARRAY"}}),
        ({}, {"use_dictionary": False, "column_encoding": {"kind": "DELTA_LENGTH_BYTE_ARRAY"}}),
        ({}, {"use_dictionary": False, "column_encoding": {"start_ns": "DELTA_BINARY_PACKED"}}),
        ({}, {"use_dictionary": False, "column_encoding": {"duration_ms": "BYTE_STREAM_SPLIT"}}),
        ({"kind": pa.array([b"a"], pa.binary())}, {}),
        ({"kind": pa.array([1], pa.int64())}, {}),
        ({"start_ns": pa.array([1.5], pa.float64())}, {}),
        ({"start_ns": pa.array([None], pa.int64())}, {}),
        ({"kind": _NULLS}, {}),
        ({"duration_ms": pa.array([1], pa.decimal128(38, 0))}, {}),
    ],
    ids=lambda value: " ".join(f"{key} {getattr(each, 'type', each)}" for key, each in value.items())[:60] or "-",
)
def test_layouts_that_are_none_of_ours(tmp_path: Path, column: dict[str, pa.Array], options: dict[str, object]) -> None:
    path = stored(pauses(1, **column), tmp_path / "pauses.parquet", **options)
    with pytest.raises(RunError) as caught:
        read_table(NAME, path)
    assert len(caught.value.message) < 400


@pytest.mark.hostile
def test_a_table_without_a_column_of_text(tmp_path: Path) -> None:
    path = stored(pauses(1).drop_columns(["kind"]), tmp_path / "pauses.parquet")
    with pytest.raises(RunError, match="has no column 'kind'"):
        read_table(NAME, path)


_READ = """
from pacecar.archive import RunError
try:
    read_table("pauses", Path(sys.argv[2]))
except RunError as error:
    print(error.message)
"""
_IMPORTS = """
from pathlib import Path
import pandas, pyarrow.parquet, pyarrow.compute
from pacecar.archive.tables import read_table
"""


def _long_texts(path: Path) -> None:
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * (1 << 20)]))
    pq.write_table(pauses(3000, kind=text), path, compression="zstd", store_schema=False)


def _plain_texts(path: Path) -> None:
    kinds = pa.array(["x" * (1 << 20)] * 700, pa.string())
    pq.write_table(pauses(700, kind=kinds), path, compression="zstd", use_dictionary=False, data_page_size=1 << 30)


def _equal_numbers(path: Path) -> None:
    rows = 20_000_000
    zeros = {
        "process": pa.repeat(pa.scalar(""), rows),
        "start_ns": pa.repeat(pa.scalar(0, pa.int64()), rows),
        "duration_ms": pa.repeat(pa.scalar(0.0), rows),
        "kind": pa.repeat(pa.scalar(""), rows),
        "injector": pa.repeat(pa.scalar(0, pa.int16()), rows),
    }
    pq.write_table(pa.table(zeros), path, compression="zstd", row_group_size=rows)


def _plain_numbers(path: Path) -> None:
    rows = 20_000_000
    columns = pauses(0).schema
    with pq.ParquetWriter(path, columns, compression="zstd", use_dictionary=False) as writer:
        for _ in range(20):
            part = {
                "process": pa.repeat(pa.scalar(""), rows // 20),
                "start_ns": pa.repeat(pa.scalar(0, pa.int64()), rows // 20),
                "duration_ms": pa.repeat(pa.scalar(0.0), rows // 20),
                "kind": pa.repeat(pa.scalar(""), rows // 20),
                "injector": pa.repeat(pa.scalar(0, pa.int16()), rows // 20),
            }
            writer.write_table(pa.table(part))


def _lying_footer(path: Path) -> None:
    path.write_bytes(b"PAR1" + b"\0" * 100 + (1 << 31).to_bytes(4, "little") + b"PAR1")


def _long_list_in_the_footer(path: Path) -> None:
    footer = b"\x15\x02\x19\xfc\xff\xff\xff\xff\x07" + b"\0" * 400_000
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _deep_footer(path: Path) -> None:
    footer = b"\x1c" * 400_000
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _lists_in_lists_in_the_footer(path: Path) -> None:
    footer = b"\x19" + b"\x19" * 400_000
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "make",
    [
        _long_texts,
        _plain_texts,
        _equal_numbers,
        _plain_numbers,
        _lying_footer,
        _long_list_in_the_footer,
        _deep_footer,
        _lists_in_lists_in_the_footer,
    ],
    ids=lambda make: make.__name__,
)
def test_a_small_file_that_is_large_inside_takes_no_memory(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "pauses.parquet"
    make(path)
    assert path.stat().st_size < 3_000_000
    assert "cannot be read as Parquet" in confined(_READ, path, imports=_IMPORTS, megabytes=700)


@pytest.mark.hostile
def test_a_page_that_claims_less_than_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "pauses.parquet"
    _plain_numbers(path)
    honest = path.read_bytes()
    # Every place where the size of a whole page stands, in its header, as a varint of its zigzag code.
    found = pq.ParquetFile(path).metadata.row_group(0).column(1)
    small = bytearray(honest)
    at = found.data_page_offset
    header, end = read_struct(honest, at, most=200)
    assert header[2] > 1 << 16
    size, code = 2 * header[2], b""
    while size > 127:
        code, size = code + bytes([size & 127 | 128]), size >> 7
    code += bytes([size])
    place = honest.index(b"\x15" + code, at, end)
    small[place + 1 : place + 1 + len(code)] = b"\x82" + b"\x80" * (len(code) - 2) + b"\0"
    path.write_bytes(small)
    with pytest.raises(RunError):
        read_table(NAME, path)


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_a_table_that_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "run" / "requests.parquet"
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(stored(pauses(1), tmp_path / "elsewhere.parquet"))
    with pytest.raises(RunError, match="cannot be read as Parquet"):
        read_tables(tmp_path / "run")


def _honest() -> bytes:
    held = io.BytesIO()
    pq.write_table(pauses(20), held, compression="zstd")
    return held.getvalue()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 30))
def test_changed_bytes_are_a_sentence_or_a_table(tmp_path: Path, changes: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(_honest())
    for at, value in changes:
        content[at % len(content)] = value
    path = tmp_path / "pauses.parquet"
    path.write_bytes(content[: len(content) - cut])
    try:
        frame = read_table(NAME, path)
    except RunError:
        return
    assert list(frame.columns) == list(pauses(0).column_names)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_structure_or_damaged(data: bytes) -> None:
    try:
        _, end = read_struct(data, 0, most=50)
    except Damaged:
        return
    assert 0 < end <= len(data)
