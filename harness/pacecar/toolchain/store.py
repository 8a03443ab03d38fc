"""The cache of what was made by Maven: a folder per product, named by the digest of what it was made from."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pacecar import places

_KEPT = 8


def digest(paths: Iterable[Path], *also: str) -> str:
    """sha256 over the names and bytes of the files at and below `paths`, and over the texts `also`."""
    sha = hashlib.sha256()
    for text in also:
        _feed(sha, text.encode())
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                _feed(sha, str(file.relative_to(path.parent)).encode())
                _feed(sha, file.read_bytes())
    return sha.hexdigest()


def product(name: str, *, key: str, make: Callable[[Path], None]) -> Path:
    """The folder of the product `name` of version `key`; `make` fills an empty folder when it is not there yet.

    Only a whole product ever bears its name, and one process at a time makes it. The eight versions used last
    are kept.
    """
    room = places.cache() / "toolchain"
    room.mkdir(exist_ok=True)
    folder = room / f"{name}-{key[:20]}"
    with _alone(room / f"{name}.lock"):
        if not folder.is_dir():
            partial = room / f"{name}.partial"
            shutil.rmtree(partial, ignore_errors=True)  # of a process that was killed while making it
            partial.mkdir()
            make(partial)
            partial.rename(folder)
        os.utime(folder)
        _prune(room, name)
    return folder


def link(source: Path, target: Path) -> None:
    """Make `target` a second name of `source`, or a copy where that cannot be."""
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copy2(source, target)


def _feed(sha: hashlib._Hash, data: bytes) -> None:
    sha.update(len(data).to_bytes(8, "big"))
    sha.update(data)


def _prune(room: Path, name: str) -> None:
    version = re.compile(re.escape(name) + "-[0-9a-f]{20}")
    versions = [path for path in room.iterdir() if version.fullmatch(path.name)]
    for old in sorted(versions, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
