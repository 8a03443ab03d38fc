"""Files on their way into a pod: named, checked by digest, whole or not there."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

#: The header with the SHA-256 of a file that is sent.
DIGEST = "X-Content-SHA256"
#: Of one file, and of all.
MOST_BYTES, MOST_IN_ALL = 2 << 30, 8 << 30
_PART = re.compile(r"[A-Za-z0-9_$+@~ -][A-Za-z0-9._$+@~ -]{0,199}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DEEPEST = 12


class Refused(Exception):
    """A file that is not taken; the text says why."""


class Incoming:
    """The folder that files arrive in.

    Args:
        folder: it; made when missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes = 0

    async def take(self, name: str, digest: str, pieces: AsyncIterator[bytes]) -> None:
        """Write a file.

        Args:
            name: path below the folder, with `/`.
            digest: SHA-256 of its content, in hex.
            pieces: the content.

        Raises:
            Refused: when the name leads elsewhere, the file is too large or there already, or its digest is another.
        """
        parts = name.split("/")
        if len(parts) > _DEEPEST or not all(_PART.fullmatch(part) for part in parts) or not _SHA256.fullmatch(digest):
            raise Refused("a name or a digest that cannot be")
        path = self._folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        if path.exists():
            raise Refused("a file of that name is there already")
        found = hashlib.sha256()
        try:
            with part.open("xb") as file:
                async for piece in pieces:
                    self._bytes += len(piece)
                    if file.tell() + len(piece) > MOST_BYTES or self._bytes > MOST_IN_ALL:
                        raise Refused("more than there may be")
                    found.update(piece)
                    file.write(piece)
            if found.hexdigest() != digest:
                raise Refused("another content than its digest says")
            part.chmod(0o444)
            os.rename(part, path)  # noqa: PTH104
        finally:
            part.unlink(missing_ok=True)
