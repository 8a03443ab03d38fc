"""Bytes that are on disk whole or not at all.

A name appears only after what it names has reached the disk: write under a temporary name, `fsync` the file,
rename, `fsync` the directory. POSIX makes the rename atomic; without the `fsync`s a power cut may still leave an
empty file under the final name.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pacecar.archive import ArchiveFull

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_bytes(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step. Whoever reads meanwhile sees the old or the new content.

    Raises:
        ArchiveFull: when there is no room; the old content stays.
    """
    part = path.with_name(f".{path.name[-60:]}.{os.getpid()}.part")
    with room_for(path):
        try:
            part.write_bytes(content)
            sync(part)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        sync(path.parent)


def copy_file(source: Path, path: Path) -> None:
    """Copy a file to `path` in one step, in a folder that is made when missing.

    Raises:
        ArchiveFull: when there is no room; nothing is left of it.
    """
    part = path.with_name(f".{path.name[-60:]}.{os.getpid()}.part")
    with room_for(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, part)
            sync(part)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        sync(path.parent)


def publish(part: Path, final: Path) -> None:
    """Give the finished folder `part` its `final` name, everything in it on disk before.

    Raises:
        FileExistsError: when there is a folder of that name, with something in it.
    """
    for folder, _, files in os.walk(part):
        for name in files:
            sync(Path(folder) / name)
        sync(Path(folder))
    try:
        part.rename(final)
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            raise FileExistsError(error.errno, error.strerror, str(final)) from error
        raise
    sync(final.parent)


def copy_files(source: Path, destination: Path) -> None:
    """Copy the regular files below `source`, keeping their folders.

    Links are not followed and sockets, which a service may leave behind, are not copied.
    """
    destination.mkdir(parents=True, exist_ok=True)
    for folder, _, files in os.walk(source):
        into = destination / Path(folder).relative_to(source)
        into.mkdir(exist_ok=True)
        for name in files:
            file = Path(folder) / name
            if file.is_file() and not file.is_symlink():
                shutil.copyfile(file, into / name)


def sha256(path: Path) -> str:
    """SHA-256 of a file's content, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Wait until a file's content, or a directory's names, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def room_for(path: Path) -> Iterator[None]:
    """Turn a full disk, a spent quota or a file-size limit into one sentence about `path`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise ArchiveFull(
            f"No room to store {path}: {os.strerror(error.errno)}.",
            hint="What was stored before stays readable. Make room, for example in .pacecar/runs, then: pacecar resume",
        ) from error
