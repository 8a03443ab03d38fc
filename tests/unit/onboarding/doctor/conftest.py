"""A machine whose folders are the test's own, and whose programs are those a test puts there."""

import os
import stat
import sys

import pytest

from pacecar.system.resources import Resources


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def resources():
    with Resources() as resources:
        yield resources


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program on the PATH, and nothing else but what was put there before."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    def put(name, answer="", *, status=0, where=folder):
        where.mkdir(parents=True, exist_ok=True)
        path = where / name
        path.write_text(f"#!{sys.executable}\nprint({answer!r})\nraise SystemExit({status})\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return os.fspath(path)

    return put
