"""Locks that prove that their owner lives: the kernel holds them for a process and drops them with it, however it ends.

`flock` belongs to an open file, so it works across PID namespaces and between two owners in one process. No program
that we start inherits it (descriptors close on `exec`), nor does a fork of ours (closed there at once). The file says
who holds the lock, for messages; what it says is never trusted beyond that.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import getpass
import json
import os
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.system.resources.identity import Identity
from pacecar.text.units import format_duration

_TRIES = 100
_MOST_BYTES = 4096
_LONGEST = 60
_held: set[int] = set()


class LockError(UsageError):
    """A lock cannot be used: its file is no plain file, or cannot be opened."""


@dataclass(frozen=True, kw_only=True)
class Holder:
    """Who holds a lock, by its own words: printable and short, but not to be trusted.

    Attributes:
        identity: of the process; None when its words say none.
        user: name of the user.
        command: the command as typed, without its options.
        since_s: CLOCK_BOOTTIME when it took the lock, seconds.
    """

    identity: Identity | None
    user: str
    command: str
    since_s: float

    def __str__(self) -> str:
        if self.identity is None:
            return "another process"
        here = Identity.own()
        user = f" of {self.user}" if self.user else ""
        place = "" if self.identity.namespace == here.namespace else " in another PID namespace"
        held = now_s() - self.since_s
        known = self.identity.boot == here.boot and 0 <= held < now_s()
        since = f", for {format_duration(held)}" if known else ""
        return f"{self.command or 'pacecar'} (process {self.identity.pid}{user}{place}{since})"


@dataclass(frozen=True, kw_only=True)
class Lock:
    """A lock that we hold.

    Attributes:
        path: its file.
        descriptor: the open file; closing it gives the lock up.
        proven: the file system keeps locks; otherwise others may hold it, too.
        before: what the last holder said that did not give it up in an orderly way; None when there is nothing.
    """

    path: Path
    descriptor: int
    proven: bool
    before: Holder | None

    def sign(self) -> None:
        """Say in the file who holds it. A disk without room leaves the lock without a name, which is a lock still."""
        said = {
            "owner": str(Identity.own()),
            "user": _user(),
            "command": _command(),
            "since_s": now_s(),
        }
        with contextlib.suppress(OSError):
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, json.dumps(said).encode() + b"\n", 0)

    def release(self, *, remove: bool = False) -> None:
        """Give it up in an orderly way; `remove` takes the file's name away first."""
        if self.descriptor not in _held:
            return
        with contextlib.suppress(OSError):
            if remove and _is_named(self.descriptor, self.path):
                self.path.unlink()
            else:
                os.ftruncate(self.descriptor, 0)
        close(self.descriptor)


def take(path: Path, *, mode: int = 0o600) -> Lock | None:
    """Take the lock of the file `path`, made when missing; nobody waits. None when somebody else holds it.

    Raises:
        LockError: when the file is no plain file with a single name, or cannot be made or opened.
        FileNotFoundError: when its folder is gone.
        OSError: when there is no room for the file.
    """
    for _ in range(_TRIES):
        descriptor = _opened(path, mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            proven = True
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks, or whose server keeps none
            proven = False
        if _is_named(descriptor, path):
            _held.add(descriptor)
            return Lock(path=path, descriptor=descriptor, proven=proven, before=holder(path))
        os.close(descriptor)  # whoever had it has taken the name away: there is a new file, or will be
    raise LockError(f"{path} keeps being removed.", hint="See who does that: fuser -v " + str(path))


def holder(path: Path) -> Holder | None:
    """Who says in the file `path` to hold its lock; None when nobody does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return _read(os.pread(descriptor, _MOST_BYTES, 0))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def shared(folder: Path) -> int | None:
    """A descriptor with a lock on `folder` that others may share; see `alone`."""
    return _folder(folder, fcntl.LOCK_SH)


def alone(folder: Path) -> int | None:
    """A descriptor with a lock on `folder` for us alone; None when another one stands against it or it is gone."""
    return _folder(folder, fcntl.LOCK_EX)


def close(descriptor: int) -> None:
    """Give up the lock of a descriptor."""
    _held.discard(descriptor)
    os.close(descriptor)


def close_if_held(lock: Lock) -> None:
    """Give up `lock`, unless that was done."""
    if lock.descriptor in _held:
        close(lock.descriptor)


def now_s() -> float:
    """Seconds since the machine was started, sleep included; no step of the wall clock changes it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _opened(path: Path, mode: int) -> int:
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for _ in range(_TRIES):
        try:
            descriptor = _open_existing(path, flags)
        except FileNotFoundError:
            # Exclusive: in a folder that all may write, Linux refuses to make a file that another user has made.
            with contextlib.suppress(FileExistsError):
                return _made(path, flags, mode)
            continue
        except OSError as error:
            raise _unusable(path, error) from error
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
            return descriptor
        os.close(descriptor)
        raise LockError(f"The lock {path} is not a plain file of its own.", hint=f"Look at it, then: rm -r {path}")
    raise LockError(f"{path} keeps being removed.", hint="See who does that: fuser -v " + str(path))


def _open_existing(path: Path, flags: int) -> int:
    try:
        return os.open(path, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)  # enough to lock it


def _made(path: Path, flags: int, mode: int) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | flags, mode)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise  # the caller says what there is no room for
        raise _unusable(path, error) from error
    os.fchmod(descriptor, mode)  # whatever the umask is
    return descriptor


def _unusable(path: Path, error: OSError) -> LockError:
    if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
        return LockError(f"The lock {path} is not a plain file of its own.", hint=f"Look at it, then: rm -r {path}")
    return LockError(
        f"The lock {path} cannot be used: {os.strerror(error.errno or 0)}.", hint=f"See: ls -ld {path.parent}"
    )


def _is_named(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _folder(folder: Path, kind: int) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        # Whoever removed the folder before we had the lock has left us one without a name.
        if os.path.samestat(os.fstat(descriptor), folder.stat()):
            _held.add(descriptor)
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _read(content: bytes) -> Holder | None:
    if not content.strip():
        return None
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        said = None
    said = said if isinstance(said, dict) else {}
    since = said.get("since_s")
    return Holder(
        identity=Identity.read(str(said.get("owner", ""))[:200]),
        user=_plain(said.get("user")),
        command=_plain(said.get("command")),
        since_s=float(since) if isinstance(since, int | float) and abs(since) < 1e12 else float("inf"),
    )


def _plain(text: object) -> str:
    return "".join(letter for letter in str(text or "") if letter.isprintable())[:_LONGEST]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user need not have a name
        return f"user {os.getuid()}"


def _command() -> str:
    words = [word for word in sys.argv[1:2] if word.isalpha()]
    return _plain(" ".join(["pacecar", *words]))


def _forget_in_fork() -> None:
    # Only closed: to unlock would unlock it for the parent as well.
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_fork)
