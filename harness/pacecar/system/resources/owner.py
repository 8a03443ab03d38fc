"""Everything one Pacecar has started, from the moment before it exists until it is gone."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from pacecar.errors import UsageError
from pacecar.system import environment, paths
from pacecar.system.cluster.place import Place, label_of
from pacecar.system.resources import locks
from pacecar.system.resources.child import GRACE_S, Child, affinity
from pacecar.system.resources.clearing import MARK, clear, end_all
from pacecar.system.resources.ledger import CONTAINERS, NOTICE, PODS, ResourceLedger


class Resources:
    """Everything one Pacecar has started. Use as a context manager; leaving it ends all."""

    def __init__(self) -> None:
        self._ledger = ResourceLedger()
        self._id = self._ledger.name
        self._children: list[Child] = []
        self._held: dict[Path, int] = {}
        self._contains = False
        self._clusters: set[Place] = set()
        with contextlib.suppress(OSError):  # without a cache there is nothing to hold
            self.hold(paths.cache())  # nobody empties it meanwhile

    def __enter__(self) -> Resources:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def spawn(
        self,
        command: Sequence[str],
        *,
        name: str,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        cpus: Iterable[int] = (),
    ) -> Child:
        """Start `command` with its output appended to `log`.

        Args:
            command: argument list; never seen by a shell.
            name: what messages call it.
            log: file for stdout and stderr together.
            cwd: working directory.
            env: the whole environment; None for what any program gets, see `environment.inherited`.
            cpus: cores to run on; empty means any.

        Raises:
            UsageError: when the program does not exist or may not be run.
        """
        marked = {**(environment.inherited() if env is None else env), MARK: self._id}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output, affinity(cpus):
            try:
                process = subprocess.Popen(
                    list(command),
                    cwd=cwd,
                    env=marked,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise UsageError(
                    f"{name}: cannot start {command[0]!r}: {error.strerror}.",
                    hint="Check that the program is installed and the working directory exists: pacecar doctor",
                ) from error
        child = Child(process, name=name, log=log)
        self._children.append(child)
        return child

    def run(
        self,
        command: Sequence[str],
        *,
        name: str,
        log: Path,
        timeout_s: float,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> tuple[int | None, Child]:
        """`spawn` on any core, and `finish`."""
        child = self.spawn(command, name=name, log=log, cwd=cwd, env=env)
        return self.finish(child, timeout_s), child

    def finish(self, child: Child, timeout_s: float) -> int | None:
        """Wait for the end of `child`, or end it. Returns its exit status; None when `timeout_s` was not enough."""
        try:
            return child.wait(timeout_s)
        finally:
            self.release(child)

    def release(self, child: Child, grace_s: float = GRACE_S) -> int:
        """End one child before the rest and forget it. Returns its exit status."""
        status = child.end(grace_s)
        with contextlib.suppress(ValueError):
            self._children.remove(child)
        return status

    def folder(self, name: str, *, place: Path | None = None) -> Path:
        """A new temporary folder in `place`; without one, where its path is short enough for a socket in it."""
        own = f"pacecar-{os.getpid()}-{time.monotonic_ns() % 10**9}-{name}"
        path = (place or Path(tempfile.gettempdir())) / own
        self._ledger.note({"kind": "folder", "path": str(path)})
        path.mkdir(mode=0o700)
        return path

    def worktree(self, repository: Path, path: Path) -> None:
        """Note that `path` will be a git worktree of `repository`; it is removed as one."""
        self._ledger.note({"kind": "worktree", "repository": str(repository), "path": str(path)})

    def hold(self, folder: Path) -> bool:
        """Keep others from removing `folder` (see `lone`) until `close`; it ends with this process, too.

        Returns:
            False when the folder is gone, or going.
        """
        if folder in self._held:
            return True
        descriptor = locks.shared(folder)
        if descriptor is None:
            return False
        self._held[folder] = descriptor
        return True

    def announces(self, path: Path, *, digest: str) -> None:
        """Note that `path` will hold a notice with this digest (see `notice`); emptied if we end before it is."""
        self._ledger.note({"kind": NOTICE, "path": str(path.absolute()), "digest": digest})

    def label(self) -> str:
        """The value of the label `engine.OWNER` for every container, network and volume that is to end with us."""
        if not self._contains:
            self._ledger.note({"kind": CONTAINERS, "path": os.environ.get("DOCKER_HOST", "")})
            self._contains = True
        return self._id

    def pods_label(self, place: Place) -> str:
        """The value of the label `cluster.OWNER` for everything at `place` that is to end with us."""
        if place not in self._clusters:
            self._ledger.note({"kind": PODS, **place.written})
            self._clusters.add(place)
        return label_of(self._id)

    def close(self) -> None:
        """End every process, container and pod, remove every folder and worktree, and forget the ledger."""
        for child in reversed(self._children):
            child.end()
        self._children.clear()
        end_all(self._id)
        clear(self._ledger.path, self._ledger.content)
        self._ledger.close()
        for descriptor in self._held.values():
            locks.close(descriptor)
        self._held.clear()
