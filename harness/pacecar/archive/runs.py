"""A run on disk: its manifest, and its pairs, each there whole or not at all.

    .pacecar/                         the archive's root
        .gitignore                    keeps it out of the project's history
        runs/20250301-101500-9f3a/    one run, see `recording` for what is in it
            manifest.json
            pairs/01/                 a pair that is whole
            pairs/.02.part/           a pair in the making; nobody but its writer looks at it
            explanation/07/           pairs that decide nothing, see `write_explanation`
            .owner                    locked by the process that writes the run, gone when it is done

A crash loses at most the pair in the making. Nothing is ever changed inside a pair that has its final name.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from pacecar.archive import RunError, advised, records
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, Manifest, Pair, RunState
from pacecar.system.disk import durable, room_for
from pacecar.system.resources.ownership import Ownership, Taken

MANIFEST = "manifest.json"
OWNER = ".owner"
_PAIR_NAME = re.compile(r"(?!00$)(\d\d|[1-9]\d{2,3})", re.ASCII)
_PART_NAME = re.compile(r"\.\d{2,4}\.part")


def new_run_id() -> str:
    """`YYYYMMDD-HHMMSS-<4 hex>` in UTC: sorts by time, and two runs of one second differ."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class RunTaken(RunError):
    """Another process writes the run, or may do so for all that can be told."""


