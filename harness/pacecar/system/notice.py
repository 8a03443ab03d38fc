"""A file by which we tell other programs what is up just now, taken back however we end.

The file is the user's, at a place of the user's: it is never removed, and only emptied while it is still word for
word what we wrote.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pacecar.system.foreign import files

#: What a notice says when nothing is up.
NOTHING = b"[]\n"
_MOST_BYTES = 1 << 20


def digest_of(content: bytes) -> str:
    """What tells our notice from anybody else's: SHA-256, in hex."""
    return hashlib.sha256(content).hexdigest()


def put(path: Path, content: bytes) -> None:
    """Replace what stands at `path` in one step. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def take_back(path: Path, digest: str) -> bool:
    """Empty the notice at `path` if it is the one with this digest; whether it was."""
    try:
        if digest_of(files.content(path, most=_MOST_BYTES)) != digest:
            return False
        put(path, NOTHING)
    except OSError:
        return False
    return True
