"""Ending what dead owners left behind, where it can be proved that they are dead; elsewhere it is left, and said so."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from pathlib import Path

from pacecar.system.disk.file_systems import is_local
from pacecar.system.resources import locks
from pacecar.system.resources.clearing import clear, end_all, processes_by_ledger
from pacecar.system.resources.identity import Standing
from pacecar.system.resources.ledger import content_of, ledger_files, owner_of
from pacecar.system.resources.locks import LockError

_NOT_OURS = "not a ledger that Pacecar has written for this user"


def sweep() -> list[str]:
    """End and remove what Pacecars that no longer run have left behind.

    Returns:
        What was done, one line each; then a line that begins with `left` for each reason why something was not touched.
    """
    done: list[str] = []
    left: dict[str, list[Path]] = defaultdict(list)
    found = ledger_files()
    if not found:
        return done
    local, running = is_local(found[0].parent), processes_by_ledger()
    for ledger in found:
        said, why_not = _swept(ledger, local=local, runs=ledger.stem in running)
        done += said
        if why_not is not None:
            left[why_not].append(ledger)
    return [*done, *(_told(why, ledgers) for why, ledgers in left.items())]


def _swept(ledger: Path, *, local: bool, runs: bool) -> tuple[list[str], str | None]:
    """What was done about one ledger, and why nothing could be; None where its owner lives, too."""
    owner = owner_of(ledger)
    if owner is None or not _is_plain(ledger):
        return ([], _NOT_OURS) if os.path.lexists(ledger) else ([], None)
    try:
        lock = locks.take(ledger)  # held while we clear, so that two who sweep do not meet
    except (LockError, OSError):
        return [], _NOT_OURS
    if lock is None:
        return [], None
    try:
        standing = owner.standing(local=local)
        if standing is not Standing.DEAD:
            return [], standing.value if standing.unknown else None
        ended = end_all(ledger.stem) if runs else []
        return [f"ended process {pid} ({name})" for pid, name in ended] + clear(ledger, content_of(ledger)), None
    finally:
        locks.close(lock.descriptor)


def _is_plain(ledger: Path) -> bool:
    try:
        found = ledger.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()


def _told(why: str, ledgers: list[Path]) -> str:
    if len(ledgers) == 1:
        return f"left {ledgers[0]} in place: {why}"
    return f"left {len(ledgers)} ledgers in {ledgers[0].parent} in place, such as {ledgers[0].name}: {why}"
