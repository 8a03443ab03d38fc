"""One owner at a time for something on disk that several Pacecars can see, such as a run that is being measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pacecar.system.disk.file_systems import is_local
from pacecar.system.resources import locks
from pacecar.system.resources.identity import Standing
from pacecar.system.resources.locks import Holder, Lock


@dataclass(frozen=True, kw_only=True)
class Taken:
    """Why something cannot be owned.

    Attributes:
        holder: who owns it.
        doubt: why nobody can tell whether that process lives; None when it lives.
    """

    holder: Holder
    doubt: str | None


@dataclass(kw_only=True)
class Ownership:
    """The right to write something, as far as this process has it; counted, so that owners within owners are one.

    Attributes:
        path: file of the lock; it exists while somebody owns, and after an owner was killed.
    """

    path: Path
    _lock: Lock | None = None
    _depth: int = field(default=0)

    @property
    def held(self) -> bool:
        """Whether this process owns it by this very object."""
        return self._depth > 0

    def acquire(self) -> Taken | None:
        """Own it, or learn who does; nobody waits. A signed lock whose owner is not proved dead counts as held.

        Raises:
            LockError: when the lock is no plain file.
            OSError: when there is no room for it, or its folder is gone.
        """
        if self._lock is None:
            lock = locks.take(self.path)
            if lock is None:
                return Taken(holder=locks.holder(self.path) or _NOBODY, doubt=None)
            if lock.before and (taken := _still_taken(lock, lock.before)) is not None:
                locks.close(lock.descriptor)
                return taken
            lock.sign()
            self._lock = lock
        self._depth += 1
        return None

    def release(self) -> None:
        """Undo one `acquire`; with the last the lock and its file are gone."""
        self._depth -= 1
        if self._depth == 0 and self._lock is not None:
            lock, self._lock = self._lock, None
            lock.release(remove=True)


_NOBODY = Holder(identity=None, user="", command="", since_s=float("inf"))


def _still_taken(lock: Lock, before: Holder) -> Taken | None:
    """That the owner which has left its words here lives, or may for all that can be told; None when it is dead."""
    local = is_local(lock.path.parent)
    if lock.proven and local:
        return None  # the one kernel that writes here says that nobody holds it
    if before.identity is None:
        return Taken(holder=before, doubt="its owner is unknown")
    standing = before.identity.standing(local=local)
    if standing is Standing.DEAD:
        return None
    return Taken(holder=before, doubt=None if standing is Standing.ALIVE else standing.value)
