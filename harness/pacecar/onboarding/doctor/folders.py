"""The folders Pacecar writes to: whether it may, and whether there is room."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from pacecar.model.check import Check
from pacecar.system import paths
from pacecar.text.units import format_quantity

#: Name of the check of the folder without which nothing can be started.
STATE = "state folder"
#: A run of a few pairs, and a build in a copy of its source.
_LEAST_FREE = 1e9


def checks(archive: Path) -> tuple[Check, ...]:
    """State, cache, archive and temporary folder."""
    return (
        _made(STATE, paths.state, variable="PACECAR_STATE"),
        _made("cache folder", paths.cache, variable="PACECAR_CACHE"),
        room("archive", archive.absolute(), remedy="pacecar clean --cache, or move old runs away"),
        room("temporary folder", Path(tempfile.gettempdir()), remedy="export TMPDIR=<a folder with more room>"),
    )


def room(name: str, folder: Path, *, remedy: str) -> Check:
    """Whether `folder`, or the one it would be made in, may be written to and has room."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        remedy = f"make it writable: chmod u+rwx {existing}"
        return Check(name=name, ok=False, found=f"{existing} is not a writable folder", remedy=remedy)
    free = shutil.disk_usage(existing).free
    enough = free >= _LEAST_FREE
    found = f"{format_quantity(free, 'B')} free in {existing}"
    return Check(name=name, ok=enough, found=found, remedy=None if enough else remedy)


def _made(name: str, make: Callable[[], Path], *, variable: str) -> Check:
    try:
        folder = make()
    except OSError as error:
        remedy = f"export {variable}=<a folder you may write to>"
        return Check(name=name, ok=False, found=f"cannot be made: {error.strerror} ({error.filename})", remedy=remedy)
    return room(name, folder, remedy="pacecar clean --cache")
