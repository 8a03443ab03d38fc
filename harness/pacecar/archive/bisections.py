"""Searches for a commit on disk, so that each can be gone on with.

    .pacecar/bisections/20250301-101500-9f3a.json
    .pacecar/bisections/.20250301-101500-9f3a.owner      locked by the process that searches, gone when it is done

Written anew after each step. The comparisons themselves are runs like any other; those of a search name it among the
options of their manifest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from pydantic import TypeAdapter

from pacecar.archive import RunError, migrations, records
from pacecar.archive.runs import RunDirectory, make_root, refused, run_ids, runs_folder
from pacecar.model.bisection import Bisection
from pacecar.model.experiment import Side
from pacecar.system.disk import durable, room_for
from pacecar.system.resources.ownership import Ownership

_BISECTION = TypeAdapter(Bisection)
#: Digits of an id that tell the time; what follows is drawn.
_SECOND = len("YYYYMMDD-HHMMSS")


def store(root: Path, bisection: Bisection) -> None:
    """Replace what is stored of `bisection` in one step.

    Raises:
        NoRoom: when there is no room; what was stored stays.
    """
    path = _folder(root) / f"{bisection.bisection_id}.json"
    with room_for(path):
        make_root(root)
        path.parent.mkdir(exist_ok=True)
    durable.write_bytes(path, records.to_json(_BISECTION, bisection))


@contextlib.contextmanager
def owned(root: Path, bisection_id: str) -> Iterator[None]:
    """Be the only one who goes on with a search.

    Raises:
        RunTaken: when another process does, or may for all that can be told.
        NoRoom: when there is no room for the lock.
    """
    path = _folder(root) / f".{bisection_id}.owner"
    ownership = Ownership(path=path)
    with room_for(path):
        make_root(root)
        path.parent.mkdir(exist_ok=True)
        taken = ownership.acquire()
    if taken is not None:
        raise refused(f"bisection {bisection_id}", taken, path)
    try:
        yield
    finally:
        ownership.release()


def find_bisection(root: Path, bisection_id: str) -> Bisection:
    """The search of that id.

    Raises:
        RunError: when there is none (says which may have been meant), it is damaged, or of a newer Pacecar.
    """
    ids = sorted(path.stem for path in _folder(root).glob("*.json"))
    if bisection_id not in ids:
        meant = get_close_matches(bisection_id, ids, n=1, cutoff=0.5) or ids[-1:]
        hint = f"Did you mean {meant[0]}?" if meant else "Begin one: pacecar bisect --good REF --bad REF"
        raise RunError(f"There is no bisection {bisection_id!r} in {root}.", hint=hint)
    path = _folder(root) / f"{bisection_id}.json"
    bisection = records.read_of_any_version(_BISECTION, path, migrations.BISECTION)
    if bisection.bisection_id != bisection_id:
        raise RunError(f"{path} is damaged: it says it is bisection {bisection.bisection_id!r}.")
    return bisection


def run_of(root: Path, bisection_id: str, *, commit: str) -> RunDirectory | None:
    """The newest run that this search made of `commit`; None when there is none."""
    for run_id in reversed(run_ids(root)):
        if run_id[:_SECOND] < bisection_id[:_SECOND]:  # older than the search
            return None
        try:
            run = RunDirectory.open(runs_folder(root) / run_id)
        except RunError:  # somebody else's, and damaged
            continue
        built = run.manifest.builds.get(Side.CANDIDATE)
        if run.manifest.options.bisection == bisection_id and built is not None and built.commit == commit:
            return run
    return None


def _folder(root: Path) -> Path:
    return root / "bisections"
