"""Fixtures of the container tests: an engine, images, and a compose project."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.system.resources import Resources
from support import container_engine
from support.container_engine.project import APP, Project, build, left
from support.container_engine.reached import reached
from support.container_engine.service import BARE, JAVA_17, PLAIN, built_jar


@pytest.fixture(scope="session")
def engine() -> Iterator[None]:
    """A container engine that every `docker` of these tests reaches."""
    with reached():
        yield


@pytest.fixture(scope="session")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_jar(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="session")
def plain(engine: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    return build(tmp_path_factory.mktemp("plain"), "pacecar-test/plain:1", PLAIN)


@pytest.fixture(scope="session")
def bare_17(engine: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    entry = '"/usr/lib/jvm/java-17-openjdk-amd64/bin/java"'
    dockerfile = BARE.format(base=container_engine.BASE, java=JAVA_17, entry=entry)
    return build(tmp_path_factory.mktemp("bare17"), "pacecar-test/bare-17:1", dockerfile)


@pytest.fixture(scope="session")
def bare_25(engine: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    home = container_engine.java_25()
    if home is None:
        pytest.skip("no Java 25: none in /usr/lib/jvm, and its package on PyPI cannot be had")
    folder = tmp_path_factory.mktemp("bare25")
    shutil.copytree(home, folder / "java", symlinks=True, ignore=shutil.ignore_patterns("jmods", "src.zip", "*.jsa"))
    libraries = "COPY --from=from /usr/lib/x86_64-linux-gnu/libz.so.1 /lib/x86_64-linux-gnu/"
    dockerfile = BARE.format(base=container_engine.BASE, java=f"{libraries}\nCOPY java /java", entry='"/java/bin/java"')
    return build(folder, "pacecar-test/bare-25:1", dockerfile)


@pytest.fixture
def project(engine: None, jar: Path, plain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    with Resources() as resources:
        project = Project(folder=tmp_path, resources=resources, jar=jar)
        project.write({"app": APP})
        yield project
    assert left() == []
