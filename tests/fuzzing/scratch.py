"""A folder for readers that need a file, in memory if possible, and removed when the process ends."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    fast = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="pacecar-fuzzing-", dir=fast)


def path(name: str) -> Path:
    """A file of that name in the folder."""
    return Path(_folder().name) / name


def file(data: bytes, name: str = "input") -> Path:
    """A file with these bytes, in place of the last one of that name."""
    written = path(name)
    written.write_bytes(data)
    return written
