"""Jars that run inside the service: locked, and held against the lock at each use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import ToolchainError, agent_jar, agents, lock
from pacecar.inputs.toolchain.lock import Locked
from pacecar.system import paths
from pacecar.system.resources import Resources
from support.maven_scripts import install, locked, packaging

REAL_LOCK = lock.read()


@pytest.mark.hostile
@pytest.mark.parametrize("get", [agents.pyroscope_jar, agents.span_agent])
def test_an_agent_that_is_another_one_is_refused(get, resources: Resources, tmp_path: Path) -> None:
    copied = """#!/bin/sh
for argument in "$@"; do
  case "$argument" in
    -Dartifact=*) jar=$(echo "${argument#*=}" | cut -d: -f2,3 | tr : -).jar ;;
    -DoutputDirectory=*) echo evil > "${argument#*=}/$jar" ;;
  esac
done
"""
    install(tmp_path, copied)
    sections = {name: each.split(":")[1:] for name, each in agents._COORDINATES.items()}
    lock.write({name: {f"{'-'.join(parts)}.jar": Locked(sha256="0" * 64)} for name, parts in sections.items()})

    with pytest.raises(ToolchainError, match="is not the jar that Pacecar was made with") as caught:
        get(resources=resources, log_dir=tmp_path / "logs")
    assert "rm -r ~/.m2/repository/io/" in str(caught.value.hint)


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("carried", "message"),
    [
        ({"asm-9.10.1.jar": "evil"}, "asm-9.10.1.jar is not the jar that Pacecar was made with"),
        ({}, "asm-9.10.1.jar is missing from the jars of counter-agent"),
        ({"asm-9.10.1.jar": "asm", "more-1.jar": "more"}, "more-1.jar was not expected among the jars of"),
    ],
)
def test_a_counter_agent_that_carries_another_library_is_refused(
    carried: dict[str, str], message: str, resources: Resources, tmp_path: Path
) -> None:
    install(tmp_path, packaging(carried))
    lock.write({lock.COUNTER_AGENT: {"asm-9.10.1.jar": locked("asm\n")}})

    with pytest.raises(ToolchainError, match=re.escape(message)):
        agent_jar(resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
def test_a_library_that_is_locked_is_held_against_the_lock_at_each_use(resources: Resources, tmp_path: Path) -> None:
    install(tmp_path, packaging({"asm-9.10.1.jar": "asm"}))
    lock.write({lock.COUNTER_AGENT: {"asm-9.10.1.jar": locked("asm\n")}})
    jar = agent_jar(resources=resources, log_dir=tmp_path / "logs")
    assert jar.read_text() == "agent\n"
    assert agent_jar(resources=resources, log_dir=tmp_path / "logs") == jar

    lock.write({lock.COUNTER_AGENT: {"asm-9.10.1.jar": locked("another")}})
    with pytest.raises(ToolchainError, match="is not the jar that Pacecar was made with"):
        agent_jar(resources=resources, log_dir=tmp_path / "logs")


@pytest.mark.hostile
def test_the_lock_is_of_the_versions_in_use() -> None:
    sections = REAL_LOCK
    pom = paths.brought("scenarios/pom.xml").read_text()
    gatling = re.search(r"<gatling.version>(.+?)</", pom)

    assert tuple(sections) == lock.PRODUCTS
    assert gatling is not None
    assert f"gatling-core-{gatling[1]}.jar" in sections[lock.GATLING]
    assert len(sections[lock.GATLING]) > 90
    for name, coordinates in (*agents._COORDINATES.items(), (lock.COUNTER_AGENT, agents.library())):
        _, artifact, version = coordinates.split(":")
        assert list(sections[name]) == [f"{artifact}-{version}.jar"]
    assert "://" not in lock.PATH.read_text()
    for jars in sections.values():
        for name, jar in jars.items():
            _, artifact, version, *classifier = jar.coordinates.split(":")
            assert name == f"{'-'.join((artifact, version, *classifier))}.jar"
