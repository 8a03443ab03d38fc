"""Custody of every process, container, worktree and temporary folder Pacecar starts, until each is gone.

Processes carry a mark in their environment, so that they and whatever they start in turn are found again
by anyone, even after Pacecar was killed; containers, their networks and volumes carry it as a label. Folders and
worktrees stand in a ledger, a file written before the thing it names exists; that there may be containers, too.
`Custody.close` ends all of one Pacecar; `sweep` ends what dead ones left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import psutil

from pacecar import engine, places
from pacecar.engine import EngineError
from pacecar.engine.removal import remove
from pacecar.errors import UsageError

_MARK = "PACECAR_CUSTODY"
_GRACE_S = 5.0
_POLL_S = 0.05
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_OWN_NAME = re.compile(r"pacecar-\d+-\d+-.+")
_CONTAINERS = "containers"


class Child:
    """A process in custody, leader of a session of its own; its output goes to `log`."""

    def __init__(self, process: subprocess.Popen[bytes], *, name: str, log: Path) -> None:
        self._process = process
        self.name = name
        self.log = log

    @property
    def pid(self) -> int:
        """Process id; stays reserved until `end` or `wait` has collected the exit status."""
        return self._process.pid

    def poll(self) -> int | None:
        """Exit status (negative: killed by that signal), or None while it runs."""
        return self._process.poll()

    def wait(self, timeout_s: float) -> int | None:
        """Like `poll`, but waits up to `timeout_s` for the end."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self, grace_s: float = _GRACE_S) -> int:
        """End it and its group: first asking, after `grace_s` by force. Returns the exit status."""
        self._signal(signal.SIGTERM)
        if self.wait(grace_s) is None:
            self._signal(signal.SIGKILL)
        status = self._process.wait()
        self._signal(signal.SIGKILL)  # what the group's leader left behind
        return status

    def tail(self, lines: int = 15) -> str:
        """The last lines of the log, read from at most its last 64 KiB, without control characters."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 65_536))
            text = file.read().decode("utf-8", "replace")
        plain = _ESCAPE.sub("", text)
        return "\n".join(_UNPRINTABLE.sub("", line) for line in plain.splitlines()[-lines:])

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


class Custody:
    """Everything one Pacecar has started. Use as a context manager; leaving it ends all."""

    def __init__(self) -> None:
        self._id = f"{os.getpid()}-{_started(os.getpid())}-{time.monotonic_ns()}"
        self._ledger = _ledgers() / f"{self._id}.jsonl"
        self._ledger.touch()
        self._children: list[Child] = []
        self._held: dict[Path, int] = {}
        self._contains = False

    def __enter__(self) -> Custody:
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
            env: the whole environment; None inherits Pacecar's.
            cpus: cores to run on; empty means any.

        Raises:
            UsageError: when the program does not exist or may not be run.
        """
        marked = {**(os.environ if env is None else env), _MARK: self._id}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output, _affinity(cpus):
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
        cpus: Iterable[int] = (),
    ) -> tuple[int | None, Child]:
        """`spawn`, wait, end. The exit status is None when `timeout_s` was not enough."""
        child = self.spawn(command, name=name, log=log, cwd=cwd, env=env, cpus=cpus)
        try:
            return child.wait(timeout_s), child
        finally:
            self.release(child)

    def release(self, child: Child, grace_s: float = _GRACE_S) -> int:
        """End one child before the rest and forget it. Returns its exit status."""
        status = child.end(grace_s)
        with contextlib.suppress(ValueError):
            self._children.remove(child)
        return status

    def folder(self, name: str) -> Path:
        """A new temporary folder, with a path short enough for a socket in it."""
        path = Path(tempfile.gettempdir()) / f"pacecar-{os.getpid()}-{time.monotonic_ns() % 10**9}-{name}"
        self._note({"kind": "folder", "path": str(path)})
        path.mkdir(mode=0o700)
        return path

    def worktree(self, repository: Path, path: Path) -> None:
        """Note that `path` will be a git worktree of `repository`; it is removed as one."""
        self._note({"kind": "worktree", "repository": str(repository), "path": str(path)})

    def hold(self, folder: Path) -> bool:
        """Keep others from removing `folder` (see `lone`) until `close`; it ends with this process, too.

        Returns:
            False when the folder is gone, or going.
        """
        if folder in self._held:
            return True
        descriptor = _locked(folder, fcntl.LOCK_SH)
        if descriptor is None:
            return False
        self._held[folder] = descriptor
        return True

    def label(self) -> str:
        """The value of the label `engine.CUSTODY` for every container, network and volume that is to end with us."""
        if not self._contains:
            self._note({"kind": _CONTAINERS, "path": os.environ.get("DOCKER_HOST", "")})
            self._contains = True
        return self._id

    def close(self) -> None:
        """End every process and container, remove every folder and worktree, and forget the ledger."""
        for child in reversed(self._children):
            child.end()
        self._children.clear()
        _end_all(self._id)
        _clear(self._ledger)
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def _note(self, entry: dict[str, str]) -> None:
        with self._ledger.open("a") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())


