"""Where no archive of Gatling's classes can be made, or none would be of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.inputs.toolchain import Toolchain
from pacecar.measurement.load.gatling.class_data import class_data
from pacecar.measurement.load.generators import with_class_data
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.system.resources import Resources


def test_a_jvm_that_makes_none_is_asked_once_and_a_changed_jar_asks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    asked, jar, java = tmp_path / "asked", tmp_path / "kit.jar", tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f'#!/bin/sh\necho "$1" >> {asked}\necho "Unrecognized VM option" >&2\nexit 1\n')
    java.chmod(0o755)
    jar.write_bytes(b"first")
    with Resources() as resources:
        assert class_data((jar,), java=java, resources=resources) is None
        assert class_data((jar,), java=java, resources=resources) is None
        assert [line.partition("=")[0] for line in asked.read_text().splitlines()] == ["-XX:ArchiveClassesAtExit"]
        jar.write_bytes(b"second, which is another")
        assert class_data((jar,), java=java, resources=resources) is None
        assert len(asked.read_text().splitlines()) == 2


@pytest.mark.parametrize("own", [{"jar": Path("own.jar")}, {"module": Path("own")}], ids=["a jar", "a module"])
def test_a_simulation_of_the_users_own_has_none(own: dict[str, Path], tmp_path: Path) -> None:
    tools = Toolchain(
        classpath=(tmp_path / "no such.jar",),
        counter_agent=tmp_path,
        profiling_agent=tmp_path,
        span_agent=None,
        versions={},
    )
    scenario = Scenario(
        simulation="shop.Browsing",
        module=own.get("module"),
        jar=own.get("jar"),
        sliced=True,
        model=LoadModel.OPEN,
        rate_per_s=20.0,
        users=1,
        think_time_s=0.0,
        endpoints=(),
    )
    with Resources() as resources:
        assert with_class_data(tools, scenario, java=tmp_path / "no java", resources=resources) is tools
