"""What a build says of its surroundings: neither its log nor an error repeats a secret of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact
from pacecar.model.experiment import BuildKind, SourceTree

SECRET = "hunter2-s3cr3t"
#: Says its surroundings and its arguments in ways that no name of a variable stands beside.
_TELLS = """
import json, os, runpy, sys
from urllib.parse import quote
for value in (*os.environ.values(), *sys.argv):
    print("It is", value, "or", quote(value, safe=""), "or", json.dumps(value), flush=True)
if "fail" in sys.argv:
    sys.exit("[ERROR] Orders.java:[1,1] cannot log in with " + os.environ.get("NPM_TOKEN", sys.argv[-1]))
sys.argv = ["build.py"]
runpy.run_path("build.py", run_name="__main__")
"""
Make = Callable[..., Artifact]


@pytest.fixture
def telling(source: SourceTree) -> SourceTree:
    (source.root / "tell.py").write_text(_TELLS)
    return replace(source, command=(sys.executable, "tell.py"))


def _logs(folder: Path) -> str:
    return "".join(log.read_text() for log in folder.rglob("*.log"))


@pytest.mark.hostile
@pytest.mark.parametrize("fails", [False, True], ids=["built", "failed"])
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("NPM_TOKEN", SECRET),
        ("NPM_TOKEN", f"Bearer {SECRET}"),
        ("NPM_TOKEN", f'{SECRET}/with "quotes" & blanks'),
        ("REPOSITORY_PASSWORD", f"{SECRET}-ü€"),
        ("REPOSITORY", f"https://ada:{SECRET}@repo.invalid/maven"),
        ("EXTRA_OPTIONS", f"-Xmx64m -Drepo.password={SECRET}"),
        ("LOGIN", f'{{"user": "ada", "password": "{SECRET}"}}'),
    ],
)
def test_a_variable_that_is_let_through_is_not_in_the_log(
    build: Make, telling: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable, value, fails
) -> None:
    monkeypatch.setenv(variable, value)
    source = replace(telling, inherit=(variable,), command=(*telling.command, *(["fail"] if fails else [])))
    if fails:
        with pytest.raises(BuildError) as failure:
            build(BuildKind.TREE, source.root, of=source)
        assert SECRET not in failure.value.told
        assert "Orders.java" in failure.value.message
    else:
        build(BuildKind.TREE, source.root, of=source)
    said = _logs(tmp_path / "logs")
    assert "***" in said
    assert SECRET not in said


@pytest.mark.hostile
@pytest.mark.parametrize(
    "arguments",
    [
        ("--password", SECRET),
        (f"--token={SECRET}",),
        (f"-Drepo.password={SECRET}",),
        (f"https://a:{SECRET}@b.invalid",),
    ],
)
def test_an_argument_of_the_build_is_not_in_the_log(
    build: Make, telling: SourceTree, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    source = replace(telling, command=(*telling.command, "fail", *arguments))
    with pytest.raises(BuildError) as failure:
        build(BuildKind.TREE, source.root, of=source)
    assert SECRET not in failure.value.told
    assert "It is" in _logs(tmp_path / "logs")
    assert SECRET not in _logs(tmp_path / "logs")


@pytest.mark.hostile
def test_a_build_that_is_ended_late_leaves_no_secret(
    build: Make, telling: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_TOKEN", SECRET)
    slow = telling.root / "tell.py"
    slow.write_text(_TELLS.split("if ")[0] + "import time\ntime.sleep(600)\n")
    with pytest.raises(BuildError, match="took longer"):
        build(BuildKind.TREE, telling.root, of=replace(telling, inherit=("NPM_TOKEN",), timeout_s=2))
    assert "It is ***" in _logs(tmp_path / "logs")
    assert SECRET not in _logs(tmp_path / "logs")
