"""The reference work beside recordings, on a real JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import agent_jar
from pacecar.measurement.probes.yardstick import YardstickFailed, measure_yardstick
from pacecar.system import paths
from pacecar.system.resources import Resources


@pytest.fixture
def resources() -> Iterator[Resources]:
    with Resources() as resources:
        yield resources


def test_tells_how_long_a_round_takes(resources: Resources, tmp_path: Path) -> None:
    jar = agent_jar(resources=resources, log_dir=tmp_path)
    took_ns = measure_yardstick(jar, java=paths.java(), cpus=(), resources=resources, log=tmp_path / "yardstick.log")
    assert 1e4 < took_ns < 1e9


def test_work_that_does_not_run_is_said(resources: Resources, tmp_path: Path) -> None:
    with pytest.raises(YardstickFailed, match="The reference work beside the recording failed"):
        measure_yardstick(
            tmp_path / "none.jar", java=paths.java(), cpus=(), resources=resources, log=tmp_path / "yardstick.log"
        )
