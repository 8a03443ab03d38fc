"""Tables of one fork as Parquet, in exactly the columns and types of `recording.TABLES`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pacecar.archive import RunError
from pacecar.recording import TABLES, empty_table

#: Beyond any real run; keeps a hostile file from filling the memory.
_MAX_ROWS = 50_000_000
_MAX_BYTES = 4 * 1024**3

#: Tables, and columns by table, that runs of earlier Pacecars lack: nothing of them was measured.
_LATER_TABLES = frozenset({"warmup", "queries", "containers"})
_LATER = {"arrivals": ("took_ms",), "counters": ("jit_cpu_ns",)}

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
        OSError: when it cannot be written.
    """
    if unknown := tables.keys() - TABLES.keys():
        raise RunError(f"There is no table {min(unknown)!r}; tables are {', '.join(TABLES)}.")
    for name in TABLES:
        table = _to_arrow(name, tables.get(name, empty_table(name)))
        with _path(folder, name).open("wb") as file:
            pq.write_table(table, file, compression="zstd")


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables in `folder`, by name, with the dtypes of `TABLES`.

    Raises:
        RunError: when a file is missing, is not Parquet, or its columns are not those of `TABLES`.
    """
    return {name: _read(name, _path(folder, name)) for name in TABLES}


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


def _read(name: str, path: Path) -> pd.DataFrame:
    if name in _LATER_TABLES and not path.exists():
        return empty_table(name)
    try:
        with pq.ParquetFile(path) as file:
            _check_size(file.metadata, path)
            _check_columns(file.schema_arrow, name, path)
            table = _with_later_columns(
                file.read(columns=[c for c in TABLES[name] if c in file.schema_arrow.names]), name
            )
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"{path} cannot be read as Parquet: {_first_line(error)}") from error
    _check_gaps(table, name, str(path))
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True).astype(TABLES[name])
    return frame


def _with_later_columns(table: pa.Table, name: str) -> pa.Table:
    """`table` with the columns that the Pacecar which wrote it did not know yet: nothing of them was measured."""
    for column in _LATER.get(name, ()):
        if column not in table.column_names:
            table = table.append_column(column, pa.nulls(table.num_rows, pa.float64()))
    return table.select(list(TABLES[name]))


def _check_gaps(table: pa.Table, name: str, what: str) -> None:
    # Only a float may be missing: it is then NaN.
    for column, dtype in TABLES[name].items():
        if dtype != "float64" and table[column].null_count:
            raise RunError(f"{what} has gaps in its column {column!r}.")


def _check_size(metadata: pq.FileMetaData, path: Path) -> None:
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if metadata.num_rows > _MAX_ROWS or size > _MAX_BYTES:
        raise RunError(f"{path} holds {metadata.num_rows} rows in {size} bytes, more than any run of ours.")


def _check_columns(found: pa.Schema, name: str, path: Path) -> None:
    for field in _schema(name):
        if field.name not in found.names:
            if field.name in _LATER.get(name, ()):
                continue
            raise RunError(f"{path} has no column {field.name!r}.")
        stored = found.field(field.name).type
        if stored != field.type and not (pa.types.is_large_string(stored) and pa.types.is_string(field.type)):
            raise RunError(f"{path}: column {field.name!r} is {stored}, not {field.type}.")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
