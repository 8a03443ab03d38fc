from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import lock
from pacecar.system.resources import Resources
from support.maven_scripts import MAVEN, install, locked


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    for name, jar in (("one", "core.jar"), ("two", "more.jar")):
        (tmp_path / name).mkdir()
        (tmp_path / name / jar).write_text(name)
    monkeypatch.setattr(lock, "PATH", tmp_path / "jars.lock")
    lock.write({lock.GATLING: {"core.jar": locked("one"), "more.jar": locked("two")}})
    install(tmp_path, MAVEN.format(folder=tmp_path))
    with Resources() as resources:
        yield resources
