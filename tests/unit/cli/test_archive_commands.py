"""The commands about runs and baselines, as a user types them, on two machines that share a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive.runs import RunDirectory
from pacecar.errors import PacecarError
from pacecar.inputs.builds.artifact import make
from pacecar.inputs.config import Configuration, load
from pacecar.model.experiment import BuildKind, Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Manifest, Pair, RunKind, RunState
from pacecar.system.resources import Resources
from pacecar.workflow.experiments import experiment_of, pinned
from unit.archive.conftest import make_pair, manifest  # noqa: F401  fixtures
from unit.inputs.builds.conftest import git, own_places, project, repository  # noqa: F401  fixtures

FIRST, SECOND = "20250301-000000-0001", "20250302-000000-0002"
CONFIG = """
[target]
name = "orders"
command = ["{{java}}", "-jar", "{{artifact}}", "--port={{port}}"]
ready = "/ready"

[source]
root = "orders"
command = ["{python}", "build.py"]
artifact = "target/orders-*.jar"

[builds.named.loud]
build = "baseline:main"
jvm_args = ["-Xlog:gc"]

[archive]
url = "file://{store}"
"""


class Machine:
    """A checkout with a configuration, and the command run in it."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder = folder
        self.config = folder / "pacecar.toml"
        self.config.write_text(CONFIG.format(python=sys.executable, store=store))

    @property
    def configuration(self) -> Configuration:
        return load(self.config)

    def pacecar(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        harness = Path(sys.modules["pacecar"].__path__[0]).parent
        return subprocess.run(
            [sys.executable, "-m", "pacecar", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(harness), "NO_COLOR": "1", "COLUMNS": "200"},
            capture_output=True,
            text=True,
        )

    def told(self, *arguments: str) -> str:
        done = self.pacecar(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def here(repository: Path, tmp_path: Path) -> Machine:  # noqa: F811
    (repository / ".gitignore").write_text("target/\n.pacecar/\npacecar.toml\n")
    return Machine(repository, tmp_path / "store")


@pytest.fixture
def elsewhere(here: Machine, tmp_path: Path, git: Callable[..., str]) -> Machine:  # noqa: F811
    git(here.folder, "commit", "-qam", "ignore")
    subprocess.run(["git", "clone", "-q", here.folder, tmp_path / "clone"], check=True)
    git(tmp_path / "clone", "switch", "-q", "-c", "work")
    git(tmp_path / "clone", "branch", "-q", "-D", "main")
    return Machine(tmp_path / "clone", tmp_path / "store")


@pytest.fixture
def record(
    here: Machine,
    manifest: Manifest,  # noqa: F811
    make_pair: Callable[..., Pair],  # noqa: F811
    tmp_path: Path,
) -> Callable[[str, str], RunDirectory]:
    """A recording of a build of the first machine; the build is real, what was measured is not."""

    def go(run_id: str, build: str) -> RunDirectory:
        configuration = here.configuration
        experiment = experiment_of(configuration, options=RunOptions(baseline=build), sides=(Side.BASELINE,))
        with Resources() as resources:
            artifact = make(
                experiment.builds[Side.BASELINE], source=configuration.source, resources=resources, log_dir=tmp_path
            )
        recorded = replace(
            manifest,
            run_id=run_id,
            kind=RunKind.RECORDING,
            builds={Side.BASELINE: artifact.built},
            configuration=configuration.text,
            options=RunOptions(config=str(configuration.path)),
        )
        run = RunDirectory.create(here.folder / ".pacecar", recorded)
        run.write_pair(make_pair(1, rows=3), {})
        run.set_state(RunState.COMPLETE)
        return run

    return go


Record = Callable[[str, str], RunDirectory]


def baseline_of(machine: Machine, text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(machine.folder)
    options = RunOptions(baseline=text)
    experiment = experiment_of(machine.configuration, options=options, sides=(Side.BASELINE,))
    return experiment.builds[Side.BASELINE], pinned(options, experiment)


def test_from_a_recording_to_another_machine(here: Machine, elsewhere: Machine, record: Record) -> None:
    record(FIRST, ".")
    record(SECOND, "v1")
    assert here.told("runs", "store", FIRST).startswith("file://")
    listed = json.loads(elsewhere.told("runs", "list", "--json"))
    assert [(run["run"], run["here"], run["stored"]) for run in listed] == [(FIRST, False, True)]
    assert "here and stored" in here.told("runs", "list")

    assert "is the baseline of main" in here.told("baseline", "promote", FIRST, "--branch", "main")
    (kept,) = json.loads(elsewhere.told("baseline", "list", "--json"))
    assert (kept["branch"], kept["run"], kept["forks"]) == ("main", FIRST, "1")
    assert kept["build"].startswith("working tree ")
    assert FIRST in elsewhere.told("baseline", "show", "main")
    assert elsewhere.told("baseline", "verify") == "1 baseline, all readable\n"

    here.told("baseline", "promote", SECOND)
    assert elsewhere.told("baseline", "prune", "--keep", "1") == f"removed {FIRST} of main\n"
    assert elsewhere.told("runs", "prune", "--stored", "--keep", "1") == f"removed {FIRST}\n"
    assert elsewhere.told("runs", "prune", "--stored", "--older-than", "1d") == ""
    assert here.told("runs", "prune", "--older-than", "1d", "--dry-run").count("would remove") == 2
    assert here.told("runs", "prune", "--keep", "1") == f"removed {FIRST}\n"


@pytest.mark.parametrize("text", ["main", "baseline:main", f"baseline:main@{FIRST}"])
def test_the_build_of_a_baseline_on_another_machine(
    text: str, here: Machine, elsewhere: Machine, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(FIRST, ".")
    here.told("baseline", "promote", FIRST)
    build, options = baseline_of(elsewhere, text, monkeypatch)
    commit = run.manifest.builds[Side.BASELINE].commit
    assert (build.kind, build.value, build.label) == (BuildKind.REF, commit, "main")
    assert options.baseline == f"baseline:main@{FIRST}"


def test_without_a_shared_store_everything_stays_here(
    here: Machine,
    record: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = here.config.read_text()
    here.config.write_text(text[: text.index("[archive]")])
    run = record(FIRST, "v1")
    here.told("baseline", "promote", FIRST, "--branch", "release")
    build, options = baseline_of(here, "release", monkeypatch)
    assert build.value == run.manifest.builds[Side.BASELINE].commit
    assert options.baseline == f"baseline:release@{FIRST}"
    assert here.told("baseline", "verify") == "1 baseline, all readable\n"
    assert here.pacecar("runs", "store", FIRST).stderr.startswith("error: No shared store is configured.")
    assert here.told("runs", "prune", "--older-than", "1d") == ""  # it is a baseline


def test_a_name_means_this_repository_first(
    here: Machine, elsewhere: Machine, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A named build, then a file or folder, then a git ref, then a baseline."""
    record(FIRST, ".")
    for branch in ("main", "v1", "src", "loud"):
        here.told("baseline", "promote", FIRST, "--branch", branch)
    build, options = baseline_of(elsewhere, "v1", monkeypatch)
    assert (build.value, options.baseline) == ("v1", "v1")
    (elsewhere.folder / "src").mkdir()
    build, options = baseline_of(elsewhere, "src", monkeypatch)
    assert (build.kind, options.baseline) == (BuildKind.TREE, "src")
    build, options = baseline_of(elsewhere, "loud", monkeypatch)
    assert (build.label, build.jvm_args) == ("loud", ("-Xlog:gc",))
    assert options.baseline == f"baseline:main@{FIRST}"
    build, options = baseline_of(elsewhere, "baseline:v1", monkeypatch)
    assert options.baseline == f"baseline:v1@{FIRST}"


def test_an_artifact_is_fetched_and_checked(
    here: Machine, elsewhere: Machine, record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(FIRST, ".")
    here.told("baseline", "promote", FIRST, "--artifact")
    build, _ = baseline_of(elsewhere, "main", monkeypatch)
    assert build.kind is BuildKind.JAR
    assert Path(build.value).is_relative_to(elsewhere.folder / ".pacecar")
    (content,) = (tmp_path / "store" / "builds").iterdir()
    content.write_bytes(b"x" * content.stat().st_size)
    shutil.rmtree(elsewhere.folder / ".pacecar")
    refused = elsewhere.pacecar("compare", "--baseline", "main", "--candidate", ".", "--dry-run")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"error: The build of baseline main@{FIRST} is damaged: ")
    assert "Traceback" not in refused.stderr
    assert run.manifest.builds[Side.BASELINE].artifact_sha256 in content.name


@pytest.mark.parametrize("text", ["baseline:mian", "mian"])
def test_a_name_that_nobody_knows(
    text: str, here: Machine, elsewhere: Machine, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(FIRST, ".")
    here.told("baseline", "promote", FIRST)
    with pytest.raises(PacecarError, match="There is no b"):
        baseline_of(elsewhere, text, monkeypatch)


def test_a_run_of_the_store_is_looked_at(here: Machine, elsewhere: Machine, record: Record) -> None:
    """Without its builds: a ref or jar of the machine that made it need not be here."""
    run = record(FIRST, ".")
    other = replace(run.manifest.builds[Side.BASELINE], kind="jar", value="/nowhere/orders.jar")
    run.write_manifest(replace(run.manifest, builds={Side.BASELINE: other}))
    here.told("runs", "store", FIRST)
    looked = elsewhere.pacecar("export", FIRST, "--side", "baseline")
    assert looked.stderr.startswith("error: The run holds no cpu samples of the baseline.")
    assert [path.name[:20] for path in (elsewhere.folder / ".pacecar" / "fetched" / "runs").iterdir()] == [FIRST]
    again = elsewhere.pacecar("resume", FIRST)  # what others stored is read, never carried out
    assert again.returncode == 2
    assert "There is no run" in again.stderr


def test_names_from_a_store_do_not_reach_the_terminal_as_they_are(
    here: Machine, record: Record, tmp_path: Path
) -> None:
    record(FIRST, ".")
    here.told("baseline", "promote", FIRST)
    store = tmp_path / "store"
    (promotion,) = (store / "baselines" / "main").iterdir()
    hostile = store / "baselines" / "!1B]0!3Bowned!07!5Bred!5D!E2!80!AE"
    hostile.mkdir()
    shutil.copy(promotion, hostile)
    listed = here.told("baseline", "list")
    assert "\ufffd]0;owned\ufffd[red]" in listed
    assert "\x1b" not in listed
    json.loads(here.told("baseline", "list", "--json"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "prune"], "No option says which runs to remove."),
        (["runs", "prune", "--older-than", "soon"], "--older-than: "),
        (["runs", "store"], "There is no run in "),
        (["baseline", "show", "main"], "There is no baseline for branch 'main'."),
    ],
)
def test_mistakes_are_a_sentence(arguments: list[str], message: str, here: Machine) -> None:
    done = here.pacecar(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('url = "bucket"', "is not the URL of a store"),
        ('url = "s3://key:secret@bucket"', "credentials come from the environment"),
        ('url = "s3://b"\noptions = { secret_access_key = "x" }', "looks like a credential"),
        ('url = "s3://b"\noptions = { endpoint = [] }', "archive.options"),
    ],
)
def test_what_may_not_stand_in_the_configuration(line: str, message: str, here: Machine) -> None:
    text = here.config.read_text()
    here.config.write_text(text[: text.index("[archive]")] + f"[archive]\n{line}\n")
    done = here.pacecar("baseline", "list")
    assert done.returncode == 2
    assert message in done.stderr
    assert "key:secret" not in done.stderr
