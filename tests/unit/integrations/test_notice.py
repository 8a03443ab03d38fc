"""A targets file that does not outlive the Pacecar that wrote it, however that ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pacecar.system import resources

_HOLD = """
import os, signal, sys
from pathlib import Path
from pacecar.system.resources import Resources
from pacecar.integrations.discovery import announced
with Resources() as owner, announced(Path(sys.argv[1]), {"127.0.0.1:81": {"side": "baseline"}}, resources=owner):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that a killed Pacecar has left."""
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "forks.json"
    done = subprocess.run([sys.executable, "-c", _HOLD, str(path)], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert json.loads(path.read_text())[0]["targets"] == ["127.0.0.1:81"]
    return path


@pytest.mark.hostile
def test_a_sweep_empties_it(killed: Path) -> None:
    assert f"emptied {killed}" in resources.sweep()
    assert killed.read_text() == "[]\n"
    assert resources.sweep() == []


@pytest.mark.hostile
@pytest.mark.parametrize("content", ["[]\n", '[{"targets": ["10.0.0.1:9090"]}]\n', "", "# mine\n"])
def test_what_somebody_else_wrote_there_stays(killed: Path, content: str) -> None:
    killed.write_text(content)
    assert f"emptied {killed}" not in resources.sweep()
    assert killed.read_text() == content


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "nothing"])
def test_what_is_no_file_any_more_stays(killed: Path, kind: str) -> None:
    killed.unlink()
    if kind == "pipe":
        os.mkfifo(killed)
    elif kind == "folder":
        (killed / "inside").mkdir(parents=True)
    elif kind == "device":
        killed.symlink_to("/dev/null")
    assert f"emptied {killed}" not in resources.sweep()
    assert (killed / "inside").exists() == (kind == "folder")
    assert os.path.lexists(killed) == (kind != "nothing")


@pytest.mark.hostile
@pytest.mark.parametrize("digest", ["", "0" * 64, None])
def test_a_ledger_that_was_made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digest: str | None) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "state" / "ledgers").mkdir(parents=True)
    victim = tmp_path / "precious"
    victim.write_text("precious")
    entry = {"kind": "notice", "path": str(victim)} | ({} if digest is None else {"digest": digest})
    (tmp_path / "state" / "ledgers" / "1-0-0.jsonl").write_text(json.dumps(entry) + "\n")
    resources.sweep()
    assert victim.read_text() == "precious"
