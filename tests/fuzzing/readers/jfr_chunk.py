"""One JFR chunk with a corrected header, so that the fuzzer gets past the size and can change anything after it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fuzzing import scratch
from fuzzing.limits import Limits
from fuzzing.readers import jfr_file
from pacecar.measurement.jfr import FlightRecording
from support.jfr_files import Form

LIMITS = Limits(input_bytes=8192, memory_mb=1024)

_HEADER = 68
#: Magic and versions; the places of pools and metadata follow the size.
_START = struct.Struct(">4s2HQ")


def parse(data: bytes) -> None:
    if len(data) >= _HEADER:
        path = scratch.file(_START.pack(b"FLR\0", 2, 0, len(data)) + data[_START.size :], "0001.jfr")
        recording = FlightRecording(paths=[path], intervals=jfr_file.INTERVALS)
        for table in recording.samples():
            assert table["stack"].max() < len(recording.stacks) or table.empty


def seeds() -> Iterator[bytes]:
    yield jfr_file.small()
    yield jfr_file.small(Form(string_encoding=2, pool_events=3))
    yield jfr_file.small(Form(string_encoding=4, wide_sizes=True, first_id=300))
