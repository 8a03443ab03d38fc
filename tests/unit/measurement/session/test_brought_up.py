"""Forks that are taken away before anything was measured of them."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pacecar.measurement.deploy import DeployError, ForkLost
from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.session.fork_group import ForkGroup, brought_up
from pacecar.measurement.session.progress import Stopwatch
from pacecar.model.experiment import Side


class Fork:
    """A fork that is taken away while it is awaited, so often."""

    url = "http://127.0.0.1:9"

    def __init__(self, side: Side, deployer: Deployer, scratch: Path) -> None:
        self.side, self.deployer, self.scratch = side, deployer, scratch

    def await_ready(self) -> None:
        if self.side is Side.CANDIDATE and self.deployer.started.count(Side.CANDIDATE) <= self.deployer.losses:
            raise ForkLost("The candidate of orders was taken away.", side=self.side, hint="kubectl get events")
        if self.deployer.broken:
            raise DeployError("The candidate of orders ended.")

    def fill(self) -> None:
        self.deployer.filled.append(self.side)

    def stop(self) -> None:
        assert self.scratch.is_dir(), "its reset may need it"
        self.deployer.stopped.append(self.side)


class Deployer:
    def __init__(self, *, losses: int, broken: bool = False) -> None:
        self.losses, self.broken = losses, broken
        self.started: list[Side] = []
        self.stopped: list[Side] = []
        self.filled: list[Side] = []

    def dependencies(self, order: Any) -> Dependencies:
        return Dependencies()

    def deploy(self, order: Any, attach: Any) -> Fork:
        self.started.append(order.side)
        assert order.scratch.is_dir()
        return Fork(order.side, self, order.scratch)


def context_of(deployer: Deployer, forgotten: list[str], folder: Path) -> Any:
    numbers = itertools.count()

    def scratch(name: str) -> Path:
        path = folder / f"{next(numbers)}-{name}"
        (path / "run").mkdir(parents=True)
        return path

    build = SimpleNamespace(path=None, images={})
    return SimpleNamespace(
        deployer=deployer,
        artifacts=dict.fromkeys(Side, build),
        experiment=SimpleNamespace(builds=dict.fromkeys(Side, build), prometheus=None),
        cores=SimpleNamespace(target=(), generator=()),
        resources=SimpleNamespace(folder=scratch),
        receiver=SimpleNamespace(forget=forgotten.append),
        stopwatch=Stopwatch(),
        say=lambda phase, text: None,
    )


def up(deployer: Deployer, folder: Path) -> tuple[ForkGroup, list[str], int]:
    group = ForkGroup(number=1, folder=folder, order=(Side.BASELINE, Side.CANDIDATE), first_window=0)
    forgotten: list[str] = []
    with brought_up(context_of(deployer, forgotten, folder), group):
        while_up = len(deployer.started) - len(deployer.stopped)
        assert all(path.is_dir() for path in group.scratch.values())
    return group, forgotten, while_up


def test_they_are_started_anew(tmp_path: Path) -> None:
    deployer = Deployer(losses=2)
    group, forgotten, while_up = up(deployer, tmp_path)
    assert while_up == 2
    assert deployer.filled == [*Side], "once all are up"
    assert sorted(deployer.started) == sorted(deployer.stopped) == sorted([*Side] * 3)
    assert group.notes == ["The candidate of orders was taken away. Nothing was measured yet, so it was restarted."] * 2
    assert forgotten == ["1-baseline", "1-candidate"] * 2, "or the receiver would expect them twice"


def test_what_they_wrote_for_themselves_goes_with_them(tmp_path: Path) -> None:
    up(Deployer(losses=1), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["baseline", "candidate"], "and raw files stay"


def test_not_for_ever(tmp_path: Path) -> None:
    deployer = Deployer(losses=9)
    with pytest.raises(ForkLost):
        up(deployer, tmp_path)
    assert deployer.started.count(Side.CANDIDATE) == 3
    assert sorted(deployer.started) == sorted(deployer.stopped)


def test_not_where_the_build_is_to_blame(tmp_path: Path) -> None:
    deployer = Deployer(losses=0, broken=True)
    with pytest.raises(DeployError):
        up(deployer, tmp_path)
    assert deployer.started.count(Side.CANDIDATE) == 1
