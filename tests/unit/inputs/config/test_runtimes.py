"""A JDK for each side, and whether equal builds are measured, in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs import config
from pacecar.inputs.builds import BuildError
from pacecar.inputs.config import ConfigError
from pacecar.workflow.requests import against_itself, comparison

PROCESS = 'command = ["{java}", "-jar", "{artifact}", "{port}"]\n'
COMPOSE = 'deploy = "compose"\n'


def _file(tmp_path: Path, *, deploy: str = PROCESS, builds: str = "") -> Path:
    (tmp_path / "docker-compose.yml").write_text("services: {}\n")
    (tmp_path / "a.jar").write_bytes(b"")
    path = tmp_path / "pacecar.toml"
    path.write_text(
        f'[target]\nname = "a"\nready = "/"\n{deploy}\n[builds]\nbaseline = "jar:a.jar"\n{builds}\n'
        '[builds.named.other]\nbuild = "jar:a.jar"\njava = "jdk"\n'
    )
    return path


def test_a_path_is_meant_from_the_file(tmp_path: Path) -> None:
    found = config.load(_file(tmp_path))
    assert found.builds["other"].java == tmp_path / "jdk"
    assert not found.measure_equal


def test_a_container_brings_its_own(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"builds\.named\.other\.java: applies only to a process"):
        config.load(_file(tmp_path, deploy=COMPOSE))


def test_what_is_no_jdk_is_said_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"jdk is not a JDK: it has no bin/java"):
        comparison(_file(tmp_path), candidate="other")


def test_a_build_against_itself_is_always_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = _file(tmp_path)
    assert against_itself(path, build="jar:a.jar").experiment.measure_equal
    assert not comparison(path, candidate="jar:a.jar").experiment.measure_equal
    set_once = comparison(path, candidate="jar:a.jar", settings=["builds.measure_equal=true"])
    assert set_once.experiment.measure_equal
    assert "builds.measure_equal=true" in set_once.repeat
    always = comparison(_file(tmp_path, builds="measure_equal = true"), candidate="jar:a.jar")
    assert always.experiment.measure_equal
