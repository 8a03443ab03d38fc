"""What stands where a file of a run should be, or is named with `--output`, and is none."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import pacecar
from pacecar.archive.runs import RunDirectory
from pacecar.model.options import RunOptions
from pacecar.reporting.document import Document, DocumentError, load_document, verdict_in, write_document
from pacecar.system.disk import durable
from pacecar.system.foreign import files
from support.recordings import manifest
from unit.reporting.conftest import document, example  # noqa: F401  fixtures

pytestmark = pytest.mark.hostile


def _socket(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to a terminal": lambda path: path.symlink_to("/dev/tty"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_none_of_them_is_read_or_waited_for(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "document.json")
    with pytest.raises(DocumentError, match="cannot be read"):
        load_document(tmp_path)
    assert verdict_in(tmp_path) is None
    with pytest.raises(OSError, match=r".+"):
        files.beginning(tmp_path / "document.json", most=10)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"folder"}))
def test_all_but_a_folder_are_replaced_and_never_written_through(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "report.html")
    durable.write_text(tmp_path / "report.html", "whole")
    assert stat.S_ISREG((tmp_path / "report.html").lstat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_stays_and_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(IsADirectoryError, match=r"report\.html"):
        durable.write_text(tmp_path / "report.html", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_recording_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        run = RunDirectory.create(tmp_path / ".pacecar", manifest())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / ".pacecar").stat().st_mode) == 0o700
    assert stat.S_IMODE(run.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((run.path / "manifest.json").stat().st_mode) == 0o644


def pacecar_report(folder: Path, run: Path, output: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pacecar", "report", str(run), "--format", "markdown", "--output", output],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(pacecar.__path__[0]).parent)},
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("missing/report.md", "There is no folder"),
        ("folder", "is a folder"),
        ("socket", "is not a file"),
        ("pipe", "nobody reads it"),
        ("link to itself", "Too many levels"),
        ("x" * 300, "File name too long"),
    ],
)
def test_an_output_that_cannot_be_is_one_sentence(
    tmp_path: Path,
    document: Document,  # noqa: F811
    output: str,
    said: str,
) -> None:
    run = RunDirectory.create(tmp_path / ".pacecar", replace(manifest(), options=RunOptions()))
    write_document(document, run.path)
    (tmp_path / "folder").mkdir()
    _socket(tmp_path / "socket")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link to itself").symlink_to("link to itself")
    before = sorted(tmp_path.rglob("*"))
    done = pacecar_report(tmp_path, run.path, output)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert done.stderr.count("error: ") == 1
    assert sorted(tmp_path.rglob("*")) == before