class RunDirectory:
    """One run on disk, to be read by anyone and written by the one Pacecar that measures it."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self._manifest = manifest
        self._ownership = Ownership(path=path / OWNER)

    @classmethod
    @contextlib.contextmanager
    def owned_from_birth(cls, root: Path, manifest: Manifest) -> Iterator[RunDirectory]:
        """`create`, with a run that is `owned` at every moment that anybody can see it."""
        run = cls._born(root, manifest)
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(run.owned())
                run.write_manifest(manifest)
            except BaseException:  # a run without a manifest is none
                shutil.rmtree(run.path, ignore_errors=True)
                raise
            yield run

    @classmethod
    def create(cls, root: Path, manifest: Manifest) -> RunDirectory:
        """Make the directory of a new run below the archive's `root`, and store its manifest.

        Raises:
            RunError: when there is a run of that id.
            NoRoom: when there is no room.
        """
        with cls.owned_from_birth(root, manifest) as run:
            return run

    @classmethod
    def _born(cls, root: Path, manifest: Manifest) -> RunDirectory:
        path = runs_folder(root) / manifest.run_id
        with room_for(path):
            make_root(root)
            try:
                durable.private_folder(path)
            except FileExistsError as error:
                raise RunError(f"Run {manifest.run_id} already exists in {root}.") from error
            run = cls(path, manifest)
            try:
                run._pairs_folder.mkdir()
                durable.sync(path.parent)
            except BaseException:
                shutil.rmtree(path, ignore_errors=True)
                raise
        return run

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """The run in the directory `path`, as far as it has got.

        Raises:
            RunError: when there is no run, its manifest is damaged, or a newer Pacecar wrote it.
        """
        if not (path / MANIFEST).is_file():
            raise RunError(f"{path} is not a run: it has no {MANIFEST}.", hint="Name a folder below .pacecar/runs.")
        with advised(f"Remove the run: {shlex.join(['rm', '-r', str(path)])}"):
            return cls(path, records.read_manifest(path / MANIFEST))

    @property
    def manifest(self) -> Manifest:
        """What the run is; as of opening or of the last `write_manifest`."""
        return self._manifest

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Be the only one who may write the run. Within itself it asks for nothing more.

        Whoever owns a run sees its manifest as the last owner has left it.

        Raises:
            RunTaken: when another process owns it, or may for all that can be told.
            NoRoom: when there is no room for the lock.
        """
        first = not self._ownership.held
        try:
            with room_for(self.path):
                taken = self._ownership.acquire()
        except FileNotFoundError as error:
            raise RunError(f"Run {self.path.name} is gone: somebody has removed it.") from error
        if taken is not None:
            raise refused(f"run {self.path.name}", taken, self.path / OWNER)
        try:
            if first and (self.path / MANIFEST).is_file():
                self._manifest = records.read_manifest(self.path / MANIFEST)
            yield
        finally:
            self._ownership.release()

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step.

        Raises:
            NoRoom: when there is no room; the manifest on disk stays as it was.
            RunTaken: when another process owns the run.
        """
        with self.owned():
            durable.write_bytes(self.path / MANIFEST, records.to_json(records.manifest_adapter(), manifest))
            self._manifest = manifest

    def set_state(self, state: RunState) -> None:
        """`write_manifest` with another state, and no leftovers of pairs that were not finished."""
        with self.owned():
            for part in (*self._pairs_folder.iterdir(), *self._explanation_folder.glob("*")):
                if _PART_NAME.fullmatch(part.name):
                    shutil.rmtree(part, ignore_errors=True)
            self.write_manifest(replace(self.manifest, state=state))

    def write_pair(self, pair: Pair, raw: dict[Side, Path]) -> None:
        """Store a pair and copies of its raw files; until this returns the run is as if there were no such pair.

        Args:
            pair: record and tables.
            raw: per side the folder of Gatling's log, the agent's chunks, GC log and service log.

        Raises:
            RunError: when the pair is stored already, or a table is not as `tables.TABLES` says.
            RunTaken: when another process owns the run.
            NoRoom: when there is no room; earlier pairs stay readable.
        """
        with self.owned():
            self._write_pair(self._pair_path(pair.record.number), pair, raw)

    def write_explanation(self, pair: Pair, raw: dict[Side, Path]) -> None:
        """Store a pair that was measured to see why, not how much: no verdict rests on it. Raises like `write_pair`."""
        with self.owned():
            with room_for(self.path):
                self._explanation_folder.mkdir(exist_ok=True)
            self._write_pair(self._explanation_folder / _name(pair.record.number), pair, raw)

    def _write_pair(self, final: Path, pair: Pair, raw: dict[Side, Path]) -> None:
        if final.exists():
            raise RunError(f"Pair {pair.record.number} of run {self.path.name} is stored already.")
        part = final.with_name(f".{final.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        with room_for(final):
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
        return _read(path, number)

    @property
    def has_explanation(self) -> bool:
        """Whether there are pairs of `write_explanation`."""
        return bool(self._explanation_names())

    def explanation(self) -> list[Pair]:
        """The pairs of `write_explanation`, in order. Raises RunError like `read_pair`."""
        return [_read(self._explanation_folder / name, int(name)) for name in self._explanation_names()]

    def _explanation_names(self) -> list[str]:
        if not self._explanation_folder.is_dir():
            return []
        return sorted(path.name for path in self._explanation_folder.iterdir() if is_pair(path.name))

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

    @property
    def _explanation_folder(self) -> Path:
        return self.path / "explanation"

    def _pair_path(self, number: int) -> Path:
        return self._pairs_folder / _name(number)


def _name(number: int) -> str:
    return f"{number:02d}"


def refused(what: str, taken: Taken, path: Path) -> RunTaken:
    """Why `what`, whose lock is the file `path`, cannot be written by us."""
    if taken.doubt is None:
        return RunTaken(
            f"{what[0].upper()}{what[1:]} is being written by {taken.holder}.",
            hint="Wait until it ends, or stop it; what it has measured so far can be read.",
        )
    return RunTaken(
        f"Pacecar cannot tell whether {taken.holder} still writes {what}: {taken.doubt}.",
        hint=f"Continue on the machine where it began; or, if you are certain that it has ended: rm {path}",
    )


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


def find_run(root: Path, name: str | None = None) -> RunDirectory:
    """The run called `name`: a run id or a folder; the latest without a name.

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
    """Make the archive's folder: private, and kept out of the project's history."""
    with contextlib.suppress(FileExistsError):
        durable.private_folder(root)
    ignore = root / ".gitignore"
    if not ignore.exists():
        durable.write_text(ignore, "# made by Pacecar\n*\n")


def _read(path: Path, number: int) -> Pair:
    aside = shlex.join(["mv", str(path), f"{path}.damaged"])
    with advised(f"Judge the run without this pair: {aside} && pacecar judge {path.parent.parent.name}"):
        return _read_whole(path, number)


def _read_whole(path: Path, number: int) -> Pair:
    record = records.read_pair(path / "pair.json")
    if record.number != number:
        raise RunError(f"{path / 'pair.json'} is damaged: it says it is pair {record.number}.")
    from pacecar.archive.tables import read_tables  # loads what reads Parquet, which most commands never do

    forks = {side: ForkData(record=fork, tables=read_tables(path / side.value)) for side, fork in record.forks.items()}
    return Pair(record=record, forks=forks)


def _fill(part: Path, pair: Pair, raw: dict[Side, Path]) -> None:
    from pacecar.archive.tables import write_tables

    part.mkdir()
    for side, fork in pair.forks.items():
        folder = part / side.value
        folder.mkdir()
        write_tables(folder, fork.tables)
        if side in raw:
            durable.copy_files(raw[side], folder / "raw")
    record = part / "pair.json"
    with durable.named(record):
        record.write_bytes(records.to_json(records.pair_adapter(), pair.record))
