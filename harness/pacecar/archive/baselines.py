"""Baselines: runs kept for a branch, to compare later builds with.

    .pacecar/baselines/feature%2Forders/20250301-101500-9f3a/    a full copy of the run
        promoted.json                                            when it became the branch's baseline

A copy, so that old runs may be deleted. The one promoted last counts; the earlier ones stay for a way back, and to tell
how far days lie apart, until they are pruned.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import quote, unquote

from pydantic import TypeAdapter

from pacecar.archive import RunError, durable, records
from pacecar.archive.runs import RunDirectory
from pacecar.recording import RunState

_STAMP = "promoted.json"
_GONE = ".gone"
#: What a promotion has in the making for longer is nobody's any more.
_STALE_S = 86_400
#: A safe subset of what `git check-ref-format` allows.
_BRANCH = re.compile(r"(?![./-])[^\x00-\x20\x7f~^:?*\[\\]{1,200}")


@dataclass(frozen=True, kw_only=True)
class _Promotion:
    promoted: str


_PROMOTION = TypeAdapter(_Promotion)


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A run kept for a branch.

    Attributes:
        branch: as git calls it.
        run_id: the run it is a copy of.
        promoted: when it became the branch's baseline: ISO 8601 with microseconds, UTC.
        path: the copy's directory.
    """

    branch: str
    run_id: str
    promoted: str
    path: Path


def promote(run: RunDirectory, branch: str, root: Path) -> Baseline:
    """Keep a copy of `run` as the baseline of `branch`. Promoting it again makes it the newest again.

    Raises:
        RunError: when the run is still being measured or has no pair, or `branch` is not a branch's name.
        ArchiveFull: when there is no room; the branch keeps the baseline it had.
    """
    _check_promotable(run)
    path = _branch_folder(branch, root) / run.manifest.run_id
    with durable.room_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _copy(run.path, path)
    stamp = _Promotion(promoted=datetime.now(UTC).isoformat(timespec="microseconds"))
    durable.write_bytes(path / _STAMP, records.to_json(_PROMOTION, stamp))
    return Baseline(branch=branch, run_id=run.manifest.run_id, promoted=stamp.promoted, path=path)


def list_baselines(root: Path) -> list[Baseline]:
    """All baselines of the archive at `root`, by branch, the newest of each branch last."""
    stamps = (root / "baselines").glob(f"*/*/{_STAMP}")
    found = [_read(stamp) for stamp in stamps if not stamp.parent.name.startswith(".")]
    return sorted(found, key=lambda baseline: (baseline.branch, baseline.promoted))


def show(root: Path, branch: str) -> Baseline:
    """The baseline that counts for `branch`: the one promoted last.

    Raises:
        RunError: when the branch has none; says which branch may have been meant.
    """
    baselines = list_baselines(root)
    of_branch = [baseline for baseline in baselines if baseline.branch == branch]
    if of_branch:
        return of_branch[-1]
    branches = sorted({baseline.branch for baseline in baselines})
    raise RunError(f"There is no baseline for branch {branch!r}.", hint=_hint(branch, branches))


def resolve(root: Path, branch: str) -> RunDirectory:
    """The run that is the baseline of `branch`, ready to be read.

    Raises:
        RunError: when the branch has none, or it is damaged.
    """
    return RunDirectory.open(show(root, branch).path)


def prune(root: Path, *, keep: int) -> list[Baseline]:
    """Remove all but the `keep` newest baselines of every branch, and what promotions left that were killed.

    Args:
        root: the archive's.
        keep: at least 1, so that no branch loses the baseline that counts.

    Returns:
        Those removed. One that somebody else removes meanwhile is not among them.
    """
    found = list_baselines(root)
    newest = {
        baseline.path
        for branch in {baseline.branch for baseline in found}
        for baseline in [each for each in found if each.branch == branch][-max(1, keep) :]
    }
    removed = [baseline for baseline in found if baseline.path not in newest and _remove(baseline.path)]
    for leftover in (root / "baselines").glob("*/.*"):
        if leftover.name.endswith((".part", _GONE)) and time.time() - leftover.stat().st_mtime > _STALE_S:
            shutil.rmtree(leftover, ignore_errors=True)
    return removed


def verify(root: Path) -> tuple[int, list[str]]:
    """How many baselines there are, and a sentence for each that cannot be read to its end."""
    stamps = [stamp for stamp in (root / "baselines").glob(f"*/*/{_STAMP}") if not stamp.parent.name.startswith(".")]
    damaged = []
    for stamp in sorted(stamps):
        try:
            run = RunDirectory.open(_read(stamp).path)
            for number in run.pair_numbers():
                run.read_pair(number)
        except RunError as error:
            damaged.append(error.message)
    return len(stamps), damaged


def _remove(path: Path) -> bool:
    """Take the folder's name away in one step, then its content: a reader finds all of it or nothing."""
    gone = path.with_name(f".{path.name}.{os.getpid()}{_GONE}")
    try:
        path.rename(gone)
    except FileNotFoundError:
        return False
    durable.sync(path.parent)
    shutil.rmtree(gone, ignore_errors=True)
    return True


def _check_promotable(run: RunDirectory) -> None:
    name = run.manifest.run_id
    if run.manifest.state is RunState.OPEN:
        raise RunError(f"Run {name} is still being measured.", hint="Wait for its end, or go on: pacecar resume")
    if not run.pair_numbers():
        raise RunError(
            f"Run {name} has no pair, so there is nothing to compare with.", hint="Record one: pacecar record"
        )


def _branch_folder(branch: str, root: Path) -> Path:
    if not _BRANCH.fullmatch(branch):
        raise RunError(f"{branch!r} is not the name of a branch.")
    return root / "baselines" / quote(branch, safe="")


def _copy(source: Path, path: Path) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        durable.copy_files(source, part)
        durable.publish(part, path)
    except FileExistsError:
        pass  # somebody else has promoted the same run meanwhile
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _read(stamp: Path) -> Baseline:
    path = stamp.parent
    promotion = records.read(_PROMOTION, stamp)
    return Baseline(branch=unquote(path.parent.name), run_id=path.name, promoted=promotion.promoted, path=path)


def _hint(branch: str, branches: list[str]) -> str:
    if not branches:
        return f"Keep one: pacecar record, then pacecar baseline promote --branch {branch}"
    meant = get_close_matches(branch, branches, n=1)
    return f"Did you mean {meant[0]!r}?" if meant else f"There are baselines for: {', '.join(branches[:10])}."
