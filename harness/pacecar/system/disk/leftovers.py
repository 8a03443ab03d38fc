"""Removing what makers that were killed have left behind, where it is proved or nearly certain that they are dead."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from pacecar.system.disk.file_systems import is_local
from pacecar.system.disk.parts import SUFFIX, locked

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
#: Where another machine may write, its locks need not reach us: what it has not touched for so long is nobody's.
ABANDONED_S = 7 * 86_400


def remove_leftovers(found: Iterable[Path], *, still: Callable[[Path], bool] = lambda _: True) -> None:
    """Remove the files and folders `found` that nobody holds (see `parts`).

    On a file system that other machines may write as well, one has to be untouched for a week in addition, by that file
    system's own clock.

    Args:
        found: in the making, or unfinished.
        still: asked of each once nobody can get hold of it any more: whether it is to go.
    """
    places: dict[Path, bool] = {}
    for path in found:
        if path.parent not in places:
            places[path.parent] = is_local(path.parent)
        with contextlib.suppress(OSError):
            _remove(path, local=places[path.parent], still=still)


def _remove(path: Path, *, local: bool, still: Callable[[Path], bool]) -> None:
    descriptor = os.open(path, _FLAGS)
    try:
        if not locked(descriptor, path, fcntl.LOCK_EX) or not still(path):
            return
        if not (local or _untouched_s(path, os.fstat(descriptor).st_mtime) > ABANDONED_S):
            return
        if path.is_dir():
            # Its name goes at once: somebody may be waiting to make it anew.
            gone = _beside(path)
            path.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        else:
            path.unlink()
    finally:
        os.close(descriptor)


def _untouched_s(path: Path, touched: float) -> float:
    """Seconds since `touched` by the clock that gives files beside `path` their times. Raises OSError."""
    probe = _beside(path)
    descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        return os.fstat(descriptor).st_mtime - touched
    finally:
        os.close(descriptor)
        probe.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(8)}{SUFFIX}")
