"""The ledger of one owner: a file that names each thing before it exists, locked for as long as its owner lives.

    <state>/ledgers/<pid>-<start>-<boot>-<PID namespace>-<machine>-<token>.jsonl

The name alone tells who the owner is, see `identity`. It is also the mark in the environment of every process that the
owner starts, and the label of its containers.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.system import paths
from pacecar.system.disk import NoRoom, lacks_room
from pacecar.system.resources import locks
from pacecar.system.resources.identity import Identity

CONTAINERS = "containers"
PODS = "pods"
NOTICE = "notice"
_SUFFIX = ".jsonl"
_NAME = re.compile(r"(?P<owner>.+)-[0-9a-f]{8}")
_OWN_NAME = re.compile(r"pacecar-\d+-\d+-.+")
_MOST_BYTES = 16 * 1024**2
_HINT = "Name a folder of this machine that you may write: PACECAR_STATE=/tmp/pacecar-state"


class LedgerError(UsageError):
    """The ledger of what is started cannot be written, so nothing is started."""


class ResourceLedger:
    """The ledger of what this process owns, open and locked until `close`."""

    def __init__(self) -> None:
        self.name = f"{Identity.own()}-{secrets.token_hex(4)}"
        self._lines: list[bytes] = []
        self._lock = self._opened()

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._lock.path

    @property
    def content(self) -> bytes:
        """All that was written down, whatever became of the file."""
        return b"".join(self._lines)

    def note(self, entry: dict[str, str]) -> None:
        """Write `entry` down, so that it stays.

        Raises:
            NoRoom: when there is no room; what was written before stays.
            LedgerError: when it cannot be written for another reason.
        """
        line = json.dumps(entry).encode() + b"\n"
        with _told(self.path):
            if not self.path.exists():  # somebody has tidied the state folder: whoever sweeps needs the whole ledger
                self._lock.release()
                self._lock = self._opened()
            self._append(line)
        self._lines.append(line)

    def close(self) -> None:
        """Give up the lock; the file is removed by whoever clears what it names."""
        locks.close_if_held(self._lock)

    def _opened(self) -> locks.Lock:
        with _told(paths.state_path() / "ledgers"):
            path = ledgers() / f"{self.name}{_SUFFIX}"
            lock = locks.take(path)
        if lock is None:
            raise LedgerError(f"{path} is locked by another process.", hint=_HINT)
        self._lock = lock
        with _told(path):
            for line in self._lines:
                self._append(line)
        return lock

    def _append(self, line: bytes) -> None:
        descriptor = self._lock.descriptor
        end = os.fstat(descriptor).st_size
        try:
            written = 0
            while written < len(line):
                written += os.pwrite(descriptor, line[written:], end + written)
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, end)  # half a line would spoil the one after it
            raise


def ledgers() -> Path:
    """The folder of ledgers; made when missing."""
    path = paths.state() / "ledgers"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def ledger_files() -> list[Path]:
    """Whatever lies in the folder of ledgers under the name of one."""
    with _told(paths.state_path() / "ledgers"):
        return sorted(ledgers().glob(f"*{_SUFFIX}"))


def owner_of(ledger: Path) -> Identity | None:
    """Who owns the ledger, by its name; None when the name tells nobody."""
    match = _NAME.fullmatch(ledger.stem)
    return Identity.read(match["owner"]) if match else None


def content_of(ledger: Path) -> bytes:
    """What is in the file of a ledger; nothing when it cannot be read."""
    try:
        with ledger.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def entries(content: bytes) -> Iterator[dict[str, str]]:
    """What a ledger names, as far as it can be read and an owner can have made it."""
    for line in content.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the last line of a Pacecar that was killed while writing it
        if _is_entry(entry) and (entry["kind"] in (CONTAINERS, NOTICE, PODS) or _is_ours(Path(entry["path"]))):
            yield entry


def _is_entry(entry: object) -> bool:
    texts = entry.values() if isinstance(entry, dict) and entry.keys() >= {"kind", "path"} else [None]
    return all(isinstance(text, str) and "\0" not in text for text in texts)


def _is_ours(path: Path) -> bool:
    # A ledger is only a file. Whatever it says, nothing is removed but what an owner could have made.
    if not path.is_absolute() or ".." in path.parts:
        return False
    cache = paths.cache().resolve()
    return _OWN_NAME.fullmatch(path.name) is not None or (path != cache and path.is_relative_to(cache))


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else str(error)
        if lacks_room(error):
            raise NoRoom(
                f"No room in {path} to note what is started: {said}.", hint="Make room there, then try again."
            ) from error
        raise LedgerError(f"What is started cannot be noted in {path}: {said}.", hint=_HINT) from error
