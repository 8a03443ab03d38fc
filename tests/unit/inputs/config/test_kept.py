"""What of a configuration runs keep, and how the rest comes back when they go on."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacecar.archive import records
from pacecar.archive.runs import RunDirectory
from pacecar.errors import UsageError
from pacecar.inputs import config
from pacecar.inputs.builds import BuildError, again
from pacecar.inputs.builds.artifact import described
from pacecar.inputs.config import ConfigError
from pacecar.inputs.config.kept import _written, kept_overrides, kept_text, restored
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Fingerprint, Manifest, RunState
from pacecar.model.stored_builds import Origin, StoredBuild
from pacecar.workflow.experiments import (
    as_arguments,
    experiment_of_run,
    judged_experiment,
    overrides_of,
)
from pacecar.workflow.requests import request_of
from support.checkout import CHECKOUT

#: Each `@N` is another secret.
TEXT = """
# an old one: @0
[target]
name = "orders"
command = ["{java}", "-Dspring.datasource.password=@1", "-jar", "{artifact}", "--server.port={port}", "--token", "@2"]
ready = "/health?api_key=@3"
env = { DB_PASSWORD = "@4", DB_URL = "jdbc:postgresql://ada:@5@db/orders", LISTEN = "{port}" } # @6
[target.hooks]
setup = [["psql", "postgres://ada:@7@db/orders"], ["curl", "-H", "Authorization: Bearer @8", "http://127.0.0.1"]]
[target.secrets]
OTHER = "OTHER"
[source]
command = ["mvn", "-Dnexus.password=@9", "package"]
[builds.named.pg]
build = "tree:."
jvm_args = ["-Dpassword=@10", "-XX:+UseParallelGC"]
[builds.named.pg.env]
TOKEN = '''@11'''
PLAIN = \"\"\"
@12\"\"\"
[scenario]
[[scenario.endpoints]]
name = "GET /"
path = "/?token=@13"
headers.Authorization = "Bearer @14"
headers."X-Key" = "@15"
[[accepted]]
metric = "cpu"
reason = "the token: check is basic functionality"
by = "Ada"
until = 2999-01-31
[[budgets]]
metric = "latency.p99"
worse = "10 %"
endpoint = "GET /"
"""
OVERRIDES = {
    "target.env.DB_PASSWORD": "@16",
    "builds.named.pg.env.TOKEN": "@17",
    "target.command": '["{java}", "-Ddb.password=@18", "{artifact}", "{port}"]',
    "plan.pairs": "3",
}
MACHINE = Fingerprint(cpu_model="x", cores=2, memory_bytes=1, kernel="x", jvm="x", os="x")


def secret(number: int) -> str:
    return f"s3cr3t-{number}-zq"


def filled(text: str) -> str:
    for number in reversed(range(19)):
        text = text.replace(f"@{number}", secret(number))
    return text


def written(folder: Path, text: str = TEXT) -> Path:
    path = folder / "pacecar.toml"
    path.write_text(filled(text))
    return path


def manifest_of(path: Path, overrides: dict[str, str], *, build: str = "pg") -> Manifest:
    """As `compare` writes it."""
    configuration = config.load(path, overrides=overrides)
    options = RunOptions(baseline=build, candidate=build, settings=kept_overrides(overrides))
    request = request_of(configuration, options, sides=tuple(Side), command="compare")
    return Manifest(
        run_id="20260101-000000-abcd",
        kind=request.kind,
        state=RunState.OPEN,
        created="2026-01-01T00:00:00+00:00",
        repeat=request.repeat,
        builds={side: described(each, sha256="0", copy=None) for side, each in request.experiment.builds.items()},
        machine=MACHINE,
        tools={},
        configuration=request.configuration,
        configuration_sha256="0",
        options=request.options,
    )


def run_of(path: Path, overrides: dict[str, str] | None = None) -> RunDirectory:
    return RunDirectory.create(path.parent / ".pacecar", manifest_of(path, overrides or {}))


@pytest.mark.hostile
@pytest.mark.parametrize("number", range(19))
def test_no_secret_is_in_any_file_of_a_run(number: int, tmp_path: Path) -> None:
    run = run_of(written(tmp_path), {key: filled(value) for key, value in OVERRIDES.items()})

    for file in run.path.parent.parent.rglob("*"):
        assert not file.is_file() or secret(number).encode() not in file.read_bytes()


def test_what_judges_is_kept_to_the_letter(tmp_path: Path) -> None:
    path = written(tmp_path)
    run = run_of(path)
    judged, asked = judged_experiment(run), config.load(path)

    assert judged.budgets == asked.budgets
    assert judged.accepted == asked.accepted
    assert [each.name for each in judged.scenario.endpoints] == ["GET /"]
    assert judged.plan == asked.plan
    assert judged.target.env == {"DB_PASSWORD": "***", "DB_URL": "***", "LISTEN": "{port}"}


def test_going_on_takes_the_values_from_the_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    experiment = experiment_of_run(run_of(path))

    assert experiment.target == config.load(path).target
    assert experiment.target.env["DB_PASSWORD"] == secret(4)
    assert experiment.builds[Side.CANDIDATE].env["TOKEN"] == secret(11)
    assert experiment.scenario == config.load(path).scenario


def test_a_password_that_was_changed_meanwhile_is_the_new_one(tmp_path: Path) -> None:
    path = written(tmp_path)
    run = run_of(path)
    path.write_text(path.read_text().replace(secret(4), "rotated"))

    assert experiment_of_run(run).target.env["DB_PASSWORD"] == "rotated"


PLAIN = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "{port}"]
ready = "/health"
[target.env]
DB_PASSWORD = "@1"
[builds.named.pg]
build = "tree:."
[source]
"""


