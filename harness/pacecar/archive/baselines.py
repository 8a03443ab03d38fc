"""Baselines: runs kept for a branch, to compare later builds with, and what deploys their builds again.

Where they are kept is a `Store`: `folders` keeps copies in the archive's own folder, `promotions` objects that machines
share. The rules are the same for both, and stand here. The run promoted last counts; the earlier ones stay for a way
back, and to tell how far days lie apart, until they are pruned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from pacecar.archive import RunError
from pacecar.archive.runs import RunDirectory
from pacecar.model.recording import BuiltSide, RunState
from pacecar.model.stored_builds import StoredBuild

#: A clock that is so far ahead is broken.
LAST_YEAR = 2999
#: A safe subset of what `git check-ref-format` allows.
_BRANCH = re.compile(r"(?![./-])[^\x00-\x20\x7f~^:?*\[\\]{1,200}")
_RUN_OF_BRANCH = re.compile(r"(?P<branch>.+)@(?P<run>\d{8}-\d{6}-[0-9a-f]{4})")


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A run kept for a branch.

    Attributes:
        branch: as git calls it.
        run_id: the run it is.
        promoted: when it became the branch's baseline: ISO 8601 with microseconds, UTC.
        forks: how many pairs or forks it has.
        build: what was recorded, in a few words.
        location: where it is kept: a folder, or an object's name.
    """

    branch: str
    run_id: str
    promoted: str
    forks: int
    build: str
    location: str


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """What is to be kept: a run for a branch.

    Attributes:
        run: with at least one pair, and not being measured.
        branch: as git calls it.
        promoted: as in `Baseline`; later than that of any other baseline of the branch.
        build: what deploys its build again; None for a run whose build is not kept.
        content: the patch or artifact that `build` needs; None when it needs none.
    """

    run: RunDirectory
    branch: str
    promoted: str
    build: StoredBuild | None = None
    content: Path | None = None


class Store(Protocol):
    """Where baselines are kept. Two Pacecars may use it at once: what `keep` returned is not lost by the other."""

    @property
    def place(self) -> str:
        """Where it is, for people."""

    def baselines(self) -> list[Baseline]:
        """All baselines, in any order, without opening them where that can be; damaged ones are left out."""

    def damaged(self) -> list[str]:
        """A sentence for each that `baselines` leaves out."""

    def keep(self, promotion: Promotion) -> Baseline:
        """Keep a run for a branch, whole or not at all. Raises NoRoom or StoreError."""

    def run_of(self, baseline: Baseline) -> RunDirectory:
        """The run, in a folder of this machine. Raises RunError when it is damaged."""

    def build_of(self, baseline: Baseline) -> tuple[StoredBuild, Path | None]:
        """What deploys its build again, with its patch or artifact in a file of this machine, its digest checked.

        Raises:
            RunError: when it is damaged, or was kept without its build.
        """

    def check(self, baseline: Baseline) -> None:
        """Read the baseline to its end, from where it is kept. Raises RunError when it is damaged."""

    def forget(self, baseline: Baseline) -> bool:
        """Take the baseline away in one step; False when somebody else has."""

    def tidy(self) -> None:
        """Remove what promotions left that were killed, and what no baseline needs any more."""


def check_promotable(run: RunDirectory, branch: str) -> None:
    """Raise RunError when `run` is still being measured or has no pair, or `branch` is not a branch's name."""
    name = run.manifest.run_id
    if not _BRANCH.fullmatch(branch):
        raise RunError(f"{branch!r} is not the name of a branch.")
    if run.manifest.state is RunState.OPEN:
        raise RunError(
            f"Run {name} is still being measured.", hint="Wait until it ends, or continue it: pacecar resume"
        )
    if not run.pair_numbers():
        raise RunError(
            f"Run {name} has no pair, so there is nothing to compare with.", hint="Record one: pacecar record"
        )


