"""Owners that are dead, alive or out of sight, and ledgers in their names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pacecar.system import paths
from pacecar.system.resources.identity import Identity

#: A process of ours that starts a child and has a folder; then it waits. With an argument it only says who it is.
OWNER = """
import sys, time
from pathlib import Path
from pacecar.system.resources import Resources
owner = Resources()
child = owner.spawn(["sleep", "600"], name="sleep", log=Path(sys.argv[1]) / "log")
print(child.pid, owner.folder("scratch"), flush=True)
time.sleep(600)
"""
_STARTED: list[subprocess.Popen[str]] = []
SWEEPER = "from pacecar.system.resources import sweep\nprint(*sweep(), sep='\\n')"


def environment(**changes: str) -> dict[str, str]:
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    return {**os.environ, "PYTHONPATH": str(harness), **changes}


def start(script: str, *arguments: object, within: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """`script` in a process of its own, behind the command `within`."""
    process = subprocess.Popen(
        [*within, sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    _STARTED.append(process)
    return process


def end_started() -> None:
    """End what a test that failed has not."""
    while _STARTED:
        end(_STARTED.pop())


def end(process: subprocess.Popen[str]) -> None:
    """Kill it and collect what is left of it; what it has started may live on, and hold its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def swept(*within: str) -> list[str]:
    """What `sweep` says in a process of its own."""
    command = [*within, sys.executable, "-c", SWEEPER]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


def dead(token: str = "0badcafe", **changes: Any) -> str:
    """The name of a ledger whose owner is no process of this machine; `changes` to its identity."""
    identity = replace(Identity.own(), **{"pid": 2**22 + 1, "started": 1} | changes)
    return f"{identity}-{token}"


def ledger(name: str, *lines: bytes) -> Path:
    folder = paths.state() / "ledgers"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"\n".join(lines))
    return path


def naming(folder: Path) -> bytes:
    return json.dumps({"kind": "folder", "path": str(folder)}).encode()
