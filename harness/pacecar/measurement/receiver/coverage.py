"""How far a file of JFR chunks reaches in time, from the headers of its chunks alone."""

from __future__ import annotations

import struct
from pathlib import Path

#: Magic, version, size, constant pools, metadata, start, duration (ns); start ticks, frequency and flags follow.
_HEADER = struct.Struct(">4s4x5Q")
_HEADER_BYTES = 68
#: Chunks that are looked at. An upload holds one; where there are more, most are too small to be real.
_CHUNKS = 1000


def covered_until_ns(path: Path) -> int:
    """End of the last chunk whose header can be read, in ns since the epoch; 0 when there is none."""
    end_ns = at = 0
    with path.open("rb") as file:
        for _ in range(_CHUNKS):
            file.seek(at)
            head = file.read(_HEADER_BYTES)
            if len(head) < _HEADER_BYTES:
                return end_ns
            magic, size, _, _, start_ns, duration_ns = _HEADER.unpack_from(head)
            if magic != b"FLR\0" or not _HEADER_BYTES <= size <= path.stat().st_size - at:
                return end_ns
            end_ns = max(end_ns, start_ns + duration_ns)
            at += size
    return end_ns