@contextlib.contextmanager
def lone(folder: Path) -> Iterator[bool]:
    """Whether no custody holds `folder`, nor can get hold of it while this lasts. Nobody waits."""
    descriptor = _locked(folder, fcntl.LOCK_EX)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def sweep() -> list[str]:
    """End and remove what Pacecars that no longer run have left behind. Returns what was done, one line each."""
    done: list[str] = []
    for ledger in sorted(_ledgers().glob("*.jsonl")):
        if _owner_runs(ledger.stem):
            continue
        done += [f"ended process {pid} ({name})" for pid, name in _end_all(ledger.stem)]
        done += _clear(ledger)
    return done


def _ledgers() -> Path:
    path = places.state() / "ledgers"
    path.mkdir(exist_ok=True)
    return path


def _owner_runs(ledger_id: str) -> bool:
    pid, _, rest = ledger_id.partition("-")
    return pid.isdecimal() and _started(int(pid)) == rest.partition("-")[0]


def _started(pid: int) -> str:
    # In clock ticks since boot, so that a step of the wall clock does not make a live owner look dead.
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return "none"
    return stat.rpartition(")")[2].split()[19]


def _marked(ledger_id: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(_MARK) == ledger_id:
                found.append(process)
    return found


def _end_all(ledger_id: str) -> list[tuple[int, str]]:
    # Looks again until none is left: one that is being ended may just have started another. A zombie has no
    # environment any more and so counts as gone, even where nobody collects it.
    ended: dict[int, str] = {}
    by_force = time.monotonic() + _GRACE_S
    while (processes := _marked(ledger_id)) and time.monotonic() < by_force + _GRACE_S:
        for process in processes:
            with contextlib.suppress(psutil.Error):
                if time.monotonic() >= by_force:
                    process.kill()
                elif process.pid not in ended:
                    process.terminate()
                ended[process.pid] = process.name()
        time.sleep(_POLL_S)
    return list(ended.items())


def _clear(ledger: Path) -> list[str]:
    entries = list(_entries(ledger))
    done: list[str] = []
    # Containers first: folders are mounted in them.
    for host in {entry["path"] for entry in entries if entry["kind"] == _CONTAINERS}:
        try:
            done += remove(f"{engine.CUSTODY}={ledger.stem}", host=host, settled=False)
        except EngineError as error:
            # The ledger stays, so that whoever sweeps once the engine is there again finds them.
            return [*done, f"left containers in place: {error.message}"]
    for entry in entries:
        done += _clear_folder(entry) if entry["kind"] != _CONTAINERS else []
    ledger.unlink(missing_ok=True)
    return done


def _clear_folder(entry: dict[str, str]) -> list[str]:
    path = Path(entry["path"])
    existed = path.exists()
    shutil.rmtree(path, ignore_errors=True)
    if repository := entry.get("repository"):
        with contextlib.suppress(OSError):
            subprocess.run(["git", "-C", repository, "worktree", "prune"], capture_output=True, check=False)
    return [f"removed {entry['kind']} {path}"] if existed and not path.exists() else []


def _entries(ledger: Path) -> Iterator[dict[str, str]]:
    content = ledger.read_bytes() if ledger.exists() else b""
    for line in content.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the last line of a Pacecar that was killed while writing it
        if _is_entry(entry) and (entry["kind"] == _CONTAINERS or _is_ours(Path(entry["path"]))):
            yield entry


def _is_entry(entry: object) -> bool:
    texts = entry.values() if isinstance(entry, dict) and entry.keys() >= {"kind", "path"} else [None]
    return all(isinstance(text, str) and "\0" not in text for text in texts)


def _is_ours(path: Path) -> bool:
    # A ledger is only a file. Whatever it says, nothing is removed but what custody could have made.
    if not path.is_absolute() or ".." in path.parts:
        return False
    cache = places.cache().resolve()
    return _OWN_NAME.fullmatch(path.name) is not None or (path != cache and path.is_relative_to(cache))


def _locked(folder: Path, kind: int) -> int | None:
    """A descriptor with a lock on `folder`; None when another one stands against it or the folder is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        # Whoever removed the folder before we had the lock has left us one without a name.
        if os.path.samestat(os.fstat(descriptor), folder.stat()):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


@contextlib.contextmanager
def _affinity(cpus: Iterable[int]) -> Iterator[None]:
    # A child inherits the cores of the thread that starts it; the thread gets its own back afterwards.
    wanted = set(cpus)
    if not wanted:
        yield
        return
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, wanted)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)
