"""A packed run as it comes from a store, including its compression."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pyarrow as pa

from fuzzing import scratch
from fuzzing.readers import packed_run
from pacecar.archive import RunError
from pacecar.archive.packing import unpack


def parse(data: bytes) -> None:
    folder = scratch.path("run")
    try:
        unpack(scratch.file(data, "packed"), folder)
    except RunError:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def seeds() -> Iterator[bytes]:
    for tape in packed_run.seeds():
        yield pa.Codec("zstd").compress(tape, asbytes=True)
