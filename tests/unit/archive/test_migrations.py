"""Records that older Pacecars wrote."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.bisections import find_bisection, store
from pacecar.archive.runs import RunDirectory
from pacecar.model.bisection import Outcome
from pacecar.model.experiment import Budget, Side
from pacecar.model.options import PlanOptions, RunOptions
from pacecar.model.recording import SCHEMA_VERSION, Manifest, Pair
from pacecar.workflow.experiments import judged_experiment

DATA = Path(__file__).parent / "data"
#: Written by the Pacecar of schema version 1, on a run of the sample service; the home folder was renamed since, here
#: and in the others.
OLD = DATA / "manifest-1.json"
#: Of schema version 2: a small service measured against itself.
NOISE = DATA / "manifest-2.json"
#: Of schema version 2: a step of the search for a commit in `bisection-1.json`.
STEP = DATA / "manifest-2-step.json"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    run = tmp_path / "20261121-043737-a6e8"
    run.mkdir()
    shutil.copy(OLD, run / "manifest.json")
    return run


def test_a_manifest_of_version_1_is_read_as_todays(old: Path) -> None:
    manifest = RunDirectory.open(old).manifest
    assert manifest.schema_version == SCHEMA_VERSION
    assert manifest.run_id == "20261121-043737-a6e8"
    plain, named = manifest.builds[Side.BASELINE], manifest.builds[Side.CANDIDATE]
    assert (plain.label, plain.jvm_args, plain.profiler) == ("working tree", (), True)
    # Version 1 did not say it of the side; the configuration says it of the build with that name.
    assert (named.label, named.jvm_args, named.profiler) == ("parallel-gc", ("-XX:+UseParallelGC",), True)


def test_reading_leaves_the_file_as_it_is_and_writing_makes_it_todays(old: Path, manifest: Manifest) -> None:
    run = RunDirectory.open(old)
    assert (old / "manifest.json").read_bytes() == OLD.read_bytes()
    run.write_manifest(run.manifest)
    assert json.loads((old / "manifest.json").read_text())["schema_version"] == SCHEMA_VERSION
    assert RunDirectory.open(old).manifest == run.manifest


@pytest.mark.parametrize(
    "configuration", [7, "", "[builds", "builds = 1", "[builds]\nnamed = 3", "[builds.named]\na = 1"]
)
def test_a_configuration_that_says_nothing_leaves_the_defaults(old: Path, configuration: object) -> None:
    path = old / "manifest.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"configuration": configuration}))
    if isinstance(configuration, str):
        assert RunDirectory.open(old).manifest.builds[Side.CANDIDATE].jvm_args == ()


def _opened(tmp_path: Path, manifest: Path, **options: object) -> RunDirectory:
    """A run with that manifest, and with these options added to it."""
    document = json.loads(manifest.read_text())
    run = tmp_path / document["run_id"]
    run.mkdir()
    (run / "manifest.json").write_text(json.dumps(document | {"options": document["options"] | options}))
    return RunDirectory.open(run)


def test_options_of_version_1_get_their_shape(old: Path) -> None:
    options = RunDirectory.open(old).manifest.options
    assert options.plan == PlanOptions(seed=1)
    assert (options.baseline, options.config) == ("tree:targets/orders", "/home/ada/shop/pacecar.toml")


def test_options_of_version_2_get_their_shape(tmp_path: Path) -> None:
    assert _opened(tmp_path, NOISE).manifest.options == RunOptions(
        config="/home/ada/small/pacecar.toml",
        baseline=".",
        candidate=".",
        plan=PlanOptions(pairs=3),
        settings={"plan.stop_early": "false"},
    )


def test_a_stored_baseline_and_a_seed_of_version_2_are_read(tmp_path: Path) -> None:
    options = _opened(tmp_path, NOISE, stored="main", seed="17").manifest.options
    assert (options.stored, options.plan) == ("main", PlanOptions(pairs=3, seed=17))


def test_a_step_of_a_search_is_judged_by_what_it_was_judged_by(tmp_path: Path) -> None:
    run = _opened(tmp_path, STEP)
    assert run.manifest.options.bisection == "20261123-215606-4341"
    experiment = judged_experiment(run)
    assert (experiment.gate, experiment.comparisons) == (("allocation",), 3)
    (budget,) = experiment.budgets
    assert budget.relative == pytest.approx(0.68334)
    assert replace(budget, relative=None) == Budget(metric="allocation")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": "many"}, "options.plan.pairs"),
        ({"seed": []}, "options.plan.seed"),
        ({"stored": 3}, "options.stored"),
        ({"set plan.pairs": {}}, "options.settings.plan.pairs"),
    ],
)
def test_what_is_no_option_is_damage(tmp_path: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(RunError, match=rf"is damaged: {said}"):
        _opened(tmp_path, NOISE, **options)


@pytest.mark.parametrize("options", [None, 3, [], "pairs"])
def test_what_are_no_options_is_damage(old: Path, options: object) -> None:
    path = old / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"options": options}))
    with pytest.raises(RunError, match="is damaged: options"):
        RunDirectory.open(old)


def test_a_search_of_version_1_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bisections").mkdir()
    written = tmp_path / "bisections" / "20261123-215606-4341.json"
    shutil.copy(DATA / "bisection-1.json", written)
    search = find_bisection(tmp_path, written.stem)
    assert (search.config, search.metric, search.endpoint) == ("/home/ada/small/pacecar.toml", "allocation", None)
    assert [step.outcome for step in search.steps] == [Outcome.SKIPPED, Outcome.GOOD, Outcome.BAD]
    store(tmp_path, search)
    assert find_bisection(tmp_path, written.stem) == search


def test_what_there_was_not_is_none_in_records_of_version_2(tmp_path: Path) -> None:
    builds = _opened(tmp_path, NOISE).manifest.builds
    assert {(built.commit, built.patch) for built in builds.values()} == {(None, None)}


def test_what_there_was_not_is_none_in_older_records_of_a_pair(
    tmp_path: Path, manifest: Manifest, make_pair: Callable[..., Pair]
) -> None:
    pair = make_pair(1, rows=1)
    run = RunDirectory.create(tmp_path, manifest)
    run.write_pair(pair, {})
    path = run.path / "pairs" / "01" / "pair.json"
    document = json.loads(path.read_text())
    document["forks"]["baseline"] |= {"died": "", "unsettled": ""}
    document["forks"]["candidate"] |= {"died": "killed by signal 9", "unsettled": ""}
    path.write_text(json.dumps(document))
    forks = run.read_pair(1).record.forks
    assert (forks[Side.BASELINE].died, forks[Side.BASELINE].unsettled) == (None, None)
    assert (forks[Side.CANDIDATE].died, forks[Side.CANDIDATE].unsettled) == ("killed by signal 9", None)
