"""The one way to open a file that somebody else may have put there.

A pipe would block its reader, a device would never end, a link may lead out of the folder it lies in, and a file may
hold more than the memory. Whatever is wrong is an OSError with its `strerror`, so that a reader that already turns a
missing file into a sentence does the same with these.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

#: Of a file whose size does not matter: it is read in portions, or only its beginning.
ANY_SIZE = 1 << 62
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Unfit(OSError):
    """A file that is not read, and why: it is no regular file, too large, or lies elsewhere."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def opened(path: Path | str, *, most: int, inside: Path | None = None) -> BufferedReader:
    """The file at `path` for reading, which is a regular one of at most `most` bytes.

    A file may grow after it was opened: whoever reads from it stops at `most` bytes, see `content`.

    Args:
        path: the file.
        most: bytes.
        inside: the folder that the file has to lie in once every link is followed; None where links may lead anywhere.

    Raises:
        Unfit: when it is another kind of file, larger, or lies elsewhere.
        OSError: when it cannot be opened.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except ValueError as error:  # a NUL byte in the path
        raise Unfit(path, "its name holds a NUL byte") from error
    try:
        _check(descriptor, path, most=most, inside=inside)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content(path: Path | str, *, most: int, inside: Path | None = None) -> bytes:
    """The bytes of the file at `path`. Arguments and errors are those of `opened`."""
    with opened(path, most=most, inside=inside) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise Unfit(path, _too_large(most))
    return found


def beginning(path: Path | str, *, most: int, inside: Path | None = None) -> bytes:
    """At most the first `most` bytes of the regular file at `path`, however large it is."""
    with opened(path, most=ANY_SIZE, inside=inside) as file:
        return file.read(most)


def _check(descriptor: int, path: Path | str, *, most: int, inside: Path | None) -> None:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise Unfit(path, "not a regular file")
    if status.st_size > most:
        raise Unfit(path, _too_large(most))
    if inside is not None:
        # Where the open descriptor really is, so that no link can be exchanged in between.
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        if not place.is_relative_to(inside.resolve()):
            raise Unfit(path, f"a link that leads out of {inside}")


def _too_large(most: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if most >= unit and most % unit == 0:
            return f"larger than {most // unit} {name}, so it is not one of ours"
    return f"larger than {most} bytes, so it is not one of ours"
