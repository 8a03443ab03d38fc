"""Ending and removing what one ledger stands for: processes by their mark, then containers and pods, folders and
worktrees.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

from pacecar.system import cluster, engine, environment, notice
from pacecar.system.cluster import ClusterError
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Place, label_of
from pacecar.system.engine import EngineError
from pacecar.system.engine.removal import remove
from pacecar.system.resources.child import GRACE_S
from pacecar.system.resources.identity import sees_processes
from pacecar.system.resources.ledger import CONTAINERS, NOTICE, PODS, entries

#: The variable in the environment of every process that we own; its value is the ledger's name.
MARK = "PACECAR_OWNER"
#: The same for a part of it that is to end before the rest; its value is whatever tells the parts apart.
PART = "PACECAR_PART"
_POLL_S = 0.05
#: A repository on a disk that hangs does not keep the next run from beginning.
_PRUNE_S = 30.0


def processes_by_ledger() -> dict[str, list[psutil.Process]]:
    """Running processes by the ledger they belong to, in one look at all of them."""
    return _marked(MARK)


def of_part(part: str) -> list[psutil.Process]:
    """Running processes that belong to `part`, wherever they have gone: into the background, a session of their own."""
    return _marked(PART)[part]


def end_all(ledger: str) -> list[tuple[int, str]]:
    """End every process of the ledger called `ledger`, as `end_part` does."""
    return _end(lambda: processes_by_ledger()[ledger])


def end_part(part: str) -> list[tuple[int, str]]:
    """End every process of `part`. Returns id and name of each.

    Looks again until none is left: one that is being ended may just have started another. A zombie has no environment
    any more and so counts as gone, even where nobody collects it.
    """
    return _end(lambda: of_part(part))


def _marked(variable: str) -> dict[str, list[psutil.Process]]:
    found: dict[str, list[psutil.Process]] = defaultdict(list)
    if not sees_processes():  # the ids that /proc shows would name strangers
        return found
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and (mark := process.environ().get(variable)):
                found[mark].append(process)
    return found


def _end(those: Callable[[], Iterable[psutil.Process]]) -> list[tuple[int, str]]:
    ended: dict[int, str] = {}
    by_force = time.monotonic() + GRACE_S
    while (processes := [*those()]) and time.monotonic() < by_force + GRACE_S:
        for process in processes:
            with contextlib.suppress(psutil.Error):
                if time.monotonic() >= by_force:
                    process.kill()
                elif process.pid not in ended:
                    process.terminate()
                ended[process.pid] = process.name()
        time.sleep(_POLL_S)
    return list(ended.items())


def clear(ledger: Path, content: bytes) -> list[str]:
    """Remove what the `content` of a ledger names, then its file. Returns what was done, one line each."""
    found = list(entries(content))
    done: list[str] = []
    # Containers first: folders are mounted in them.
    for host in {entry["path"] for entry in found if entry["kind"] == CONTAINERS}:
        try:
            done += remove(f"{engine.OWNER}={ledger.stem}", host=host, settled=False)
        except EngineError as error:
            # The ledger stays, so that whoever sweeps once the engine is there again finds them.
            return [*done, f"left containers in place: {error.message}"]
    for place in {Place.read(entry) for entry in found if entry["kind"] == PODS}:
        try:
            done += _clear_pods(place, label_of(ledger.stem))
        except ClusterError as error:
            return [*done, f"left pods in place: {error.message}"]  # and the ledger, for the same reason
    for entry in found:
        done += _clear_folder(entry) if entry["kind"] not in (CONTAINERS, PODS) else []
    try:
        ledger.unlink(missing_ok=True)
    except OSError as error:
        return [*done, f"left {ledger} in place: {error.strerror}"]
    return done


def _clear_pods(place: Place, owner: str) -> list[str]:
    connection = Connection(place)
    try:
        return connection.remove(f"{cluster.OWNER}={owner}")
    finally:
        connection.close()


def _clear_folder(entry: dict[str, str]) -> list[str]:
    path = Path(entry["path"])
    if entry["kind"] == NOTICE:
        return [f"emptied {path}"] if notice.take_back(path, entry.get("digest", "")) else []
    existed = path.exists()
    shutil.rmtree(path, ignore_errors=True)
    if repository := entry.get("repository"):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            command = ["git", "-c", "core.hooksPath=/dev/null", "-C", repository, "worktree", "prune"]
            subprocess.run(command, env=environment.of_git(), capture_output=True, check=False, timeout=_PRUNE_S)
    return [f"removed {entry['kind']} {path}"] if existed and not path.exists() else []
