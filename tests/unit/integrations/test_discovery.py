"""The file in which Prometheus finds the forks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.integrations.discovery import TargetsError, announced
from pacecar.system.resources import Resources


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path.parent / f"{tmp_path.name}-state"))
    with Resources() as resources:
        yield resources


FORKS = {"127.0.0.1:81": {"side": "baseline", "pair": "1"}}


def test_lists_the_forks_while_they_are_up(tmp_path: Path, resources: Resources) -> None:
    path = tmp_path / "forks.json"
    with announced(path, FORKS, resources=resources):
        up = json.loads(path.read_text())
    assert up == [{"targets": ["127.0.0.1:81"], "labels": {"side": "baseline", "pair": "1"}}]
    assert json.loads(path.read_text()) == []
    assert [each.name for each in tmp_path.iterdir()] == ["forks.json"]


def test_an_interruption_empties_it_too(tmp_path: Path, resources: Resources) -> None:
    path = tmp_path / "forks.json"

    def interrupted() -> None:
        with announced(path, FORKS, resources=resources):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert json.loads(path.read_text()) == []


def test_no_file_was_wanted(resources: Resources) -> None:
    with announced(None, FORKS, resources=resources):
        pass


def test_one_that_cannot_be_written_is_said(tmp_path: Path, resources: Resources) -> None:
    (tmp_path / "forks.json").mkdir()
    with (
        pytest.raises(TargetsError, match=r"forks\.json cannot be written"),
        announced(tmp_path / "forks.json", FORKS, resources=resources),
    ):
        pass
