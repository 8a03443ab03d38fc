"""The reference work beside recordings, on a real JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar import places
from pacecar.custody import Custody
from pacecar.observe.yardstick import YardstickFailed, measure_yardstick
from pacecar.toolchain import agent_jar


@pytest.fixture
def custody() -> Iterator[Custody]:
    with Custody() as custody:
        yield custody


def test_tells_how_long_a_round_takes(custody: Custody, tmp_path: Path) -> None:
    jar = agent_jar(custody=custody, log_dir=tmp_path)
    took_ns = measure_yardstick(jar, java=places.java(), cpus=(), custody=custody, log=tmp_path / "yardstick.log")
    assert 1e4 < took_ns < 1e9


def test_work_that_does_not_run_is_said(custody: Custody, tmp_path: Path) -> None:
    with pytest.raises(YardstickFailed, match="The reference work beside the recording failed"):
        measure_yardstick(
            tmp_path / "none.jar", java=places.java(), cpus=(), custody=custody, log=tmp_path / "yardstick.log"
        )
