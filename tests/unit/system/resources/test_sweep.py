"""What a Pacecar that was killed leaves behind, and what `sweep` makes of its ledger."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from pacecar.system import paths
from pacecar.system.resources import Resources, sweep
from support.watchdogs import line_of
from unit.system.resources.owners import dead, ledger

OWNER = """
import sys, time
from pathlib import Path
from pacecar.system.resources import Resources
repository, worktree, log = map(Path, sys.argv[1:])
owner = Resources()
child = owner.spawn(["sleep", "60"], name="sleep", log=log)
folder = owner.folder("scratch")
(folder / "file").write_text("left behind")
owner.worktree(repository, worktree)
import subprocess
subprocess.run(["git", "-C", repository, "worktree", "add", "-q", "--detach", worktree], check=True)
print(child.pid, folder, flush=True)
time.sleep(60)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repository"
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", "init", "-q", path], check=True)
    subprocess.run(["git", "-C", path, *identity, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    return path


def worktrees(repository: Path) -> int:
    listing = subprocess.run(["git", "-C", repository, "worktree", "list"], capture_output=True, check=True)
    return len(listing.stdout.splitlines())


def start_owner(*, repository: Path, tmp_path: Path) -> tuple[subprocess.Popen[bytes], int, Path, Path]:
    worktree = paths.cache() / "worktrees" / "one"
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, repository, worktree, tmp_path / "log"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(harness)},
    )
    assert owner.stdout is not None
    pid, folder = line_of(owner).decode().split()
    owner.stdout.close()
    return owner, int(pid), Path(folder), worktree


def test_everything_of_a_killed_owner_ends(tmp_path: Path, repository: Path, gone: Callable[[int], bool]) -> None:
    owner, child, folder, worktree = start_owner(repository=repository, tmp_path=tmp_path)
    assert worktrees(repository) == 2

    assert sweep() == []
    assert not gone(child), "a live owner's process was ended"
    assert folder.is_dir()

    owner.send_signal(signal.SIGKILL)
    owner.wait()
    done = sweep()
    assert gone(child)
    assert not folder.exists()
    assert not worktree.exists()
    assert worktrees(repository) == 1
    assert done == [f"ended process {child} (sleep)", f"removed folder {folder}", f"removed worktree {worktree}"]
    assert sweep() == []


def test_a_live_owner_in_this_process_is_left_alone(resources: Resources, tmp_path: Path) -> None:
    child = resources.spawn(["sleep", "60"], name="sleep", log=tmp_path / "log")
    folder = resources.folder("live")
    assert sweep() == []
    assert child.poll() is None
    assert folder.is_dir()


def test_a_ledger_with_garbage_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    left = tmp_path / "pacecar-12-34-left"
    left.mkdir()
    entry = json.dumps({"kind": "folder", "path": str(left)}).encode()
    path = ledger(
        dead(),
        b"\xff\xfe\x00",
        b"[]",
        b"7",
        b"{}",
        b'{"kind": 1, "path": 2}',
        b'{"kind":"folder","path":"/a\\u0000"}',
        b"[" * 100_000,
        entry,
        entry[:20],
    )
    assert sweep() == [f"removed folder {left}"]
    assert not left.exists()
    assert not path.exists()


@pytest.mark.parametrize("victim", ["precious", "pacecar-source", "cache", "pacecar-1-1-x/../precious"])
def test_a_path_that_an_owner_cannot_have_made_stays(victim: str, tmp_path: Path) -> None:
    for name in ("precious", "pacecar-source", "cache", "pacecar-1-1-x"):
        (tmp_path / name).mkdir()
    ledger(dead(), json.dumps({"kind": "folder", "path": f"{tmp_path}/{victim}"}).encode())
    assert sweep() == []
    assert (tmp_path / victim).is_dir()


def test_a_link_in_place_of_a_folder_does_not_lead_outside(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "pacecar-1-1-x").symlink_to(precious)
    ledger(dead(), json.dumps({"kind": "folder", "path": f"{tmp_path}/pacecar-1-1-x"}).encode())
    sweep()
    assert precious.is_dir()


def test_a_process_that_took_over_the_pid_is_not_taken_for_the_owner(tmp_path: Path) -> None:
    left = tmp_path / "pacecar-1-1-left"
    left.mkdir()
    with psutil.Popen(["sleep", "60"]) as stranger:
        ledger(dead(pid=stranger.pid), json.dumps({"kind": "folder", "path": str(left)}).encode())
        assert sweep() == [f"removed folder {left}"]
        assert stranger.poll() is None
        stranger.kill()


def test_a_child_started_while_the_others_are_ended_is_ended_too(tmp_path: Path, gone: Callable[[int], bool]) -> None:
    script = """
import os, signal, subprocess, sys, time
def again(*_):
    print(subprocess.Popen(["sleep", "60"], start_new_session=True).pid, flush=True)
    os._exit(0)
signal.signal(signal.SIGTERM, again)
print("up", flush=True)
time.sleep(60)
"""
    with Resources() as resources:
        child = resources.spawn([sys.executable, "-c", script], name="hydra", log=tmp_path / "log")
        while not child.tail():
            time.sleep(0.01)
    assert gone(int(child.tail(1)))
