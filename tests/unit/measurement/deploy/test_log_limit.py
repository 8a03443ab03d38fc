"""Logs that are capped while a program writes them, which goes on as if nothing had happened."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.deploy import log_limit
from pacecar.measurement.deploy.log_limit import LogLimit, cut

MIB = 1 << 20


def test_a_small_log_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * MIB)
    assert not cut(tmp_path / "log", most=MIB)
    assert (tmp_path / "log").stat().st_size == MIB


@pytest.mark.hostile
def test_beginning_and_end_stay(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"started\n" + b"noise\n" * MIB + b"died\n")
    assert cut(log, most=MIB, head=8, tail=1000)
    text = log.read_text()
    assert text.startswith("started\n")
    assert "\n[pacecar] log cut at 1 MiB: what stood here is left out\n" in text
    assert text.endswith("noise\ndied\n")
    assert len(text) < 1200


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["missing", "pipe", "folder", "link", "device"])
def test_what_is_no_log(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "log", tmp_path / "other"
    other.write_bytes(b"x" * 5000)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(other)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    assert not cut(path, most=1000)
    assert other.stat().st_size == 5000


@pytest.mark.hostile
def test_a_program_that_never_stops_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_limit, "_LOOK_S", 0.01)
    script = "import sys\nfor n in range(3_000_000): sys.stdout.write(f'line {n}\\n')\nprint('last words')"
    monkeypatch.setattr(cut, "__kwdefaults__", {"most": 2 * MIB, "head": 100, "tail": MIB})
    largest = 0
    with (tmp_path / "log").open("ab") as output, LogLimit(tmp_path / "log"):
        writer = subprocess.Popen([sys.executable, "-c", script], stdout=output)
        while writer.poll() is None:
            largest = max(largest, (tmp_path / "log").stat().st_size)
            time.sleep(0.01)
    assert writer.returncode == 0
    text = (tmp_path / "log").read_text()
    assert text.startswith("line 0\n")
    assert text.endswith("last words\n")
    assert "log cut at 2 MiB" in text
    assert len(text) <= 2 * MIB
    assert largest < 40 * MIB


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=3000), st.integers(1, 300), st.integers(1, 300))
def test_never_more_than_head_and_tail(tmp_path: Path, content: bytes, head: int, tail: int) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    if cut(log, most=1000, head=head, tail=tail):
        assert log.stat().st_size <= head + tail + 100
        assert log.read_bytes().startswith(content[:head])
    else:
        assert log.read_bytes() == content
        assert len(content) <= 1000
