"""Files written whole or not at all; `foreign.files` is how they are read.

`durable` writes everything that a run or a command leaves behind. A disk without room is one error here, whoever
writes.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pacecar.errors import MeasurementError

#: A full disk, a spent quota, a limit on the size of a file.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: `shutil.copytree` gathers errors as texts.
_IN_TEXT = re.compile(r"\[Errno (\d+)\]")


class NoRoom(MeasurementError):
    """There is no room for what was to be written; what was stored before stays readable."""


def lacks_room(error: BaseException | None) -> bool:
    """Whether `error` means that a disk, a quota or a file-size limit had no room for more."""
    if isinstance(error, shutil.Error):
        return any(int(number) in _NO_ROOM for number in _IN_TEXT.findall(str(error)))
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def no_room(path: Path | str, error: OSError) -> NoRoom:
    """The one sentence about `path` that a full disk is told with."""
    why = os.strerror(error.errno) if error.errno is not None else os.strerror(errno.ENOSPC)
    return NoRoom(
        f"No room to store {path}: {why}.",
        hint="What was stored before stays readable. Make room, for example in .pacecar/runs, then: pacecar resume",
    )


@contextmanager
def room_for(path: Path) -> Iterator[None]:
    """Turn a full disk, a spent quota or a file-size limit into one sentence about `path`."""
    try:
        yield
    except OSError as error:
        if not lacks_room(error):
            raise
        raise no_room(path, error) from error
