"""One fork's uploads on disk exactly as they came.

An upload is two files: `00001.json` (`About`) and `00001.upload` (the body). The body gets that name last, by a
rename, so whoever sees it sees it whole. The server's thread writes and another reads; the folder is all they share.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

#: Of one upload of spans: some hundred at a time, of a kilobyte at most.
SPANS_BYTES = 4 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one fork may send.

    Attributes:
        upload_bytes: size of one upload.
        fork_bytes: all uploads together, unfinished ones included.
        fork_uploads: number of uploads, refused ones included.
        run_bytes: all uploads of all forks together.
        upload_s: time one upload may take.
    """

    # The agent sends 10 to 450 kB every ten seconds; the largest chunk that is read later has 128 MB unpacked.
    upload_bytes: int = 64 << 20
    fork_bytes: int = 512 << 20
    # More than a day of them.
    fork_uploads: int = 10_000
    run_bytes: int = 8 << 30
    upload_s: float = 60.0


class SpoolFull(Exception):
    """The upload is beyond a limit; the message says which."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What was said about an upload, besides its body.

    Attributes:
        received_ns: when its first byte came, since the epoch.
        content_type: its header.
        query: what the agent put into the address, such as name, from and until.
        jvm: id of the JVM that it is of, as that sees it; None where that is not known.
    """

    received_ns: int
    content_type: str
    query: dict[str, str]
    jvm: int | None = None


@dataclass(kw_only=True)
class Sum:
    """Bytes that the spools of one run have taken together."""

    bytes: int = 0


class Spool:
    """Writes uploads into `folder`. Its methods are for the server's thread alone."""

    def __init__(self, folder: Path, limits: Limits, run: Sum | None = None) -> None:
        folder.mkdir(parents=True)
        self._run = run or Sum()
        self._folder = folder
        self._limits = limits
        self._numbers = itertools.count(1)
        self._bytes = 0

    @contextmanager
    def upload(self, about: About) -> Iterator[Upload]:
        """An upload to be written; without `Upload.keep` nothing of it remains.

        Raises:
            SpoolFull: when there have been too many.
        """
        number = next(self._numbers)
        if number > self._limits.fork_uploads:
            raise SpoolFull(f"more than {self._limits.fork_uploads} uploads")
        stem = self._folder / f"{number:05d}"
        part = stem.with_suffix(".part")
        upload = Upload(limit=self._limits.upload_bytes, take=self._take)
        try:
            with part.open("wb") as upload.file:
                yield upload
            if upload.kept:
                stem.with_suffix(".json").write_text(json.dumps(asdict(about)))
                part.rename(stem.with_suffix(".upload"))
        finally:
            if part.exists():
                part.unlink()
                self._bytes -= upload.size
                self._run.bytes -= upload.size

    def _take(self, size: int) -> None:
        if self._bytes + size > self._limits.fork_bytes:
            raise SpoolFull(f"uploads of more than {self._limits.fork_bytes} bytes together")
        if self._run.bytes + size > self._limits.run_bytes:
            raise SpoolFull(f"uploads of more than {self._limits.run_bytes} bytes from all forks together")
        self._bytes += size
        self._run.bytes += size


class Upload:
    """The body of one upload in the making."""

    file: BinaryIO

    def __init__(self, *, limit: int, take: Callable[[int], None]) -> None:
        self._limit = limit
        self._take = take
        self.size = 0
        self.kept = False

    def write(self, piece: bytes) -> None:
        """Add to the body. Raises SpoolFull."""
        if self.size + len(piece) > self._limit:
            raise SpoolFull(f"an upload of more than {self._limit} bytes")
        self._take(len(piece))
        self.size += len(piece)
        self.file.write(piece)

    def keep(self) -> None:
        """Say that the body is whole."""
        self.kept = True
