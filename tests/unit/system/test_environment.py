"""What children of Pacecar find in their environment, each started by the function that starts it in a run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.inputs.builds.artifact import make
from pacecar.inputs.toolchain.maven import Maven
from pacecar.measurement.deploy.hooks import Hooks
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system import engine, environment
from pacecar.system.engine import compose
from pacecar.system.engine.compose import ComposeFileError
from pacecar.system.resources import Resources
from unit.measurement.load.gatling import test_gatling as gatlings

VALUE = "s3cr3t-"
SECRETS = (
    *("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"),
    *("ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "INPUT_TOKEN"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"),
    *("AZURE_CLIENT_SECRET", "NPM_TOKEN", "SONAR_TOKEN", "MAVEN_PASSWORD", "GRADLE_ENTERPRISE_ACCESS_KEY"),
    *("DOCKER_AUTH_CONFIG", "SSH_AUTH_SOCK", "PACECAR_PYROSCOPE_TOKEN", "PACECAR_PROMETHEUS_PASSWORD"),
    *("GIT_CONFIG_PARAMETERS", "GIT_ASKPASS", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "LD_PRELOAD_TOKEN", "PYTHONPATH"),
    *("DB_PASSWORD", "VAULT_ADDR", "KUBECONFIG", "OPENAI_API_KEY", "_JAVA_OPTIONS", "BASH_ENV"),
)
NEVER = ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "ACTIONS_RUNTIME_TOKEN", "PACECAR_PYROSCOPE_TOKEN", "INPUT_TOKEN")


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    for name in SECRETS:
        monkeypatch.setenv(name, f"{VALUE}{name}")
    with Resources() as resources:
        yield resources


def program(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program in front of the PATH that writes its environment and its arguments to the file returned."""
    seen = folder / f"{name}.seen"
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nenv >> {seen}\necho "$0 $*" >> {seen}\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=":")
    return seen


def build(resources: Resources, folder: Path, _: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    root = folder / "source"
    root.mkdir()
    seen = folder / "seen"  # not the log, out of which secrets are struck
    script = (
        f"import os, pathlib as p; p.Path('app.jar').mkdir(); p.Path({str(seen)!r}).write_text(str(dict(os.environ)))"
    )
    source = SourceTree(root=root, command=(sys.executable, "-c", script), artifact="app.jar", inherit=inherit)
    request = BuildRequest(kind=BuildKind.TREE, value=str(root), label="mine")
    make(request, source=source, resources=resources, log_dir=folder / "logs")
    return seen.read_text()


def maven(resources: Resources, folder: Path, monkeypatch: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    seen = program(folder, "mvn", monkeypatch)
    Maven(resources=resources, log_dir=folder, inherit=inherit).run("package", job="test", cwd=folder)
    return seen.read_text()


def gatling(resources: Resources, folder: Path, _: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    generator: Generator = gatlings.generator(resources, folder, "env", inherit=inherit)
    with GatlingRun.start_plain(
        folder / "run", scenario=gatlings.SCENARIO, url=gatlings.URL, seconds=1, generator=generator
    ) as run:
        run.finish(20)
    return run.log.read_text()


def docker(resources: Resources, folder: Path, monkeypatch: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    seen = program(folder, "docker", monkeypatch)
    engine.call(["compose", "config"], inherit=inherit)
    engine.call(["info"], host="unix:///nowhere.sock", inherit=inherit)
    return seen.read_text()


def hook(resources: Resources, folder: Path, _: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    own = environment.inherited(inherit)
    Hooks(resources=resources, directory=folder, env=environment.of_fork() | own, folder=folder).run(
        "setup", [("env",)]
    )
    return (folder / "setup.log").read_text()


def asked(resources: Resources, folder: Path, _: pytest.MonkeyPatch, inherit: tuple[str, ...]) -> str:
    resources.run(["env"], name="a question", log=folder / "log", timeout_s=20, env=environment.inherited(inherit))
    resources.run(["env"], name="a question", log=folder / "log", timeout_s=20)
    return (folder / "log").read_text()


CHILDREN = [build, maven, gatling, docker, hook, asked]
Child = Callable[[Resources, Path, pytest.MonkeyPatch, tuple[str, ...]], str]


@pytest.mark.hostile
@pytest.mark.parametrize("child", CHILDREN)
def test_no_child_finds_a_secret_of_ours(
    child: Child, resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = child(resources, tmp_path, monkeypatch, ())

    assert "PATH" in seen
    assert VALUE not in seen


@pytest.mark.parametrize("child", CHILDREN)
def test_a_child_finds_what_was_let_through_by_name(
    child: Child, resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = child(resources, tmp_path, monkeypatch, ("DB_PASSWORD",))

    assert f"{VALUE}DB_PASSWORD" in seen
    assert seen.count(VALUE) <= 2


@pytest.mark.hostile
@pytest.mark.parametrize("child", CHILDREN)
def test_not_even_by_name_what_belongs_to_the_job(
    child: Child, resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert VALUE not in child(resources, tmp_path, monkeypatch, NEVER)


def test_what_programs_need_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_HOME_21_X64", "MAVEN_OPTS", "GRADLE_USER_HOME", "https_proxy", "SSL_CERT_FILE", "LC_CTYPE"):
        monkeypatch.setenv(name, "/there")
        assert environment.of_build()[name] == "/there"
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, "/there")
        assert environment.of_engine()[name] == "/there"
        assert name not in environment.of_fork()


@pytest.mark.hostile
def test_every_process_is_started_with_an_environment_of_its_own() -> None:
    """`subprocess` without `env` would hand over ours. `Resources.run` and `spawn` have the safe default."""
    package = Path(environment.__file__).parents[1]
    calls, users = [], []
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"subprocess.run", "subprocess.Popen"}:
                calls.append(file.name)
                assert "env" in {keyword.arg for keyword in node.keywords}, f"{file}:{node.lineno}"
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {
                "os.system",
                "os.popen",
                "os.execv",
                "os.fork",
            }:
                users.append(f"{file}:{node.lineno}")
            if isinstance(node, ast.Dict) and "os.environ" in {ast.unparse(value) for value in node.values}:
                users.append(f"{file}:{node.lineno}")
    assert len(calls) >= 5
    assert not users


@pytest.mark.hostile
@pytest.mark.parametrize(
    "line",
    [
        "image: ${WANTED}",
        "image: $WANTED",
        "image: ${WANTED:-default}",
        "image: ${WANTED:?must}",
        "image: ${OTHER:-${WANTED}}",
        "command: echo $$ $WANTED",
    ],
)
def test_a_compose_file_that_asks_for_what_is_withheld_is_refused(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANTED", VALUE)
    file = tmp_path / "docker-compose.yml"
    file.write_text(f"services:\n  orders:\n    image: plain\n    {line}\n")

    with pytest.raises(ComposeFileError, match="asks for WANTED") as caught:
        compose.resolve(file, project="test")

    assert 'inherit = ["WANTED"] in [target.compose]' in str(caught.value.hint)
    assert VALUE not in caught.value.told


@pytest.mark.hostile
def test_a_compose_file_may_not_ask_for_the_jobs_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", VALUE)
    file = tmp_path / "docker-compose.yml"
    file.write_text("services:\n  orders:\n    image: plain\n    environment:\n      A: ${GITHUB_TOKEN}\n")

    with pytest.raises(ComposeFileError, match="asks for GITHUB_TOKEN") as caught:
        compose.resolve(file, project="test", inherit=("GITHUB_TOKEN",))
    assert "belongs to the job" in str(caught.value.hint)
