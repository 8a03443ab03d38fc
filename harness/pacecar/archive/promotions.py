"""Baselines in a store that machines share: a small object says which run became the baseline of which branch.

    baselines/feature!2Forders/<time>.<run>...json    a promotion, put after everything it refers to
    runs/..., builds/...                              what it refers to

A promotion is one object, put whole or not at all and never changed, so that two that happen at once are both there.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import secrets
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter

from pacecar.archive import ObjectGone, RunError, fetched, records
from pacecar.archive.baselines import Baseline, Promotion, in_words
from pacecar.archive.builds import checked_build
from pacecar.archive.names import FIRST_COPY, BuildName, PromotionName, RunName, escaped, unescaped
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import RUNS, Shared, run_object
from pacecar.model.stored_builds import StoredBuild, StoredFile
from pacecar.system.disk import durable

_FOLDER = "baselines"
_BUILDS = "builds"
_MOST_BYTES = 1024**2
#: As long as a file's name may be.
_MOST_BRANCH = 240
_TRIES = 10
_PAUSE_S = 0.2


@dataclass(frozen=True, kw_only=True)
class _Record:
    """The content of a promotion: names of what it refers to, without their folders."""

    branch: str
    promoted: str
    run: str
    build: StoredBuild | None
    content: str | None = None
    schema_version: int = 1


_RECORDS = TypeAdapter(_Record)


class SharedStore:
    """The baselines in a shared store; a `baselines.Store`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @property
    def place(self) -> str:
        """The store's URL."""
        return self._shared.bucket.url

    def baselines(self) -> list[Baseline]:
        """All of them, by their names alone."""
        found = []
        for (folder, name), size in self._shared.bucket.names_below(_FOLDER).items():
            promotion = PromotionName.read(name)
            if promotion is not None and promotion.size == size:
                found.append(
                    Baseline(
                        branch=unescaped(folder),
                        run_id=promotion.run_id,
                        promoted=promotion.promoted,
                        forks=promotion.forks,
                        build=promotion.build,
                        location=f"{_FOLDER}/{folder}/{name}",
                    )
                )
        return found

    def damaged(self) -> list[str]:
        """None: names alone are read, and what is not named like a promotion is somebody else's."""
        return []

    def keep(self, promotion: Promotion) -> Baseline:
        """Put run and build unless they are there, then the promotion.

        Raises:
            StoreError: when the store cannot be used.
        """
        _check_branch(promotion.branch)
        before: Baseline | None = None
        for attempt in range(_TRIES):
            anew = attempt > 0
            run = self._shared.put(promotion.run, anew=anew)
            content = self._put_content(promotion, anew=anew)
            baseline = self._put_promotion(promotion, run=run, content=content)
            if before is not None:
                self._shared.bucket.remove(before.location)
            if self._shared.stays([run_object(run), *([f"{_BUILDS}/{content}"] if content else [])]):
                return baseline
            # Somebody who did not know of this promotion yet removes what it refers to.
            before, promotion = baseline, _a_moment_later(promotion)
            time.sleep(random.uniform(0, _PAUSE_S))  # noqa: S311  so that the two fall out of step
        if before is not None:
            self._shared.bucket.remove(before.location)
        raise RunError(f"{self.place} keeps being pruned.", hint="Try again: pacecar baseline promote")

    def run_of(self, baseline: Baseline) -> RunDirectory:
        """The run, brought into the local archive."""
        return self._shared.fetch(self._run_name(baseline))

    def build_of(self, baseline: Baseline) -> tuple[StoredBuild, Path | None]:
        """Its build, with the file brought into the local archive."""
        record = self._record(baseline)
        return checked_build(record.build, baseline=baseline, file=lambda file: self._content(record, file))

    def check(self, baseline: Baseline) -> None:
        """Bring run and build here and read them to their end."""
        self._shared.check(self._run_name(baseline))
        if self._record(baseline).build is not None:
            self.build_of(baseline)

    def forget(self, baseline: Baseline) -> bool:
        """Remove the promotion. Its run stays among the runs until those are pruned."""
        return self._shared.bucket.remove(baseline.location)

    def tidy(self) -> None:
        """Remove builds that no promotion refers to, and what was left of removals."""
        found = {f"{_BUILDS}/{name}" for name in self._shared.bucket.names(_BUILDS)}
        unneeded = sorted(found - self.needed())
        self._shared.remove(unneeded, needed=self.needed)
        self._shared.tidy()

    def supersede(self, run_id: str) -> None:
        """Remove copies of a run that hold less of it than another one does, and that no promotion refers to.

        Raises:
            StoreError: when the store cannot be used.
        """
        copies = self._shared.copies(run_id)
        less = [run_object(each) for each in copies if (each.pairs, each.state) != (copies[0].pairs, copies[0].state)]
        self._shared.remove(less, needed=lambda: self.needed(of=run_id))

    def needed(self, *, of: str | None = None) -> set[str]:
        """Names of all runs and builds that a promotion refers to; with `of` by those of one run alone.

        Raises:
            RunError: when a promotion cannot be read, since then nobody knows.
        """
        names: set[str] = set()
        for baseline in self.baselines():
            if of is not None and baseline.run_id != of:
                continue
            with contextlib.suppress(ObjectGone):  # pruned by somebody else at this moment
                record = self._record(baseline)
                names.add(f"{RUNS}/{record.run}")
                if record.content:
                    names.add(f"{_BUILDS}/{record.content}")
        return names

    def _put_content(self, promotion: Promotion, *, anew: bool) -> str | None:
        file = promotion.build.file if promotion.build is not None else None
        if file is None or promotion.content is None:
            return None
        name = BuildName(
            sha256=file.sha256,
            size=file.size,
            copy=secrets.token_hex(4) if anew else FIRST_COPY,
        )
        if self._shared.bucket.names(_BUILDS).get(str(name)) != name.size:
            self._shared.bucket.put_file(f"{_BUILDS}/{name}", promotion.content)
        return str(name)

    def _put_promotion(self, promotion: Promotion, *, run: RunName, content: str | None) -> Baseline:
        manifest = promotion.run.manifest
        record = _Record(
            branch=promotion.branch,
            promoted=promotion.promoted,
            run=str(run),
            build=promotion.build,
            content=content,
        )
        text = records.to_json(_RECORDS, record)
        name = PromotionName(
            promoted=promotion.promoted,
            run_id=manifest.run_id,
            forks=run.pairs,
            size=len(text),
            digest=hashlib.sha256(text).hexdigest()[:16],
            build=in_words(manifest.builds[manifest.promoted_side]),
        )
        location = f"{_FOLDER}/{escaped(promotion.branch, most=_MOST_BRANCH)}/{name}"
        self._shared.bucket.put(location, text)
        return Baseline(
            branch=promotion.branch,
            run_id=manifest.run_id,
            promoted=promotion.promoted,
            forks=run.pairs,
            build=name.build,
            location=location,
        )

    def _record(self, baseline: Baseline) -> _Record:
        where = f"{self.place}/{baseline.location}"
        text = self._shared.bucket.content(baseline.location, most=_MOST_BYTES)
        name = PromotionName.read(baseline.location.rpartition("/")[2])
        if name is None or hashlib.sha256(text).hexdigest()[:16] != name.digest:
            raise RunError(f"{where} is damaged: its content is not what its name says.")
        record = records.validated(_RECORDS, text, where=where)
        if record.schema_version > 1:
            raise RunError(f"{where} was written by a newer Pacecar.", hint="Read it with that version.")
        return record

    def _run_name(self, baseline: Baseline) -> RunName:
        name = RunName.read(self._record(baseline).run)
        if name is None or name.run_id != baseline.run_id:
            raise RunError(f"{self.place}/{baseline.location} is damaged: it does not name its run.")
        return name

    def _content(self, record: _Record, file: StoredFile) -> Path:
        """The patch or artifact in the local archive, under its digest."""
        name = BuildName.read(record.content or "")
        if name is None or (name.sha256, name.size) != (file.sha256, file.size):
            raise RunError(f"{self.place}: the promotion of {record.branch} is damaged: it does not name its build.")
        path = fetched.folder_in(self._shared.root) / _BUILDS / file.sha256 / file.name
        while not (fetched.hold(path.parent) and path.is_file()):
            with self._shared.workshop() as folder:
                self._shared.bucket.download(f"{_BUILDS}/{name}", folder / "content", size=name.size)
                durable.copy_file(folder / "content", path)
        return path


def _check_branch(branch: str) -> None:
    if unescaped(escaped(branch, most=_MOST_BRANCH)) != branch:
        raise RunError(f"The name of branch {branch[:60]!r}... is too long for a shared store.")


def _a_moment_later(promotion: Promotion) -> Promotion:
    later = datetime.fromisoformat(promotion.promoted) + timedelta(microseconds=1)
    return replace(promotion, promoted=later.isoformat(timespec="microseconds"))
