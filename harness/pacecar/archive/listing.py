"""Lists of runs, of the local archive and of a shared store, and which of them are not to be kept for ever.

Ten thousand runs are listed in a moment: of a local run only the few fields that a list shows are read, of a stored one
nothing but its name.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pacecar.archive.names import RunName, made_at
from pacecar.archive.records import is_plain_name
from pacecar.archive.runs import MANIFEST, OWNER, is_pair, runs_folder
from pacecar.model.experiment import Side
from pacecar.model.recording import RunState
from pacecar.system.disk import durable
from pacecar.system.foreign import files
from pacecar.system.resources.ownership import Ownership

_MAX_BYTES = 16 * 1024 * 1024
_GONE = ".gone"
_DAMAGED = "damaged"
_LONGEST_NAME = 100
#: An open run that nobody owns was killed; so long its owner has to go on with it.
_ABANDONED_S = 2 * 86_400


@dataclass(frozen=True, kw_only=True)
class ListedRun:
    """What a list shows of a run.

    Attributes:
        run_id: of the run.
        kind: paired or recording; None when its manifest is damaged.
        state: open, interrupted, complete or damaged.
        pairs: how many are whole.
        builds: labels of its builds.
        here: it is in the local archive.
        stored: it is in the shared store.
    """

    run_id: str
    kind: str | None
    state: str
    pairs: int
    builds: tuple[str, ...]
    here: bool = False
    stored: bool = False


@dataclass(frozen=True)
class _Label:
    label: str


@dataclass(frozen=True)
class _Facts:
    kind: str
    state: str
    builds: dict[str, _Label]


_FACTS = TypeAdapter(_Facts)


def local_runs(root: Path, *, newest: int = 0) -> list[ListedRun]:
    """The runs in the archive at `root`, oldest first; only the `newest` ones, unless that is 0."""
    found = islice(_local(runs_folder(root)), newest or None)
    return sorted(found, key=lambda run: run.run_id)


def all_runs(local: Iterable[ListedRun], stored: Iterable[RunName]) -> list[ListedRun]:
    """The runs of both places, oldest first, each once; of several stored copies of a run the first counts."""
    found = {run.run_id: run for run in local}
    for name in stored:
        mine = found.get(name.run_id)
        if mine is not None and mine.stored:
            continue
        found[name.run_id] = ListedRun(
            run_id=name.run_id,
            kind=mine.kind if mine else name.kind,
            state=mine.state if mine else name.state,
            pairs=mine.pairs if mine else name.pairs,
            builds=mine.builds if mine else name.builds,
            here=mine is not None,
            stored=True,
        )
    return sorted(found.values(), key=lambda run: run.run_id)


def surplus(run_ids: Iterable[str], *, keep: int | None, older_than_s: float | None, now: datetime) -> set[str]:
    """Ids that retention lets go: all but the `keep` newest, those begun longer ago than `older_than_s`, or both.

    An id that does not say when its run was begun is never too old.
    """
    ids = sorted(set(run_ids))
    going = set(ids[: max(0, len(ids) - keep)]) if keep is not None else set()
    if older_than_s is not None:
        oldest = _before(now.astimezone(UTC), older_than_s)
        going |= {each for each in ids if "" < made_at(each) < oldest}
    return going


def _before(now: datetime, seconds: float) -> str:
    """So long before `now`, in ISO 8601; the first moment of the calendar where there is none."""
    try:
        return (now - timedelta(seconds=seconds)).isoformat()
    except OverflowError:
        return datetime.min.isoformat()


def remove_local(root: Path, run_ids: Iterable[str]) -> list[str]:
    """Remove runs of the archive at `root`, each in one step; one that is being measured stays.

    Returns:
        The ids of those removed.
    """
    states = {run.run_id: run.state for run in local_runs(root)}
    removed = []
    for run_id in sorted(run_ids):
        path = runs_folder(root) / run_id
        if states.get(run_id) == RunState.OPEN and _touched_within(path / MANIFEST, _ABANDONED_S):
            continue  # its owner may have been killed a moment ago, and want to go on
        with contextlib.suppress(FileNotFoundError):  # somebody else has
            if _taken_away(path):
                removed.append(run_id)
    return removed


def _taken_away(path: Path) -> bool:
    """Remove the run in `path`, unless somebody owns it; nobody can get hold of it meanwhile."""
    ownership = Ownership(path=path / OWNER)
    if ownership.acquire() is not None:
        return False
    try:
        gone = path.with_name(f".{path.name}.{os.getpid()}{_GONE}")
        path.rename(gone)
        durable.sync(path.parent)
        shutil.rmtree(gone, ignore_errors=True)
    finally:
        ownership.release()
    return True


def clear_removed(root: Path) -> None:
    """Remove what is left of runs whose removal was cut short."""
    for gone in runs_folder(root).glob(f".*{_GONE}"):
        shutil.rmtree(gone, ignore_errors=True)


def _local(folder: Path) -> Iterator[ListedRun]:
    """From the newest to the oldest; none is read before it is asked for."""
    names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208
    for name in sorted(names, reverse=True):
        content = None if name.startswith(".") else _manifest(f"{folder}/{name}")
        if content is not None:
            ours = is_plain_name(name)
            shown = name if ours else ascii(name)[1:-1][:_LONGEST_NAME]
            yield _listed(shown, content if ours else b"", _pairs(f"{folder}/{name}"))


def _listed(run_id: str, content: bytes, pairs: int) -> ListedRun:
    try:
        facts = _FACTS.validate_json(content)
    except ValidationError:
        return ListedRun(run_id=run_id, kind=None, state=_DAMAGED, pairs=pairs, builds=(), here=True)
    builds = tuple(built.label[:_LONGEST_NAME] for built in islice(facts.builds.values(), len(Side)))
    return ListedRun(run_id=run_id, kind=facts.kind, state=facts.state, pairs=pairs, builds=builds, here=True)


def _manifest(run: str) -> bytes | None:
    # Not by Path: ten thousand of them would take longer than the reading.
    try:
        return files.content(f"{run}/{MANIFEST}", most=_MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return b""  # there is something, and it is no manifest


def _pairs(run: str) -> int:
    try:
        return sum(map(is_pair, os.listdir(f"{run}/pairs")))  # noqa: PTH208
    except OSError:
        return 0


def _touched_within(path: Path, seconds: float) -> bool:
    try:
        return time.time() - path.stat().st_mtime < seconds
    except OSError:
        return False
