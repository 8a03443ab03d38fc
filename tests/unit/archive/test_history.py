"""Noise of earlier runs: kept per design, given back only to later runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pacecar.archive import RunError
from pacecar.archive.history import MOST_BYTES, NEWEST, design_of, files_of, recall, recall_run, remember, trim
from pacecar.inputs.config import load, parse
from pacecar.model.catalogue import MEANING
from pacecar.model.comparison import Spread
from pacecar.model.deployment import ComposeDeployment, Dependency, ProcessDeployment
from pacecar.model.experiment import Experiment, Prometheus, Query, Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Fingerprint
from pacecar.model.tiers import Blocks, Escalation, Tier, after_windows
from pacecar.workflow.experiments import experiment_of
from support.checkout import CHECKOUT

NOISE = {("cpu", ""): Spread(variance=0.002, degrees=3.0), ("latency.p99", "GET /"): Spread(variance=0.01, degrees=2.0)}
MACHINE = Fingerprint(cpu_model="m", cores=2, memory_bytes=1, kernel="k", jvm="17", os="o")


@pytest.fixture
def experiment() -> Experiment:
    return experiment_of(load(CHECKOUT / "pacecar.toml"), options=RunOptions(), sides=tuple(Side))


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
    remember(tmp_path, "d1", "20260102-000000-bbbb", NOISE)
    said: list[str] = []
    assert recall(tmp_path, "d1", before="2027", told=said.append) == [NOISE]
    assert len(said) == 1
    assert said[0].endswith("20260101-000000-aaaa.json is not JSON.")
    with pytest.raises(RunError, match="is not JSON"):
        recall_run(tmp_path, "d1", "20260101-000000-aaaa")


def test_the_design_is_what_noise_depends_on(experiment: Experiment) -> None:
    design = design_of(experiment, MACHINE)
    same = replace(experiment, plan=replace(experiment.plan, pairs=9, seed=7, stop_early=False), budgets=())
    assert design_of(same, MACHINE) == design
    assert design_of(experiment, replace(MACHINE, kernel="newer")) == design
    longer = replace(experiment, plan=replace(experiment.plan, side_s=60.0))
    assert design_of(longer, MACHINE) != design
    assert design_of(experiment, replace(MACHINE, cpu_model="other")) != design
    counted = replace(experiment, plan=replace(experiment.plan, counted=after_windows(3.0)))
    assert design_of(counted, MACHINE) == design  # what windows scatter by is known whether or not blocks follow


def test_the_quick_tier_has_a_design_of_its_own(experiment: Experiment) -> None:
    quick = replace(experiment, plan=replace(experiment.plan, tier=Tier.QUICK))
    assert design_of(quick, MACHINE) != design_of(experiment, MACHINE)
    longer = replace(quick, plan=replace(quick.plan, side_s=60.0, pairs=9))
    assert design_of(longer, MACHINE) == design_of(quick, MACHINE)
    for each in (quick, experiment):  # what follows a run changes none
        followed = replace(each, plan=replace(each.plan, escalation=Escalation(classes=("shop",))))
        assert design_of(followed, MACHINE) == design_of(each, MACHINE)
    fewer = replace(quick, plan=replace(quick.plan, blocks=Blocks(requests=5)))
    assert design_of(fewer, MACHINE) != design_of(quick, MACHINE)


@pytest.mark.parametrize("tier", Tier)
def test_counting_calls_or_not_is_part_of_the_design(experiment: Experiment, tier: Tier) -> None:
    said_nothing = replace(experiment, plan=replace(experiment.plan, tier=tier))
    with_calls, without = (
        replace(said_nothing, target=replace(said_nothing.target, calls=each)) for each in (True, False)
    )
    assert design_of(with_calls, MACHINE) != design_of(without, MACHINE)
    default = with_calls if tier is Tier.QUICK else without
    assert design_of(said_nothing, MACHINE) == design_of(default, MACHINE)


PROCESS = ProcessDeployment(command=("{java}", "-jar", "{artifact}", "{port}"))
COMPOSE = ComposeDeployment(file=CHECKOUT / "docker-compose.yml", service="orders", jar="/app/orders.jar", cpus=1.0)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"deployment": PROCESS}, id="as a process"),
        pytest.param({"deployment": replace(PROCESS, command=(*PROCESS.command, "-Xmx1g"))}, id="a larger heap"),
        pytest.param({"deployment": replace(COMPOSE, cpus=2.0)}, id="more CPU"),
        pytest.param({"deployment": replace(COMPOSE, cpus=None)}, id="no limit of CPU"),
        pytest.param({"deployment": replace(COMPOSE, memory_bytes=1 << 30)}, id="a limit of memory"),
        pytest.param({"deployment": replace(COMPOSE, service="web")}, id="another service"),
        pytest.param(
            {"deployment": replace(COMPOSE, file=CHECKOUT / "prod" / "docker-compose.yml")}, id="another file"
        ),
        pytest.param({"deployment": replace(COMPOSE, port=81)}, id="another port of the service"),
        pytest.param({"deployment": replace(COMPOSE, jar=None)}, id="an image"),
        pytest.param({"port": 8080}, id="one side at a time"),
        pytest.param({"setup": (("./fill", "--rows=10"),)}, id="more data"),
        pytest.param({"once_ready": (("./fill", "--rows=10"),)}, id="data for a service that is up"),
        pytest.param({"env": {"JAVA_OPTS": "-Xmx1g"}}, id="a variable"),
    ],
)
def test_noise_belongs_to_one_way_of_deploying(experiment: Experiment, other: dict[str, Any]) -> None:
    one = replace(experiment, target=replace(experiment.target, deployment=COMPOSE, port=None, setup=(), env={}))
    changed = replace(one, target=replace(one.target, **other))
    assert design_of(changed, MACHINE) != design_of(one, MACHINE)


STORE = Dependency(name="store", command=("store", "{port}"), directory=CHECKOUT)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param((), False, id="none"),
        pytest.param((replace(STORE, command=("store", "{port}", "--sync")),), False, id="another command"),
        pytest.param((replace(STORE, env={"SYNC": "1"}),), False, id="a variable"),
        pytest.param((STORE, replace(STORE, name="cache")), False, id="one more"),
        pytest.param((replace(STORE, timeout_s=5.0, ready_line="up"),), True, id="awaited otherwise"),
    ],
)
def test_noise_belongs_to_what_a_fork_needs_beside_it(
    experiment: Experiment, other: tuple[Dependency, ...], *, same: bool
) -> None:
    def design(dependencies: tuple[Dependency, ...]) -> str:
        deployment = replace(PROCESS, dependencies=dependencies)
        return design_of(replace(experiment, target=replace(experiment.target, deployment=deployment)), MACHINE)

    assert (design(other) == design((STORE,))) is same


def test_a_checkout_elsewhere_is_the_same_project(experiment: Experiment) -> None:
    here = replace(experiment, target=replace(experiment.target, deployment=COMPOSE))
    moved = replace(COMPOSE, file=Path("/elsewhere/docker-compose.yml"))
    there = replace(
        here, target=replace(here.target, deployment=moved), config_path=Path("/elsewhere") / here.config_path.name
    )
    assert design_of(there, MACHINE) == design_of(here, MACHINE)


@pytest.mark.parametrize(
    "line",
    [
        'command = ["{java}", "-Ddb.password=hunter2", "-jar", "{artifact}", "{port}"]',
        'command = ["{java}", "--token", "hunter2", "-jar", "{artifact}", "{port}"]',
        'command = ["{java}", "{artifact}", "{port}", "jdbc:postgresql://me:hunter2@127.0.0.1/orders"]',
        'command = ["{java}", "{artifact}", "{port}"]\nenv = { DB_URL = "jdbc:hunter2" }',
        'command = ["{java}", "{artifact}", "{port}"]\nhooks = { setup = [["./fill", "--password=hunter2"]] }',
        'command = ["{java}", "{artifact}", "{port}"]\n[[target.dependencies]]\nname = "store"\n'
        'command = ["store", "{port}", "--password=hunter2"]\nenv = { A = "hunter2", B = "{port}" }',
        'deploy = "compose"\nenv = { DB_URL = "jdbc:hunter2" }',
    ],
)
def test_a_run_judged_again_by_what_it_kept_has_the_same_design(tmp_path: Path, line: str) -> None:
    (tmp_path / "docker-compose.yml").write_text("services: {}")
    file = tmp_path / "pacecar.toml"
    file.write_text(f'[target]\nname = "orders"\nready = "/health"\n{line}\n')
    measured = load(file)
    assert "hunter2" not in measured.text
    first, again = (
        experiment_of(each, options=RunOptions(), sides=())
        for each in (measured, parse(measured.text, file, overrides={}))
    )
    assert first.target != again.target
    assert design_of(again, MACHINE) == design_of(first, MACHINE)


def test_noise_of_a_metric_that_meant_something_else_is_not_used(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = design_of(experiment, MACHINE)
    asking = replace(experiment, prometheus=Prometheus(url="http://p", queries=(Query(name="queue", text="a"),)))
    otherwise = replace(experiment, prometheus=Prometheus(url="http://p", queries=(Query(name="queue", text="b"),)))
    assert asking.prometheus is not None
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


DESIGN = "0123456789abcdef"
LATER = "20270101-000000-0000"


def _file(root: Path, run_id: str, design: str = DESIGN) -> Path:
    return root / "history" / design / f"{run_id}.json"


def _ids(count: int) -> list[str]:
    return [f"20260101-{number:06d}-aaaa" for number in range(count)]


def test_the_newest_runs_are_asked_oldest_first(tmp_path: Path) -> None:
    for number, run_id in enumerate(_ids(NEWEST + 5)):
        remember(tmp_path, DESIGN, run_id, {("cpu", ""): Spread(variance=1.0 + number, degrees=3.0)})
    asked = recall(tmp_path, DESIGN, before=LATER)
    assert [noise["cpu", ""].variance for noise in asked] == [1.0 + number for number in range(5, NEWEST + 5)]


def test_a_figure_that_cannot_be_is_not_remembered(tmp_path: Path) -> None:
    wrong = {("gc", str(n)): Spread(variance=each, degrees=3.0) for n, each in enumerate((1e300, 1e-300, float("nan")))}
    remember(tmp_path, DESIGN, _ids(1)[0], {**NOISE, **wrong, ("heap", ""): Spread(variance=0.0, degrees=3.0)})
    assert recall_run(tmp_path, DESIGN, _ids(1)[0]) == {**NOISE, ("heap", ""): Spread(variance=0.0, degrees=3.0)}


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "is not JSON", id="empty"),
        pytest.param(b'{"run_id": "20260101-0000', "is not JSON", id="truncated"),
        pytest.param(b'{"run_id": "20260101-000001-aaaa", "noise": []}', "noise of run", id="of another run"),
        pytest.param(b" " * (MOST_BYTES + 1), "larger than 1 MiB", id="large"),
        pytest.param(
            b'{"run_id": "20260101-000000-aaaa", "noise": ['
            + b'{"metric":"a","endpoint":"","variance":1.0,"degrees":1.0},' * 10_000
            + b'{"metric":"a","endpoint":"","variance":1.0,"degrees":1.0}]}',
            "no run has 10001 metrics",
            id="many metrics",
        ),
        *(
            pytest.param(
                b'{"run_id": "20260101-000000-aaaa", "noise": [{"metric": "cpu", "endpoint": "", '
                + f'"variance": {variance}, "degrees": {degrees}}}]}}'.encode(),
                "an impossible variance",
                id=f"{variance} of {degrees}",
            )
            for variance, degrees in ((1e300, 3.0), (5e-324, 3.0), (-1.0, 3.0), (1.0, 0.0), (1.0, 1e300))
        ),
    ],
)
def test_what_somebody_else_wrote_is_left_out_with_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    damaged, good = _ids(2)
    for run_id in (damaged, good):
        remember(tmp_path, DESIGN, run_id, NOISE)
    _file(tmp_path, damaged).write_bytes(content)
    told: list[str] = []
    assert recall(tmp_path, DESIGN, before=LATER, told=told.append) == [NOISE]
    assert len(told) == 1
    assert said in told[0]
    assert len(told[0]) < 300
    assert list(files_of(tmp_path, damaged)) == []


@pytest.mark.hostile
@pytest.mark.parametrize("place", ["history", f"history/{DESIGN}", f"history/{DESIGN}/{_ids(1)[0]}.json/deeper"])
def test_something_else_in_its_place_is_a_sentence(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    assert recall(tmp_path, DESIGN, before=LATER) == []
    with pytest.raises(RunError, match=r"cannot be written: (Not a directory|File exists|Is a directory)\."):
        remember(tmp_path, DESIGN, _ids(1)[0], NOISE)
    assert path.read_text() == "mine"


@pytest.mark.hostile
def test_trimmed_it_holds_what_later_runs_can_use_and_no_more(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("hunter2")
    ids = _ids(NEWEST + 5)
    for run_id in ids:
        remember(tmp_path, DESIGN, run_id, NOISE)
    remember(tmp_path, "f" * 16, "20250101-000000-aaaa", NOISE)
    history = tmp_path / "history"
    _file(tmp_path, ids[-1]).write_text("{")
    (history / DESIGN / "20260102-000000-aaaa.json").write_bytes(b" " * (MOST_BYTES + 1))
    (history / DESIGN / "20260103-000000-aaaa.json").symlink_to(secret / "key")
    (history / DESIGN / "notes.txt").write_text("hello")
    (history / DESIGN / "folder").mkdir()
    (history / "runs").mkdir()
    (history / "runs" / "heap.bin").write_bytes(b"0")
    (history / ("e" * 16)).symlink_to(secret)
    expected = ids[-1 - NEWEST : -1]
    before = recall(tmp_path, DESIGN, before=ids[-1])
    trim(tmp_path)
    assert sorted(path.name for path in history.iterdir()) == [DESIGN, "f" * 16]
    assert sorted(path.stem for path in (history / DESIGN).iterdir()) == expected
    assert recall(tmp_path, DESIGN, before=LATER) == before == [NOISE] * NEWEST
    assert (secret / "key").read_text() == "hunter2"
    trim(tmp_path)
    assert sorted(path.stem for path in (history / DESIGN).iterdir()) == expected


def test_trimmed_it_holds_the_designs_that_were_measured_last(tmp_path: Path) -> None:
    for number in range(25):
        remember(tmp_path, f"{number:016x}", f"202601{number + 1:02d}-000000-aaaa", NOISE)
    trim(tmp_path)
    assert sorted(path.name for path in (tmp_path / "history").iterdir()) == [f"{n:016x}" for n in range(5, 25)]


def test_there_may_be_nothing_to_trim(tmp_path: Path) -> None:
    trim(tmp_path)
    assert list(tmp_path.iterdir()) == []