@pytest.mark.hostile
def test_when_the_file_says_something_else_the_environment_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, PLAIN)
    run = run_of(path)
    path.write_text(path.read_text().replace("/health", "/ready"))

    monkeypatch.delenv("DB_PASSWORD", raising=False)
    with pytest.raises(ConfigError, match=r"The value of target\.env\.DB_PASSWORD was not kept") as caught:
        experiment_of_run(run)
    assert "export DB_PASSWORD=" in str(caught.value.hint)
    assert "[target.secrets]" in str(caught.value.hint)
    monkeypatch.setenv("DB_PASSWORD", "again")
    experiment = experiment_of_run(run)
    assert experiment.target.env == {"DB_PASSWORD": "again"}
    assert experiment.target.ready.path == "/health"


@pytest.mark.hostile
def test_an_override_is_wanted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(written(tmp_path, PLAIN), {"target.env.DB_PASSWORD": secret(9)})

    monkeypatch.delenv("DB_PASSWORD", raising=False)
    with pytest.raises(ConfigError, match=r"target\.env\.DB_PASSWORD was not kept"):
        experiment_of_run(run)
    monkeypatch.setenv("DB_PASSWORD", "again")
    assert experiment_of_run(run).target.env == {"DB_PASSWORD": "again"}


@pytest.mark.hostile
def test_an_argument_that_is_gone_is_not_guessed(tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN.replace('"-jar"', '"-Dpassword=@2", "-jar"'))
    run = run_of(path)
    path.write_text(path.read_text().replace("/health", "/ready"))

    with pytest.raises(ConfigError, match=r"A part of target\.command\.1 was not kept"):
        experiment_of_run(run)


