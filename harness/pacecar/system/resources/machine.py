"""The machine as something only one measurement may use at a time, whoever starts it.

Two measurements at once would be each other's noise. The lock is one file for all users of the machine, in a folder
that all may write, and held by the process that measures alone: what it starts does not inherit it, and when it is
killed the kernel drops it. Containers each have such a folder of their own; PACECAR_LOCKS names one that they share.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pacecar.errors import MeasurementError
from pacecar.system import paths
from pacecar.system.resources import locks
from pacecar.system.resources.locks import Lock, LockError

_NAME = "pacecar-machine.lock"
#: Folders that all users of a machine may write, in the order of preference.
_PUBLIC = (Path("/run/lock"), Path("/tmp"), Path("/dev/shm"))  # noqa: S108  opened with care, see `locks`
_POLL_S = 0.5
_mine: list[Lock] = []


class MachineBusy(MeasurementError):
    """Another measurement runs on this machine, and the user did not want to wait."""


@contextlib.contextmanager
def alone_on_machine(*, wait: bool, tell: Callable[[str], None]) -> Iterator[None]:
    """Have the machine for one measurement; within one that this process makes already, nothing more is asked.

    Args:
        wait: for another one to end; otherwise it is refused.
        tell: told, in one line, for whom is waited.

    Raises:
        MachineBusy: when another one runs and `wait` is False.
        LockError: when the lock is no plain file, or there are no locks where it lies.
    """
    if _mine:
        yield
        return
    lock = _taken(wait=wait, tell=tell)
    _mine.append(lock)
    try:
        yield
    finally:
        _mine.clear()
        lock.release()


def place() -> Path:
    """The file of the machine's lock: the same for every user of it."""
    if named := os.environ.get("PACECAR_LOCKS"):
        return Path(named) / _NAME
    public = next(filter(_is_public, _PUBLIC), None)
    return (public or paths.state()) / _NAME


def _taken(*, wait: bool, tell: Callable[[str], None]) -> Lock:
    path, told = place(), ""
    while (lock := _try(path)) is None:
        holder = locks.holder(path)
        who = str(holder or "another process")
        if not wait:
            raise MachineBusy(
                f"Another measurement runs on this machine: {who}.",
                hint="Wait until it ends: leave out --no-wait",
            )
        known = str(holder.identity) if holder else ""
        if not told or (known and told not in (known, "unknown")):
            tell(f"waiting for {who}, which measures on this machine; Ctrl-C gives up")
        told = known or told or "unknown"
        time.sleep(_POLL_S)
    lock.sign()
    return lock


def _try(path: Path) -> Lock | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = locks.take(path, mode=0o666)  # so that each user can say that it is theirs
    except LockError:
        raise
    except OSError as error:
        raise LockError(
            f"The lock {path} cannot be used: {os.strerror(error.errno or errno.EIO)}.", hint=_HINT
        ) from error
    if lock is not None and not lock.proven:
        locks.close(lock.descriptor)
        raise LockError(f"The file system of {path} does not support locks.", hint=_HINT)
    return lock


_HINT = "Name a folder that everybody who measures here can write: PACECAR_LOCKS=/var/lock/pacecar"


def _is_public(folder: Path) -> bool:
    """Whether all users may make files in `folder`, and none may remove those of another."""
    try:
        found = folder.lstat()
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
    except OSError:
        return False
    wanted = stat.S_ISVTX | stat.S_IWOTH
    return stat.S_ISDIR(found.st_mode) and found.st_mode & wanted == wanted and not read_only
