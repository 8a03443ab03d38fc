"""Noise of earlier runs: kept per design, given back only to later runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.history import design_of, recall, recall_run, remember
from pacecar.cli.experiments import experiment_of
from pacecar.comparison import Spread
from pacecar.config import load
from pacecar.experiment import Experiment, Prometheus, Query, Side
from pacecar.judge.metrics import MEANING
from pacecar.recording import Fingerprint

ROOT = Path(__file__).resolve().parents[3]
NOISE = {("cpu", ""): Spread(variance=0.002, degrees=3.0), ("latency.p99", "GET /"): Spread(variance=0.01, degrees=2.0)}
MACHINE = Fingerprint(cpu_model="m", cores=2, memory_bytes=1, kernel="k", jvm="17", os="o")


@pytest.fixture
def experiment() -> Experiment:
    return experiment_of(load(ROOT / "pacecar.toml"), options={}, sides=tuple(Side))


def test_later_runs_of_the_same_design_get_it_back(tmp_path: Path) -> None:
    for run in ("20260101-000000-aaaa", "20260102-000000-bbbb"):
        remember(tmp_path, "d1", run, NOISE)
    assert recall(tmp_path, "d1", before="20260103-000000-cccc") == [NOISE, NOISE]
    assert recall(tmp_path, "d1", before="20260102-000000-bbbb") == [NOISE]
    assert recall(tmp_path, "d2", before="20260103-000000-cccc") == []


def test_a_run_judged_again_takes_its_own_place(tmp_path: Path) -> None:
    remember(tmp_path, "d1", "20260101-000000-aaaa", {})
    remember(tmp_path, "d1", "20260101-000000-aaaa", NOISE)
    assert recall(tmp_path, "d1", before="20260102") == [NOISE]


def test_damage_is_said(tmp_path: Path) -> None:
    remember(tmp_path, "d1", "20260101-000000-aaaa", NOISE)
    (tmp_path / "history" / "d1" / "20260101-000000-aaaa.json").write_text("{")
    with pytest.raises(RunError, match="is not JSON"):
        recall(tmp_path, "d1", before="2027")


def test_the_design_is_what_noise_depends_on(experiment: Experiment) -> None:
    design = design_of(experiment, MACHINE)
    same = replace(experiment, plan=replace(experiment.plan, pairs=9, seed=7, stop_early=False), budgets=())
    assert design_of(same, MACHINE) == design
    assert design_of(experiment, replace(MACHINE, kernel="newer")) == design
    longer = replace(experiment, plan=replace(experiment.plan, side_s=60.0))
    assert design_of(longer, MACHINE) != design
    assert design_of(experiment, replace(MACHINE, cpu_model="other")) != design


def test_noise_of_a_metric_that_meant_something_else_is_not_used(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = design_of(experiment, MACHINE)
    asking = replace(experiment, prometheus=Prometheus(url="http://p", queries=(Query(name="queue", text="a"),)))
    otherwise = replace(experiment, prometheus=Prometheus(url="http://p", queries=(Query(name="queue", text="b"),)))
    elsewhere = replace(asking, prometheus=replace(asking.prometheus, url="http://q"))
    assert len({design, design_of(asking, MACHINE), design_of(otherwise, MACHINE)}) == 3
    assert design_of(elsewhere, MACHINE) == design_of(asking, MACHINE)
    monkeypatch.setattr("pacecar.archive.history.MEANING", MEANING + 1)
    assert design_of(experiment, MACHINE) != design


def test_a_run_without_noise_takes_nobodys_place(tmp_path: Path) -> None:
    remember(tmp_path, "d", "20260101-000000-aaaa", NOISE)
    for number in range(30):
        remember(tmp_path, "d", f"20260102-000000-{number:04x}", {})
    assert recall(tmp_path, "d", before="20260103-000000-aaaa") == [NOISE]
    assert recall_run(tmp_path, "d", "20260102-000000-0001") == {}
    remember(tmp_path, "d", "20260101-000000-aaaa", {})
    assert recall(tmp_path, "d", before="20260103-000000-aaaa") == []
