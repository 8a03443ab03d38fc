"""What becomes of a pair's raw files once it is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.runs import RunDirectory
from pacecar.measurement.session.pair import Measured
from pacecar.model.experiment import Side
from support import recordings


@pytest.fixture
def measured(tmp_path: Path) -> Measured:
    folder = tmp_path / "p1"
    raw = {side: folder / side.value for side in Side}
    for path in raw.values():
        path.mkdir(parents=True)
        (path / "service.log").write_text("up")
    return Measured(pair=recordings.pair(1), raw=raw, folder=folder)


def test_they_are_in_the_run_alone(measured: Measured, tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "archive", recordings.manifest())
    measured.store(run.write_pair)
    assert not measured.folder.exists()
    assert [(run.raw(1, side) / "service.log").read_text() for side in Side] == ["up", "up"]
    assert run.pair_numbers() == [1]


def test_they_stay_where_it_could_not_be(measured: Measured, tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "archive", recordings.manifest())
    run.write_pair(measured.pair, {})
    with pytest.raises(RunError, match="is stored already"):
        measured.store(run.write_pair)
    assert all((raw / "service.log").exists() for raw in measured.raw.values())
