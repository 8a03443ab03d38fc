"""The file a user names with `--output`: looked at before the work begins, then written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.system.disk import durable, lacks_room, no_room


def looked_at(path: Path, *, command: str) -> Path:
    """`path`, when something can be written there: a file, new or replaced, or a pipe or terminal.

    Raises:
        UsageError: when it is a folder or a socket, or its folder is missing.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if not path.resolve().parent.is_dir():
            folder = path.resolve().parent
            raise UsageError(f"There is no folder {folder}.", hint=f"Make it first: mkdir -p {folder}") from None
        return path
    except OSError as error:
        raise _refused(path, error) from error
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path} is a folder.", hint=f"Name a file in it: {command} --output {path / 'NAME'}")
    if not (stat.S_ISREG(mode) or _is_stream(mode)):
        raise UsageError(f"{path} is not a file.", hint=f"Name another: {command} --output FILE")
    return path


def write(path: Path, content: bytes) -> None:
    """Write `content` to `path`: a link is followed, a pipe or terminal is written to, and anything else replaced.

    Raises:
        UsageError: when it cannot be written.
        NoRoom: when there is no room; what was there stays.
    """
    try:
        if path.exists() and _is_stream(path.stat().st_mode):
            _pour(path, content)
        else:
            durable.write_bytes(path.resolve(), content)
    except OSError as error:
        raise _refused(path, error) from error


def _is_stream(mode: int) -> bool:
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _pour(path: Path, content: bytes) -> None:
    """Write to a pipe or device, which, unlike a file, is not ours to replace."""
    # A pipe that nobody has open for reading is refused; opened as usual, it would keep us waiting for ever.
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.set_blocking(descriptor, True)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError:
        pass  # whoever read it has seen enough
    except OSError as error:
        if lacks_room(error):
            raise no_room(path, error) from error
        raise
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> UsageError:
    why = "nobody reads it" if error.errno == errno.ENXIO else error.strerror
    return UsageError(f"{path} cannot be written: {why}.", hint="Name another file with --output.")
