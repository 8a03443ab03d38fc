"""Copies of stored runs and builds in the local archive: a cache that several Pacecars use at once.

    .pacecar/fetched/runs/<run>-<digest>      a run that was brought here
    .pacecar/fetched/builds/<digest>/<file>   a patch or an artifact

Who uses a copy holds a lock on it for the life of the process, so no step of the clock takes it away meanwhile. A copy
that nobody holds goes a week after its last use; it is fetched again when it is needed.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from pacecar.system.disk.leftovers import remove_leftovers
from pacecar.system.disk.parts import SUFFIX
from pacecar.system.resources import locks

_KEPT_S = 7 * 86_400
_held: dict[Path, int] = {}


def folder_in(root: Path) -> Path:
    """The folder of the copies in the archive at `root`."""
    return root / "fetched"


def hold(copy: Path) -> bool:
    """Keep `copy`, a folder, until this process ends, and note that it was used.

    Returns:
        False when it is gone, or going. Where the file system keeps no locks, nobody can hold it and it stays a week.
    """
    if copy not in _held and (descriptor := locks.shared(copy)) is not None:
        _held[copy] = descriptor
    with contextlib.suppress(OSError):
        os.utime(copy)
    return copy.is_dir()


def clear(root: Path) -> None:
    """Remove the copies in the archive at `root` that nobody uses nor has used for a week, and what was in the making
    when its Pacecar was killed.
    """
    fetched = folder_in(root)
    remove_leftovers(fetched.glob(f".*{SUFFIX}"))
    remove_leftovers(fetched.glob("[!.]*/*"), still=_is_old)
    remove_leftovers(fetched.glob(f"[!.]*/.*{SUFFIX}"))


def _is_old(copy: Path) -> bool:
    return time.time() - copy.stat().st_mtime > _KEPT_S
