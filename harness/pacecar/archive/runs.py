"""A run on disk: its manifest, and its pairs, each there whole or not at all.

    .pacecar/                         the archive's root
        .gitignore                    keeps it out of the project's history
        runs/20250301-101500-9f3a/    one run, see `recording` for what is in it
            manifest.json
            pairs/01/                 a pair that is whole
            pairs/.02.part/           a pair in the making; nobody but its writer looks at it

A crash loses at most the pair in the making. Nothing is ever changed inside a pair that has its final name.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from pacecar.archive import RunError, durable, records
from pacecar.archive.tables import read_tables, write_tables
from pacecar.experiment import Side
from pacecar.recording import ForkData, Manifest, Pair, RunState

MANIFEST = "manifest.json"
_PAIR_NAME = re.compile(r"\d{2,4}")
_PART_NAME = re.compile(r"\.\d{2,4}\.part")


def new_run_id() -> str:
    """`YYYYMMDD-HHMMSS-<4 hex>` in UTC: sorts by time, and two runs of one second differ."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class RunDirectory:
    """One run on disk, to be read by anyone and written by the one Pacecar that measures it."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self._manifest = manifest

    @classmethod
    def create(cls, root: Path, manifest: Manifest) -> RunDirectory:
        """Make the directory of a new run below the archive's `root`, and store its manifest.

        Raises:
            RunError: when there is a run of that id.
            ArchiveFull: when there is no room.
        """
        path = runs_folder(root) / manifest.run_id
        with durable.room_for(path):
            make_root(root)
            try:
                (path / "pairs").mkdir(parents=True)
            except FileExistsError as error:
                raise RunError(f"There is a run {manifest.run_id} in {root} already.") from error
        run = cls(path, manifest)
        run.write_manifest(manifest)
        return run

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """The run in the directory `path`, as far as it has got.

        Raises:
            RunError: when there is no run, its manifest is damaged, or a newer Pacecar wrote it.
        """
        if not (path / MANIFEST).is_file():
            raise RunError(f"{path} is not a run: it has no {MANIFEST}.", hint="Name a folder below .pacecar/runs.")
        return cls(path, records.read_manifest(path / MANIFEST))

    @property
    def manifest(self) -> Manifest:
        """What the run is; as of opening or of the last `write_manifest`."""
        return self._manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step.

        Raises:
            ArchiveFull: when there is no room; the manifest on disk stays as it was.
        """
        durable.write_bytes(self.path / MANIFEST, records.to_json(records.MANIFEST, manifest))
        self._manifest = manifest

    def set_state(self, state: RunState) -> None:
        """`write_manifest` with another state, and no leftovers of pairs that were not finished."""
        for part in self._pairs_folder.iterdir():
            if _PART_NAME.fullmatch(part.name):
                shutil.rmtree(part, ignore_errors=True)
        self.write_manifest(replace(self.manifest, state=state))

    def write_pair(self, pair: Pair, raw: dict[Side, Path]) -> None:
        """Store a pair and copies of its raw files; until this returns the run is as if there were no such pair.

        Args:
            pair: record and tables.
            raw: per side the folder of Gatling's log, the agent's chunks, GC log and service log.

        Raises:
            RunError: when the pair is stored already, or a table is not as `recording.TABLES` says.
            ArchiveFull: when there is no room; earlier pairs stay readable.
        """
        number = pair.record.number
        final = self._pair_path(number)
        if final.exists():
            raise RunError(f"Pair {number} of run {self.path.name} is stored already.")
        part = self._pairs_folder / f".{final.name}.part"
        shutil.rmtree(part, ignore_errors=True)
        with durable.room_for(final):
            try:
                _fill(part, pair, raw)
                durable.publish(part, final)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise

    def pair_numbers(self) -> list[int]:
        """Numbers of the pairs that are whole, ascending."""
        if not self._pairs_folder.is_dir():
            return []
        return sorted(int(path.name) for path in self._pairs_folder.iterdir() if is_pair(path.name))

    def read_pair(self, number: int) -> Pair:
        """Pair `number` with all its tables.

        Raises:
            RunError: when there is no such pair, or a file of it is missing or damaged.
        """
        path = self._pair_path(number)
        if not path.is_dir():
            known = ", ".join(map(str, self.pair_numbers())) or "none"
            raise RunError(f"Run {self.path.name} has no pair {number}; it has: {known}.")
        record = records.read(records.PAIR, path / "pair.json")
        if record.number != number:
            raise RunError(f"{path / 'pair.json'} is damaged: it says it is pair {record.number}.")
        forks = {
            side: ForkData(record=fork, tables=read_tables(path / side.value)) for side, fork in record.forks.items()
        }
        return Pair(record=record, forks=forks)

    def pairs(self) -> Iterator[Pair]:
        """All pairs that are whole, in order, read one at a time. Raises RunError like `read_pair`."""
        for number in self.pair_numbers():
            yield self.read_pair(number)

    def raw(self, number: int, side: Side) -> Path:
        """The folder of raw files of one fork of a pair that is whole."""
        return self._pair_path(number) / side.value / "raw"

    @property
    def _pairs_folder(self) -> Path:
        return self.path / "pairs"

    def _pair_path(self, number: int) -> Path:
        return self._pairs_folder / f"{number:02d}"


def is_pair(name: str) -> bool:
    """Whether the folder `name` of a run's pairs is a pair that is whole."""
    return _PAIR_NAME.fullmatch(name) is not None


def runs_folder(root: Path) -> Path:
    """Where the runs of the archive at `root` lie."""
    return root / "runs"


def run_ids(root: Path) -> list[str]:
    """Ids of the runs of the archive at `root`, oldest first."""
    return sorted(path.parent.name for path in runs_folder(root).glob(f"[!.]*/{MANIFEST}"))


def latest(root: Path) -> RunDirectory:
    """The newest run of the archive at `root`.

    Raises:
        RunError: when there is none.
    """
    ids = run_ids(root)
    if not ids:
        raise RunError(f"There is no run in {root}.", hint="Make one: pacecar compare")
    return RunDirectory.open(runs_folder(root) / ids[-1])


def find(root: Path, name: str = "") -> RunDirectory:
    """The run called `name`: a run id, a folder, or "" for the latest.

    Raises:
        RunError: when there is no such run; says which one may have been meant.
    """
    if not name:
        return latest(root)
    ids = run_ids(root)
    if name in ids:
        return RunDirectory.open(runs_folder(root) / name)
    if Path(name).is_dir():
        return RunDirectory.open(Path(name))
    meant = get_close_matches(name, ids, n=1, cutoff=0.5) or ids[-1:]
    hint = f"Did you mean {meant[0]}?" if meant else "Make one: pacecar compare"
    raise RunError(f"There is no run {name!r} in {root}.", hint=hint)


def make_root(root: Path) -> None:
    """Make the archive's folder, kept out of the project's history."""
    root.mkdir(parents=True, exist_ok=True)
    ignore = root / ".gitignore"
    if not ignore.exists():
        ignore.write_text("# made by Pacecar\n*\n")


def _fill(part: Path, pair: Pair, raw: dict[Side, Path]) -> None:
    part.mkdir()
    for side, fork in pair.forks.items():
        folder = part / side.value
        folder.mkdir()
        write_tables(folder, fork.tables)
        if side in raw:
            durable.copy_files(raw[side], folder / "raw")
    (part / "pair.json").write_bytes(records.to_json(records.PAIR, pair.record))
