"""Runs in a store that machines share, each one packed object; reading one brings it into the local archive.

    runs/<name, see `names`>              a packed run
    removals/<time and token>             names that somebody is about to remove
    .pacecar/fetched/runs/<run>-<digest>  a run that was brought here, checked

Objects are never changed, so writers cannot harm each other. Who removes says so first, and looks then whether the
object is still needed; who refers to an object looks afterwards whether its removal was announced, or is over, and if
so puts another copy. Whichever comes first, what is referred to is there.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pacecar.archive import RunError, fetched
from pacecar.archive.baselines import read_to_the_end
from pacecar.archive.bucket import Bucket
from pacecar.archive.names import RunName
from pacecar.archive.packing import pack, unpack
from pacecar.archive.runs import RunDirectory, make_root
from pacecar.model.recording import RunState
from pacecar.system.disk import durable, parts, room_for

RUNS = "runs"
_REMOVALS = "removals"
_MOST_PACKED = 4 * 1024**3
_MOST_ANNOUNCED = 8 * 1024**2
#: A removal takes seconds; who announced one so long ago is no more.
_STALE_S = 86_400
_STAMP = "%Y%m%d-%H%M%S"
#: How far back names are asked for, and what sorts after the name of every run.
_BACK = (timedelta(hours=1), timedelta(days=2), timedelta(days=30))
_LAST = "~"


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A store and the local archive that its objects are brought into.

    Attributes:
        bucket: where objects are.
        root: the local archive.
    """

    bucket: Bucket
    root: Path

    def runs(self) -> list[RunName]:
        """The runs in the store, oldest first; of several copies of a run the one with most of it first."""
        return _in_order(self.bucket.names(RUNS))

    def newest(self, count: int) -> list[RunName]:
        """The `count` newest runs and perhaps some before them, oldest first; all where there are no more.

        A store may hold years of runs. So the names of the last hour are asked for, and more only where these are few.
        """
        for back in _BACK:
            since = f"{datetime.now(UTC) - back:{_STAMP}}"
            found = _in_order(self.bucket.names_between(RUNS, since, _LAST))
            if len(found) >= count:
                return found
        return self.runs()

    def find(self, run_id: str) -> RunName | None:
        """The run of that id, as much of it as there is, or None. What this takes does not grow with the store."""
        return next(iter(self.copies(run_id)), None)

    def copies(self, run_id: str) -> list[RunName]:
        """The copies of the run of that id, the one with most of it first."""
        found = _in_order(self.bucket.names_between(RUNS, run_id, f"{run_id}/"))
        return [run for run in found if run.run_id == run_id]

    def put(self, run: RunDirectory, *, anew: bool = False) -> RunName:
        """Put a run that is not being measured, unless it is there; `anew` puts another copy of it.

        Raises:
            RunError: when it is still being measured.
            NoRoom: when there is no room to pack it.
            StoreError: when the store cannot be used.
        """
        manifest = run.manifest
        if manifest.state is RunState.OPEN:
            raise RunError(f"Run {manifest.run_id} is still being measured.", hint="Store it when it is complete.")
        there = self.find(manifest.run_id)
        if there and (there.pairs, there.state) == (len(run.pair_numbers()), manifest.state) and not anew:
            return there
        return self._put(run, anew=anew)

    def put_so_far(self, run: RunDirectory) -> RunName:
        """Put what there is of a run that is being measured by us, as if it had been interrupted now.

        Raises:
            NoRoom: when there is no room to pack it.
            StoreError: when the store cannot be used.
        """
        with self.workshop() as folder, room_for(folder):
            copy = folder / "run"
            shutil.copytree(run.path, copy, ignore=_left_out, copy_function=shutil.copyfile)
            begun = RunDirectory.open(copy)
            begun.write_manifest(replace(begun.manifest, state=RunState.INTERRUPTED))
            return self._put(begun)

    def _put(self, run: RunDirectory, *, anew: bool = False) -> RunName:
        manifest = run.manifest
        with self.workshop() as folder:
            packed = folder / "packed"
            pack(run.path, packed)
            name = RunName(
                run_id=manifest.run_id,
                kind=manifest.kind,
                state=manifest.state,
                pairs=len(run.pair_numbers()),
                size=packed.stat().st_size,
                sha256=durable.sha256(packed),
                copy=secrets.token_hex(4) if anew else "0",
                builds=tuple(built.label for built in manifest.builds.values()),
            )
            self.bucket.put_file(f"{RUNS}/{name}", packed)
        return name

    def fetch(self, name: RunName) -> RunDirectory:
        """The run called `name` in the local archive, brought there unless it is there.

        Raises:
            RunError: when it is gone, or not what its name says, or damaged.
            NoRoom: when there is no room here.
        """
        final = fetched.folder_in(self.root) / RUNS / f"{name.run_id}-{name.sha256[:16]}"
        while not fetched.hold(final):  # also where another Pacecar removes it at this moment
            self._bring(name, final)
        return RunDirectory.open(final)

    def _bring(self, name: RunName, final: Path) -> None:
        with self.workshop() as folder:
            unpacked = self._unpacked(name, folder)
            with room_for(final):
                final.parent.mkdir(parents=True, exist_ok=True)
                unpacked.chmod(0o700)
                with contextlib.suppress(FileExistsError):  # another Pacecar was first
                    durable.publish(unpacked, final)

    def check(self, name: RunName) -> None:
        """Bring the run here, read it to its end, and forget it. Raises RunError when it is damaged."""
        with self.workshop() as folder:
            self._unpacked(name, folder)

    def remove(self, names: list[str], *, needed: Callable[[], set[str]]) -> list[str]:
        """Remove objects that nobody needs.

        Each only while the removal is still announced: `tidy` on a machine whose clock is ahead, or of somebody who
        takes this process for dead after a long sleep, may have forgotten it, and then nobody is warned any more.

        Args:
            names: with their folders.
            needed: asked once the removal is announced: names of those that must stay.

        Returns:
            Those removed.
        """
        if not names:
            return []
        announcement = f"{_REMOVALS}/{datetime.now(UTC):{_STAMP}}-{secrets.token_hex(4)}.json"
        self.bucket.put(announcement, json.dumps(names).encode())
        stay = needed()
        going = (name for name in names if name not in stay)
        removed = [name for name in going if self.bucket.has(announcement) and self.bucket.remove(name)]
        self.bucket.remove(announcement)
        return removed

    def stays(self, names: list[str]) -> bool:
        """Whether objects that something refers to by now will stay: nobody removes them, nor has.

        In this order: a removal that is no longer announced is over, and then its objects are gone.
        """
        return not self._announced() & set(names) and all(map(self.bucket.has, names))

    def _announced(self) -> set[str]:
        going: set[str] = set()
        for name in self.bucket.names(_REMOVALS):
            with contextlib.suppress(RunError, ValueError, TypeError, RecursionError):
                going |= set(json.loads(self.bucket.content(f"{_REMOVALS}/{name}", most=_MOST_ANNOUNCED)))
        return going

    def tidy(self) -> None:
        """Forget removals that were announced long ago."""
        oldest = datetime.fromtimestamp(time.time() - _STALE_S, UTC).strftime(_STAMP)
        for name in self.bucket.names(_REMOVALS):
            if name < oldest:
                self.bucket.remove(f"{_REMOVALS}/{name}")
        self.bucket.clear_leftovers()

    @contextlib.contextmanager
    def workshop(self) -> Iterator[Path]:
        """A folder of the local archive for work in progress, gone on leaving."""
        place = fetched.folder_in(self.root)
        with ExitStack() as stack:
            with room_for(place):
                make_root(self.root)
                place.mkdir(exist_ok=True)
                folder = stack.enter_context(parts.new_folder(place / "work"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            yield folder

    def _unpacked(self, name: RunName, folder: Path) -> Path:
        at = f"{RUNS}/{name}"
        if name.size > _MOST_PACKED:
            raise RunError(f"{at} is larger than {_MOST_PACKED // 1024**3} GiB, so it is not one of ours.")
        packed, unpacked = folder / "packed", folder / "run"
        if self.bucket.download(at, packed, size=name.size) != name.sha256:
            raise RunError(f"{self.bucket.url}/{at} is damaged: its content is not what its name says.")
        unpack(packed, unpacked)
        packed.unlink()
        try:
            self._check_run(name, unpacked)
        except RunError as error:
            raise RunError(error.message.replace(str(unpacked), f"{self.bucket.url}/{at}"), hint=error.hint) from error
        return unpacked

    def _check_run(self, name: RunName, unpacked: Path) -> None:
        at = f"{RUNS}/{name}"
        run = RunDirectory.open(unpacked)
        if (run.manifest.run_id, run.manifest.state) != (name.run_id, name.state):
            raise RunError(f"{self.bucket.url}/{at} is damaged: it holds run {run.manifest.run_id}.")
        if len(run.pair_numbers()) != name.pairs:
            raise RunError(f"{self.bucket.url}/{at} is damaged: it does not hold {name.pairs} pairs.")
        read_to_the_end(run)


def _left_out(folder: str, names: list[str]) -> list[str]:
    """What is nobody's to have: work in progress, and what is neither file nor folder, as a link of a service's."""
    paths = ((name, Path(folder, name)) for name in names)
    return [name for name, path in paths if name.startswith(".") or path.is_symlink() or not _is_copied(path)]


def _is_copied(path: Path) -> bool:
    return path.is_file() or path.is_dir()


def _in_order(names: Mapping[str, int]) -> list[RunName]:
    """What `names` with these sizes are names of, oldest first; one of another size is still in the making."""
    read = ((RunName.read(name), size) for name, size in names.items())
    whole = (run for run, size in read if run is not None and run.size == size)
    return sorted(whole, key=_rank)


def _rank(run: RunName) -> tuple[object, ...]:
    return run.run_id, -run.pairs, run.state is not RunState.COMPLETE, run.copy != "0", run.copy


def run_object(name: RunName) -> str:
    """The object's name with its folder."""
    return f"{RUNS}/{name}"
