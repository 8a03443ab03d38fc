"""Files and folders in the making, called `.NAME.PROCESS.TOKEN.part` and locked for as long as their maker lives.

The lock is the kernel's, of the very file or folder, and goes with its maker however that ends. `leftovers` removes
those that nobody holds any more. No clock takes part where one machine alone writes: after a step of the clock a file
that is being written would look old.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

SUFFIX = ".part"
_TRIES = 100
_LONGEST = 60
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def new_file(final: Path, *, mode: int) -> Iterator[tuple[Path, int]]:
    """A new file beside `final` and its descriptor, open for writing. Whoever asks renames or removes it.

    Raises:
        OSError: when it cannot be made.
    """
    part, descriptor = _made(final, lambda part: os.open(part, _NEW, mode))
    try:
        yield part, descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def new_folder(final: Path) -> Iterator[Path]:
    """A new folder beside `final`, that nobody but its owner may enter. Whoever asks renames or removes it.

    Raises:
        OSError: when it cannot be made.
    """

    def make(part: Path) -> int:
        part.mkdir(mode=0o700)
        return os.open(part, _FOLDER)

    part, descriptor = _made(final, make)
    try:
        yield part
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def unfinished(folder: Path) -> Iterator[None]:
    """Keep `leftovers` from removing a folder that has its final name and lacks something, while this lasts.

    Raises:
        FileNotFoundError: when it is gone, or going.
    """
    descriptor = os.open(folder, _FOLDER)
    try:
        # Shared: two may finish the same one.
        if not locked(descriptor, folder, fcntl.LOCK_SH):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        yield
    finally:
        os.close(descriptor)


def locked(descriptor: int, path: Path, kind: int) -> bool:
    """Lock an open file or folder, and say whether it is ours and still called `path`.

    Also true on a file system without locks.
    """
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _made(final: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    for _ in range(_TRIES):
        # Random as well: two threads share a process id, and so do processes of two containers.
        part = final.with_name(f".{final.name[-_LONGEST:]}.{os.getpid()}.{secrets.token_hex(4)}{SUFFIX}")
        try:
            descriptor = make(part)
        except FileNotFoundError:
            if not final.parent.is_dir():
                raise
            continue  # somebody who tidies had the lock before us
        if locked(descriptor, part, fcntl.LOCK_EX):
            return part, descriptor
        os.close(descriptor)
    raise OSError(errno.EBUSY, "keeps being removed", str(final))
