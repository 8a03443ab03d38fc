"""Copies of stored runs: who uses one keeps it, whatever the clock says."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pacecar.archive import fetched
from pacecar.system.disk import parts
from support.watchdogs import line_of

_HOLDS = """
import sys
from pathlib import Path
from pacecar.archive import fetched
assert fetched.hold(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def _copy(root: Path, name: str, *, used_s: float) -> Path:
    folder = fetched.folder_in(root) / name
    folder.mkdir(parents=True)
    (folder / "x").write_text("x")
    os.utime(folder, (used_s, used_s))
    return folder


def test_copies_go_a_week_after_their_last_use(tmp_path: Path) -> None:
    now = time.time()
    old = _copy(tmp_path, "runs/old", used_s=now - 8 * 86_400)
    new = _copy(tmp_path, "runs/new", used_s=now - 6 * 86_400)
    killed = _copy(tmp_path, ".work.7.00000000.part", used_s=now)
    removed_halfway = _copy(tmp_path, "runs/.9f3a.part", used_s=now)
    with parts.new_folder(fetched.folder_in(tmp_path) / "work") as made:
        fetched.clear(tmp_path)
        copies = (old, new, killed, removed_halfway, made)
        assert [copy.exists() for copy in copies] == [False, True, False, False, True]


@pytest.mark.hostile
def test_a_copy_in_use_stays_through_a_step_of_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = _copy(tmp_path, "runs/used", used_s=time.time())
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(used)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert line_of(reader) == "held\n"
        a_month_on = time.time() + 30 * 86_400
        monkeypatch.setattr(time, "time", lambda: a_month_on)
        fetched.clear(tmp_path)
        assert (used / "x").exists()
        reader.kill()

    fetched.clear(tmp_path)
    assert not used.exists(), "its reader is dead"


def test_a_use_is_noted(tmp_path: Path) -> None:
    copy = _copy(tmp_path, "runs/copy", used_s=0)
    before = time.time() - 1
    assert fetched.hold(copy)
    assert copy.stat().st_mtime > before


def test_what_is_gone_cannot_be_held(tmp_path: Path) -> None:
    assert not fetched.hold(tmp_path / "gone")