@pytest.mark.hostile
@pytest.mark.parametrize("variable", ["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "PACECAR_PYROSCOPE_TOKEN"])
def test_a_strangers_run_cannot_ask_for_the_jobs_token(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, secret(3))
    text = kept_text(filled(PLAIN).replace("DB_PASSWORD", variable))

    with pytest.raises(ConfigError, match="was not kept"):
        restored(text, tmp_path / "absent.toml", {})


@pytest.mark.hostile
@pytest.mark.parametrize("text", ["][", "a = " + "[" * 5_000, "a." * 100_000 + "b = 1", "a = " + "1" * 9_000])
def test_what_a_stranger_has_kept_may_be_no_configuration(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        restored(text, tmp_path / "pacecar.toml", {})


def test_the_command_to_repeat_works_where_the_variable_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, PLAIN)
    typed = overrides_of([f"target.env.DB_PASSWORD={secret(8)}", "plan.pairs=3"])
    repeat = manifest_of(path, typed).repeat
    assert "target.env.DB_PASSWORD=***" in repeat
    assert "plan.pairs=3" in repeat

    monkeypatch.setenv("DB_PASSWORD", secret(8))
    again_typed = overrides_of([repeat[index + 1] for index, part in enumerate(repeat) if part == "--set"])
    assert again_typed == typed


@pytest.mark.hostile
@pytest.mark.parametrize("setting", [f"={secret(1)}", f" ={secret(1)}", f"=={secret(1)}"])
def test_a_setting_without_a_key_is_refused_without_its_value(setting: str) -> None:
    with pytest.raises(UsageError, match="is not KEY=VALUE") as caught:
        overrides_of([setting])
    assert secret(1) not in caught.value.told


def test_a_run_of_an_older_pacecar_is_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path)
    old = replace(
        manifest_of(path, {}),
        configuration=path.read_text(),
        options=RunOptions(baseline="pg", candidate="pg", config=str(path), settings={"target.env.DB_PASSWORD": "old"}),
    )
    run = RunDirectory.create(tmp_path / "old", old)
    path.unlink()

    experiment = experiment_of_run(RunDirectory.open(run.path))
    assert experiment.target.env["DB_PASSWORD"] == "old"
    assert experiment.builds[Side.BASELINE].env["TOKEN"] == secret(11)
    assert judged_experiment(run).budgets


@pytest.mark.hostile
def test_a_stored_baseline_wants_its_variables_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = manifest_of(written(tmp_path), {}).builds[Side.BASELINE]
    kept = StoredBuild(origin=Origin.ARTIFACT, label="pg", commit="", env=built.env)
    monkeypatch.delenv("PLAIN", raising=False)
    monkeypatch.setenv("TOKEN", "here")

    assert secret(11) not in json.dumps(built.env)
    with pytest.raises(BuildError, match="with the variable PLAIN, whose value is not kept"):
        again.request(kept, file=tmp_path / "a.jar", branch="main", source=None)
    monkeypatch.setenv("PLAIN", "here too")
    request = again.request(kept, file=tmp_path / "a.jar", branch="main", source=None)
    assert request.env == {"TOKEN": "here", "PLAIN": "here too"}
    with pytest.raises(BuildError, match="a JVM argument that looks like a credential"):
        again.request(replace(kept, jvm_args=built.jvm_args), file=tmp_path / "a.jar", branch="main", source=None)


def test_the_samples_configuration_is_kept_whole() -> None:
    path = CHECKOUT / "pacecar.toml"
    kept = config.parse(config.load(path).text, path)
    loaded = config.load(path)

    assert replace(kept, text="", sha256="") == replace(
        loaded, text="", sha256="", scenario=replace(loaded.scenario, endpoints=kept.scenario.endpoints)
    )
    assert [replace(each, headers={}) for each in kept.scenario.endpoints] == [
        replace(each, headers={}) for each in loaded.scenario.endpoints
    ]


scalars = st.one_of(
    st.text(),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False),
    st.dates(),
    st.times(),
    st.datetimes(),
)
tables = st.recursive(
    st.dictionaries(st.text(max_size=8), scalars, max_size=4),
    lambda inner: st.dictionaries(
        st.text(max_size=8), st.one_of(inner, scalars, st.lists(inner, max_size=3)), max_size=4
    ),
    max_leaves=20,
)


@pytest.mark.hostile
@settings(max_examples=200, deadline=None)
@given(tables)
def test_what_is_written_is_toml_and_kept_once_is_kept_for_ever(table: dict[str, object]) -> None:
    text = _written(table)
    assert tomllib.loads(text) == table
    assert kept_text(kept_text(text)) == kept_text(text)


@pytest.mark.hostile
@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1), st.sampled_from(["target.env.", "builds.named.pg.env.", "scenario.properties."]))
def test_no_value_of_a_variable_is_kept_whatever_it_is(value: str, table: str) -> None:
    kept = kept_overrides({f"{table}NAME": f"<{value}>"})
    left = kept[f"{table}NAME"].removeprefix("***")
    for placeholder in ("{artifact}", "{port}", "{java}", "{fork}", "{url}", "{seconds}", "{rate}"):
        left = left.replace(placeholder, "")
    assert left == ""
    assert as_arguments(RunOptions(settings=kept), command="compare") == [
        "--set",
        f"{table}NAME={kept[f'{table}NAME']}",
    ]


def test_a_manifest_with_all_that_is_read_back(tmp_path: Path) -> None:
    run = run_of(written(tmp_path))
    assert records.read_manifest(run.path / "manifest.json") == run.manifest
