"""Baselines in the archive's own folder: full copies, so that old runs may be deleted.

.pacecar/baselines/feature%2Forders/20250301-101500-9f3a/    a full copy of the run
    promoted.json                                            when it became the branch's baseline, and its build
    build/orders.jar                                         the patch or artifact of that build, if it needs one
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from pydantic import TypeAdapter

from pacecar.archive import RunError, records
from pacecar.archive.baselines import Baseline, Promotion, check_moment, in_words, read_to_the_end
from pacecar.archive.builds import checked_build
from pacecar.archive.runs import OWNER, RunDirectory
from pacecar.model.stored_builds import StoredBuild
from pacecar.system.disk import durable, parts, room_for
from pacecar.system.disk.leftovers import remove_leftovers

_STAMP = "promoted.json"
_BUILD = "build"
_GONE = ".gone"
_TRIES = 5
_PAUSE_S = 0.05


@dataclass(frozen=True, kw_only=True)
class _Stamp:
    promoted: str
    build: StoredBuild | None = None


_STAMPS = TypeAdapter(_Stamp)


class FolderStore:
    """The baselines in the archive at `root`; a `baselines.Store`."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "baselines"

    @property
    def place(self) -> str:
        """The folder of baselines."""
        return str(self._folder)

    def baselines(self) -> list[Baseline]:
        """All that are stamped; a copy that was cut short is not, and one that is damaged is left out."""
        return [each for each in self._read_all() if isinstance(each, Baseline)]

    def damaged(self) -> list[str]:
        """A sentence for each whose stamp or run is damaged."""
        return [each.message for each in self._read_all() if isinstance(each, RunError)]

    def keep(self, promotion: Promotion) -> Baseline:
        """Copy the run unless it is there, then its build, then stamp it.

        Raises:
            NoRoom: when there is no room; the branch keeps the baseline it had.
        """
        run = promotion.run
        path = self._folder / quote(promotion.branch, safe="") / run.manifest.run_id
        for _ in range(_TRIES):
            try:
                self._place(promotion, path)
                return _read(path / _STAMP)
            except FileNotFoundError:
                time.sleep(_PAUSE_S)  # somebody has pruned this very baseline meanwhile, or is about to
        raise RunError(f"{path} keeps being removed.", hint="Promote it again: pacecar baseline promote")

    def run_of(self, baseline: Baseline) -> RunDirectory:
        """The copy itself."""
        return RunDirectory.open(Path(baseline.location))

    def build_of(self, baseline: Baseline) -> tuple[StoredBuild, Path | None]:
        """Its build, with the file beside the copy."""
        path = Path(baseline.location)
        return checked_build(
            records.read(_STAMPS, path / _STAMP).build,
            baseline=baseline,
            file=lambda file: path / _BUILD / file.name,
        )

    def check(self, baseline: Baseline) -> None:
        """Read run and build to their end."""
        read_to_the_end(self.run_of(baseline))
        if records.read(_STAMPS, Path(baseline.location) / _STAMP).build is not None:
            self.build_of(baseline)

    def forget(self, baseline: Baseline) -> bool:
        """Take the folder's name away in one step, then its content: a reader finds all of it or nothing."""
        path = Path(baseline.location)
        gone = path.with_name(f".{path.name}.{os.getpid()}{_GONE}")
        try:
            path.rename(gone)
        except FileNotFoundError:
            return False
        durable.sync(path.parent)
        shutil.rmtree(gone, ignore_errors=True)
        return True

    def tidy(self) -> None:
        """Remove what was begun by somebody who is dead and never stamped, or was being removed."""
        for gone in self._folder.glob(f"*/*{_GONE}"):
            shutil.rmtree(gone, ignore_errors=True)
        begun = [path for path in self._folder.glob("*/*") if not _is_stamped(path)]
        remove_leftovers(begun, still=lambda path: not _is_stamped(path))

    def _read_all(self) -> Iterator[Baseline | RunError]:
        for stamp in self._stamps():
            try:
                yield _read(stamp)
            except RunError as error:
                yield error

    def _stamps(self) -> list[Path]:
        stamps = self._folder.glob(f"*/*/{_STAMP}")
        return sorted(stamp for stamp in stamps if not stamp.parent.name.startswith("."))

    def _place(self, promotion: Promotion, path: Path) -> None:
        with room_for(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                _copy(promotion.run.path, path)
        build = promotion.build
        with parts.unfinished(path):
            if build is not None and build.file is not None and promotion.content is not None:
                with room_for(path):
                    (path / _BUILD).mkdir(exist_ok=True)
                durable.copy_file(promotion.content, path / _BUILD / build.file.name)
            stamp = _Stamp(promoted=promotion.promoted, build=build)
            durable.write_bytes(path / _STAMP, records.to_json(_STAMPS, stamp))


def _is_stamped(path: Path) -> bool:
    return (path / _STAMP).exists() and not path.name.startswith(".")


def _copy(source: Path, path: Path) -> None:
    with parts.new_folder(path) as part:
        try:
            durable.copy_files(source, part)
            (part / OWNER).unlink(missing_ok=True)  # a copy is nobody's, and holds whole pairs only
            for unfinished in (part / "pairs").glob(".*.part"):
                shutil.rmtree(unfinished, ignore_errors=True)
            durable.publish(part, path)
        except FileExistsError:
            pass  # somebody else has promoted the same run meanwhile
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _read(stamp: Path) -> Baseline:
    path = stamp.parent
    promoted = records.read(_STAMPS, stamp).promoted
    check_moment(promoted, where=str(stamp))
    run = RunDirectory.open(path)
    side = run.manifest.promoted_side
    if side not in run.manifest.builds:
        raise RunError(f"{path} is damaged: it does not say what its {side.value} is.")
    return Baseline(
        branch=unquote(path.parent.name),
        run_id=path.name,
        promoted=promoted,
        forks=len(run.pair_numbers()),
        build=in_words(run.manifest.builds[side]),
        location=str(path),
    )
