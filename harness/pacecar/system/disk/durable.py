"""Bytes that are on disk whole or not at all.

A name appears only after what it names has reached the disk: write under a temporary name, `fsync` the file,
rename, `fsync` the directory. POSIX makes the rename atomic; without the `fsync`s a power cut may still leave an
empty file under the final name. Whatever bore that name before, be it a link, a pipe or a socket, is replaced and
never written through.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from pacecar.system.disk import parts, room_for
from pacecar.system.foreign import files

#: Readable as the umask allows, because a web server or a collector may be told to read them; writable by us alone.
_MODE = 0o644
#: What file systems answer that cannot flush a directory, as some network and FUSE file systems.
_NO_DIRECTORY_SYNC = {errno.EINVAL, errno.ENOTSUP}


def write_bytes(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step. Whoever reads meanwhile sees the old or the new content.

    Raises:
        NoRoom: when there is no room; the old content stays.
        OSError: that names `path`, for everything else; the old content stays.
    """

    def fill(_: Path, descriptor: int) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)

    _place(path, fill)


def write_text(path: Path, text: str) -> None:
    """`write_bytes` of `text` in UTF-8."""
    write_bytes(path, text.encode())


def copy_file(source: Path, path: Path) -> None:
    """Copy a file to `path` in one step, in a folder that is made when missing.

    Raises:
        NoRoom: when there is no room; nothing is left of it.
        OSError: for everything else.
    """

    def fill(part: Path, _: int) -> None:
        shutil.copyfile(source, part)
        sync(part)

    with room_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    _place(path, fill)


def private_folder(path: Path) -> None:
    """Make the new folder `path`, that nobody but its owner may enter, whatever the umask; its parents, too.

    Raises:
        FileExistsError: when there is one of that name.
        OSError: when it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700)


def publish(part: Path, final: Path) -> None:
    """Give the finished folder `part` its `final` name, everything in it on disk before.

    Raises:
        FileExistsError: when there is a folder of that name, with something in it.
    """
    for folder, _, names in os.walk(part):
        for name in names:
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
    for folder, _, names in os.walk(source):
        into = destination / Path(folder).relative_to(source)
        into.mkdir(exist_ok=True)
        for name in names:
            file = Path(folder) / name
            if file.is_file() and not file.is_symlink():
                with named(into / name):
                    shutil.copyfile(file, into / name)


def sha256(path: Path) -> str:
    """SHA-256 of a regular file's content, in hex."""
    with files.opened(path, most=files.ANY_SIZE) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Let errors name the file that was asked for: neither a temporary one nor, as after a failed write, none."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync(path: Path) -> None:
    """Wait until a file's content, or a directory's names, are on disk. Raises OSError that names `path`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        with named(path):
            os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_SYNC or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def _place(path: Path, fill: Callable[[Path, int], None]) -> None:
    """Have `fill` write a new file, and give it the name `path`; nothing remains of one that cannot be written."""
    with room_for(path), named(path), parts.new_file(path, mode=_MODE) as (part, descriptor):
        try:
            fill(part, descriptor)
            part.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        sync(path.parent)
