"""The cache of what was made by Maven: a folder per product, named by the digest of what it was made from.

Each product carries a record of its files with their digests and is held against it at every use: it lies where any
process of the user's can write, and a disk may have lost the end of a file.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.toolchain.maven import ToolchainError
from pacecar.system import paths
from pacecar.system.resources import Resources, lone

_KEPT = 8
#: The record of a product: lines as of `sha256sum`.
RECORD = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\0\n]+)")
_MOST_RECORD_BYTES = 16 << 20


@dataclass(frozen=True, kw_only=True)
class Product:
    """What was made: its folder, and whether that was just now."""

    folder: Path
    fresh: bool


def digest(paths: Iterable[Path], *also: str) -> str:
    """sha256 over the names and bytes of the files at and below `paths`, and over the texts `also`."""
    sha = hashlib.sha256()
    for text in also:
        _feed(sha, text.encode())
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                _feed(sha, os.fsencode(file.relative_to(path.parent)))
                _feed(sha, file.read_bytes())
    return sha.hexdigest()


def product(
    name: str,
    *,
    key: str,
    make: Callable[[Path], None],
    resources: Resources,
    check: Callable[[Path], None] | None = None,
) -> Product:
    """The product `name` of version `key`; `make` fills an empty folder when it is not there yet.

    Only a whole product, on disk to its last byte, ever bears its name, and one process at a time makes it. What is
    there already is held against its record. The eight versions used last are kept, and those in use.

    Args:
        name: of the product.
        key: digest of what it is made from.
        make: fills a folder with it.
        resources: nobody removes the product before they end.
        check: raises ToolchainError for a folder that was just filled and must not be kept.

    Raises:
        ToolchainError: when a file of it is not what it was when the product was made.
    """
    room = paths.cache() / "toolchain"
    room.mkdir(exist_ok=True)
    folder = room / f"{name}-{key[:20]}"
    with _alone(room / f"{name}.lock"):
        fresh = not (folder / RECORD).is_file()
        if fresh:
            partial = room / f"{name}.partial"
            for old in (partial, folder):  # of a process that was killed while making it; without a record
                shutil.rmtree(old, ignore_errors=True)
            partial.mkdir()
            make(partial)
            _record(partial)
            if check is not None:
                check(partial)
            _publish(partial, folder)
        else:
            _verify(folder)
        os.utime(folder)
        resources.hold(folder)
        _prune(room, name)
    return Product(folder=folder, fresh=fresh)


def recorded(folder: Path) -> dict[str, str]:
    """Path of a file below the folder of a product -> its SHA-256 in hex, as when it was made.

    Raises:
        ToolchainError: when there is no such record, or it is damaged.
    """
    try:
        with (folder / RECORD).open("rb") as file:
            matches = [_LINE.fullmatch(line) for line in file.read(_MOST_RECORD_BYTES).decode().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise _changed(folder, RECORD, "cannot be read") from error
    if not all(matches):
        raise _changed(folder, RECORD, "is damaged")
    return {match[2]: match[1] for match in matches if match}


def entries(folder: Path) -> tuple[Path, ...]:
    """The files and folders of a product at its top, by name, without its record."""
    return tuple(sorted(path for path in folder.iterdir() if path.name != RECORD))


def copy(source: Path, target: Path) -> None:
    """Make `target` a copy of `source`: a second name would change with Maven's own file, and Maven's with ours."""
    shutil.copyfile(source, target)


def _record(folder: Path) -> None:
    lines = [f"{_sha256(folder / name)}  {name}\n" for name in _files(folder)]
    (folder / RECORD).write_text("".join(lines))


def _verify(folder: Path) -> None:
    expected = recorded(folder)
    found = set(_files(folder)) - {RECORD}
    for name in sorted(expected.keys() ^ found):
        raise _changed(folder, name, "is missing" if name in expected else "was not put there by Pacecar")
    for name, sha256 in expected.items():
        if _sha256(folder / name) != sha256:
            raise _changed(folder, name, "has changed since it was put there")


def _files(folder: Path) -> list[str]:
    """Everything below `folder` that is no folder, links too."""
    return sorted(
        str(Path(above, name).relative_to(folder))
        for above, folders, files in os.walk(folder)
        for name in (*files, *(each for each in folders if Path(above, each).is_symlink()))
    )


def _sha256(file: Path) -> str:
    # Not through a link: what it leads to can change without the product.
    if file.is_symlink() or not file.is_file():
        return "no regular file"
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _changed(folder: Path, name: str, what: str) -> ToolchainError:
    return ToolchainError(f"{name} in {folder} {what}.", hint=f"Have it rebuilt: rm -r {folder}")


def _publish(partial: Path, folder: Path) -> None:
    for above, _, files in os.walk(partial):
        for name in files:
            _sync(Path(above, name))
        _sync(Path(above))
    partial.rename(folder)
    _sync(folder.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _feed(sha: hashlib._Hash, data: bytes) -> None:
    sha.update(len(data).to_bytes(8, "big"))
    sha.update(data)


def _prune(room: Path, name: str) -> None:
    version = re.compile(re.escape(name) + "-[0-9a-f]{20}")
    versions = [path for path in room.iterdir() if version.fullmatch(path.name)]
    for old in sorted(versions, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT:]:
        # Held by whoever uses it: after a step of the clock it may look older than it is.
        with lone(old) as unused:
            if unused:
                shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