def promote(
    run: RunDirectory, branch: str, store: Store, *, build: StoredBuild | None = None, content: Path | None = None
) -> Baseline:
    """Keep `run` as the baseline of `branch`. Promoting it again makes it the newest again.

    Args:
        run: what becomes the baseline.
        branch: as git calls it.
        store: where it is kept.
        build: what deploys its build again.
        content: the patch or artifact that `build` needs.

    Raises:
        RunError: see `check_promotable`.
        NoRoom: when there is no room; the branch keeps the baseline it had.
        StoreError: when the store cannot be used.
    """
    check_promotable(run, branch)
    if build is not None and content is not None:
        build = replace(build, size=content.stat().st_size)
    moment = datetime.now(UTC)
    if of_branch := [each for each in store.baselines() if each.branch == branch]:
        # Another machine's clock may be ahead of ours: what is promoted last counts all the same.
        newest = datetime.fromisoformat(max(each.promoted for each in of_branch))
        moment = max(moment, newest + timedelta(microseconds=1))
    promoted = moment.isoformat(timespec="microseconds")
    return store.keep(Promotion(run=run, branch=branch, promoted=promoted, build=build, content=content))


def list_baselines(store: Store) -> list[Baseline]:
    """All baselines of `store`, by branch, the newest of each branch last."""
    return sorted(store.baselines(), key=lambda baseline: (baseline.branch, baseline.promoted, baseline.run_id))


def find_baseline(store: Store, name: str) -> Baseline:
    """The baseline that counts for the branch `name`, which is the one promoted last; `BRANCH@RUN` names another one.

    Raises:
        RunError: when there is none; says which branch may have been meant.
    """
    baselines = list_baselines(store)
    if of_branch := [baseline for baseline in baselines if baseline.branch == name]:
        return of_branch[-1]
    if match := _RUN_OF_BRANCH.fullmatch(name):
        for baseline in reversed(baselines):
            if (baseline.branch, baseline.run_id) == (match["branch"], match["run"]):
                return baseline
    branches = sorted({baseline.branch for baseline in baselines if baseline.branch.isprintable()})
    raise RunError(f"There is no baseline for branch {name!r}.", hint=_hint(name, branches))


def baseline_run(store: Store, name: str) -> RunDirectory:
    """The run that is the baseline called `name`, see `find_baseline`, ready to be read.

    Raises:
        RunError: when there is none, or it is damaged.
    """
    return store.run_of(find_baseline(store, name))


def prune(store: Store, *, keep: int) -> list[Baseline]:
    """Remove all but the `keep` newest baselines of every branch, and what promotions left that were killed.

    Args:
        store: where they are kept.
        keep: at least 1, so that no branch loses the baseline that counts.

    Returns:
        Those removed. One that somebody else removes meanwhile is not among them.
    """
    found = list_baselines(store)
    newest = {
        baseline.location
        for branch in {baseline.branch for baseline in found}
        for baseline in [each for each in found if each.branch == branch][-max(1, keep) :]
    }
    removed = [baseline for baseline in found if baseline.location not in newest and store.forget(baseline)]
    store.tidy()
    return removed


def verify(store: Store) -> tuple[int, list[str]]:
    """How many baselines there are, and a sentence for each that cannot be read to its end."""
    found = list_baselines(store)
    damaged = store.damaged()
    count = len(found) + len(damaged)
    for baseline in found:
        try:
            store.check(baseline)
        except RunError as error:
            damaged.append(error.message)
    return count, damaged


def read_to_the_end(run: RunDirectory) -> None:
    """Read every pair of `run` and forget it. Raises RunError at the first that is damaged."""
    for number in run.pair_numbers():
        run.read_pair(number)


def check_moment(promoted: str, *, where: str) -> None:
    """Raise RunError unless `promoted` is a time with its zone, and one that a later one can follow."""
    try:
        moment = datetime.fromisoformat(promoted)
    except ValueError as error:
        raise RunError(f"{where} is damaged: it does not say when it was promoted.") from error
    if moment.tzinfo is None or moment.year > LAST_YEAR:
        raise RunError(f"{where} is damaged: {promoted[:40]!r} is not a time.")


def in_words(built: BuiltSide) -> str:
    """What was recorded: its label, and the first digits of its commit."""
    return built.label if built.commit is None else f"{built.label} {built.commit[:10]}"


def _hint(branch: str, branches: list[str]) -> str:
    if not branches:
        return f"Keep one: pacecar record, then pacecar baseline promote --branch {branch}"
    meant = get_close_matches(branch, branches, n=1)
    return f"Did you mean {meant[0]!r}?" if meant else f"There are baselines for: {', '.join(branches[:10])}."
