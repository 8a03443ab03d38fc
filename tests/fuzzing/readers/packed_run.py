"""A packed run without its compression: the tar stream inside."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Iterator

import pyarrow as pa

from fuzzing import scratch
from pacecar.archive import RunError
from pacecar.archive.packing import unpack


def parse(data: bytes) -> None:
    folder = scratch.path("run")
    with pa.output_stream(str(scratch.path("packed")), compression="zstd") as stream:
        stream.write(data)
    try:
        unpack(scratch.path("packed"), folder)
    except RunError:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert {path.name for path in scratch.path("").iterdir()} == {"packed"}


def seeds() -> Iterator[bytes]:
    for form in (tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        held = io.BytesIO()
        with tarfile.open(fileobj=held, mode="w", format=form) as archive:
            for name in ("manifest.json", "pairs/01/\u00fc.txt", "x/" * 8 + "long" * 20):
                entry = tarfile.TarInfo(name)
                entry.size = 5
                archive.addfile(entry, io.BytesIO(b"12345"))
        yield held.getvalue()[:8192]
