"""The action and the workflows to copy: what must hold in each, whatever they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from pacecar.cli.on_github import app

ROOT = Path(__file__).resolve().parents[2]
ACTIONS = [ROOT / "ci" / "action.yml", ROOT / "ci" / "comment" / "action.yml"]
WORKFLOWS = sorted([*(ROOT / "ci" / "workflows").glob("*.yml"), *(ROOT / ".github" / "workflows").glob("*.yml")])


def _read(path: Path) -> Any:
    # YAML 1.1 takes the key `on` for a truth.
    return yaml.safe_load(path.read_text().replace("\non:", '\n"on":'))


def _steps(path: Path) -> Iterator[dict[str, Any]]:
    content = _read(path)
    for job in [content["runs"]] if "runs" in content else content["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_expression_becomes_text_of_a_shell(path: Path) -> None:
    assert not [step for step in _steps(path) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_workflow_runs_foreign_code_with_rights(path: Path) -> None:
    content = _read(path)
    events = content["on"]
    assert "pull_request_target" not in events
    assert "permissions" in content
    jobs = content["jobs"].values()
    if "workflow_run" in events:
        assert content["permissions"] == {}
        assert not [step for step in _steps(path) if "checkout" in step.get("uses", "")]
    elif path.parent.name == "workflows" and path.name.startswith("forks"):
        rights = [content["permissions"], *(job.get("permissions", {}) for job in jobs)]
        assert all(right in ("read", "none") for each in rights for right in each.values())


def test_every_input_is_an_option_that_pacecar_checks() -> None:
    given = {
        name for path in ACTIONS for step in _steps(path) for name in step.get("env", {}) if name != "GITHUB_TOKEN"
    }
    commands = get_command(app).commands.values()  # type: ignore[attr-defined]
    known = {parameter.envvar for command in commands for parameter in command.params if parameter.envvar}
    assert given <= known
    assert known <= given


@pytest.mark.parametrize("name", sorted({*_read(ACTIONS[0])["inputs"], *_read(ACTIONS[0])["outputs"]}))
def test_every_input_and_output_is_documented(name: str) -> None:
    text = (ROOT / "docs" / "how-to" / "github-actions.md").read_text()
    assert f"| `{name}` |" in text


def test_every_input_says_what_it_is() -> None:
    for path in ACTIONS:
        for name, facts in _read(path)["inputs"].items():
            assert facts["description"].endswith("."), name
