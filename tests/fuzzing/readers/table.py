"""A table of a run: Parquet."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing import scratch
from pacecar.archive import RunError
from pacecar.archive.tables import read_table


def parse(data: bytes) -> None:
    with contextlib.suppress(RunError):
        read_table("pauses", scratch.file(data, "pauses.parquet"))


def seeds() -> Iterator[bytes]:
    for rows in (0, 1, 30):
        table = pa.table(
            {
                "process": pa.array(["target"] * rows, pa.string()),
                "start_ns": pa.array(range(rows), pa.int64()),
                "duration_ms": pa.array([0.5] * rows, pa.float64()),
                "kind": pa.array([f"Pause {number}" for number in range(rows)], pa.string()),
            }
        )
        held = io.BytesIO()
        pq.write_table(table, held, compression="zstd", store_schema=rows != 1)
        yield held.getvalue()
