"""Where things lie, whatever the variables that say so are relative to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.system import environment, paths


@pytest.mark.parametrize(
    ("variable", "place", "expected"),
    [
        ("PACECAR_CACHE", paths.cache, "here"),
        ("PACECAR_STATE", paths.state, "here"),
        ("PACECAR_STATE", paths.state_path, "here"),
        ("JAVA_HOME", paths.java, "here/bin/java"),
    ],
)
def test_a_place_named_from_the_working_directory_stays_where_it_is(
    variable: str, place: Callable[[], Path], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "here")
    assert place() == tmp_path / expected


def test_a_java_found_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "jdk/bin")
    assert paths.java() == java
    monkeypatch.setenv("PATH", "nowhere")
    assert paths.java() == Path("java")


def test_children_find_a_jdk_named_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("JAVA_HOME", "JAVA_HOME_17_X64"):
        monkeypatch.setenv(name, "jdk")
        assert environment.of_build()[name] == str(tmp_path / "jdk")
    assert environment.of_fork()["JAVA_HOME"] == str(tmp_path / "jdk")
    monkeypatch.setenv("JAVA_HOME", "")
    assert environment.of_fork()["JAVA_HOME"] == ""
