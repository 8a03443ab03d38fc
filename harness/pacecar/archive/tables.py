"""Tables of one fork as Parquet, in exactly the columns and types of `tables.TABLES`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pacecar.archive import RunError, parquet
from pacecar.archive.thrift import Damaged
from pacecar.model.tables import LATER, LATER_TABLES, TABLES, empty_table, unrecorded
from pacecar.system.disk import durable
from pacecar.system.foreign import files

_MAX_BYTES = 1 << 30
_MAX_THRIFT = 1 << 20
_OFFSET_BYTES = 8

_ARROW_TYPES = {
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
}


def write_tables(folder: Path, tables: dict[str, pd.DataFrame]) -> None:
    """Write one file per name in `TABLES`; a table that was not measured gets its columns and no rows.

    Columns beside those of `TABLES` are left out, and a missing text becomes an empty one.

    Raises:
        RunError: when a table lacks a column, holds a value its type cannot, or has an unknown name.
        OSError: that names the file, when it cannot be written.
    """
    if unknown := tables.keys() - TABLES.keys():
        raise RunError(f"There is no table {min(unknown)!r}; tables are {', '.join(TABLES)}.")
    for name in TABLES:
        table = _to_arrow(name, tables.get(name, empty_table(name)))
        path = _path(folder, name)
        with durable.named(path), path.open("wb") as file:
            pq.write_table(table, file, compression="zstd")


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables in `folder`, by name, with the dtypes of `TABLES`.

    Raises:
        RunError: when a file is missing, is not Parquet, or its columns are not those of `TABLES`.
    """
    tables = {name: read_table(name, _path(folder, name)) for name in TABLES}
    # What Arrow unpacked on the way is kept by its pool otherwise: 20 MB for each fork of a service with deep stacks.
    pa.default_memory_pool().release_unused()
    return tables


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


def _schema(name: str) -> pa.Schema:
    return pa.schema([pa.field(column, _ARROW_TYPES[dtype]) for column, dtype in TABLES[name].items()])


def _to_arrow(name: str, frame: pd.DataFrame) -> pa.Table:
    columns = TABLES[name]
    if missing := [column for column in columns if column not in frame]:
        raise RunError(f"The table {name} has no column {missing[0]!r}.")
    texts = {column: frame[column].astype("str").fillna("") for column, dtype in columns.items() if dtype == "str"}
    try:
        # Arrow's casts are checked; those of pandas let a number too large for its column wrap around.
        table = pa.Table.from_pandas(frame.assign(**texts), schema=_schema(name), preserve_index=False, safe=True)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise RunError(f"The table {name} holds a value of another type: {_first_line(error)}") from error
    _check_gaps(table, name, f"The table {name}")
    return table


def read_table(name: str, path: Path) -> pd.DataFrame:
    """The table `name` in the file `path`; raises like `read_tables`."""
    if name in LATER_TABLES and not path.exists():
        return empty_table(name)
    try:
        with files.opened(path, most=_MAX_BYTES, inside=path.parent) as file:
            size = os.fstat(file.fileno()).st_size
            most = parquet.most_decoded(size)
            parquet.extent(file, size)
            table = _with_later_columns(_columns(file, name, path, most=most), name)
    except (OSError, ValueError, LookupError, pa.ArrowException) as error:  # names that are no text, and `Damaged`
        raise RunError(f"{path} cannot be read as Parquet: {_why(error)}") from error
    if not table.num_rows:
        return empty_table(name)
    _check_gaps(table, name, str(path))
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    return frame if dict(frame.dtypes.astype("str")) == TABLES[name] else frame.astype(TABLES[name])


def _columns(file: BinaryIO, name: str, path: Path, *, most: int) -> pa.Table:
    """The columns of the table `name` that are in `file`, at most `most` bytes of them once texts stand in full."""
    wanted = TABLES[name]
    # A text stays a reference to one of its dictionary until it is known how much all of them take.
    texts = [column for column, dtype in wanted.items() if dtype == "str"]
    about = pq.read_metadata(file)
    found = about.schema.to_arrow_schema()
    _check_columns(found, name, path)
    if not about.num_rows:
        return _schema(name).empty_table()  # half of the tables of most forks
    with pq.ParquetFile(file, metadata=about, read_dictionary=texts, thrift_string_size_limit=_MAX_THRIFT) as parsed:
        table = parsed.read(columns=[column for column in wanted if column in found.names], use_threads=False)
    decoded = sum(_decoded_bytes(column) for column in table.columns)
    if decoded > most:
        raise Damaged(f"its columns take {decoded >> 20} MiB")
    for number, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(pa.large_string()))
    return table


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    total = 0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False).astype(np.int64)
        counts = np.bincount(chunk.indices.drop_null().to_numpy(), minlength=len(lengths))
        total += int(np.dot(counts, lengths)) + _OFFSET_BYTES * len(chunk)
    return total


def _with_later_columns(table: pa.Table, name: str) -> pa.Table:
    """`table` with the columns that the Pacecar which wrote it did not know yet, see `LATER`."""
    for column in LATER.get(name, ()):
        if column not in table.column_names:
            kind = _ARROW_TYPES[TABLES[name][column]]
            table = table.append_column(column, pa.repeat(pa.scalar(unrecorded(name, column), kind), table.num_rows))
    return table.select(list(TABLES[name]))


def _check_gaps(table: pa.Table, name: str, what: str) -> None:
    # Only a float may be missing: it is then NaN.
    for column, dtype in TABLES[name].items():
        if dtype != "float64" and table[column].null_count:
            raise RunError(f"{what} has gaps in its column {column!r}.")


def _check_columns(found: pa.Schema, name: str, path: Path) -> None:
    for field in _schema(name):
        if field.name not in found.names:
            if field.name in LATER.get(name, ()):
                continue
            raise RunError(f"{path} has no column {field.name!r}.")
        stored = found.field(field.name).type
        if pa.types.is_dictionary(stored):
            stored = stored.value_type
        if stored != field.type and not (pa.types.is_large_string(stored) and pa.types.is_string(field.type)):
            raise RunError(f"{path}: column {field.name!r} is {stored}, not {field.type}.")


def _why(error: Exception) -> str:
    return error.strerror or _first_line(error) if isinstance(error, OSError) else _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
