from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pacecar.system.resources import Resources
from unit.system.resources.owners import end_started


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """State and cache of this test alone, so that nobody else's ledgers are swept."""
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """Whatever becomes of a test, the processes it has started end."""
    yield
    end_started()


@pytest.fixture
def resources(own_places: Path) -> Iterator[Resources]:
    with Resources() as held:
        yield held


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Whether a process has ended; one that nobody collects yet counts as ended."""

    def check(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return check
