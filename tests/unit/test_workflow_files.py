"""The action and the workflows, ours and those to copy: what must hold in each, whatever they do."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from fuzzing import registry, runs
from pacecar.cli.on_github import app
from pacecar.inputs.config.model import PlanTable, ScenarioTable, SourceTable
from pacecar.inputs.config.translation import _plan
from pacecar.measurement.schedule import pair_seconds
from support.checkout import CHECKOUT

ACTIONS = [CHECKOUT / "ci" / "action.yml", CHECKOUT / "ci" / "comment" / "action.yml"]
WORKFLOWS = sorted(
    [*(CHECKOUT / "ci" / "workflows").glob("*.yml"), *(CHECKOUT / ".github" / "workflows").glob("*.yml")]
)
#: Of this repository itself: its own commit is not known before a release, which puts it in.
_OWN = re.compile(r"pacecar/pacecar/ci(/comment)?@v0|\./ci(/comment)?")
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
_OWN_ACTION = re.compile(r"pacecar/pacecar/ci@v0|\./ci")
_EVENTS_OF_STRANGERS = {"pull_request_target", "issue_comment", "issues", "discussion", "discussion_comment", "fork"}
#: The only command beside rights: the runner's own program, handed files that another job has made.
_RELEASES = re.compile(r'gh release create "\$GITHUB_REF_NAME"( --[a-z-]+| release/[a-z.]+(/\*)?)+')
_BASE = "${{ github.event.pull_request.base.sha }}"


def _parsed(text: str) -> Any:
    # YAML 1.1 takes the key `on` for a truth.
    return yaml.safe_load(text.replace("\non:", '\n"on":'))


def _read(path: Path) -> Any:
    return _parsed(path.read_text())


def _jobs(content: Any) -> list[Any]:
    return [content["runs"]] if "runs" in content else list(content["jobs"].values())


def _steps(content: Any) -> Iterator[Any]:
    for job in _jobs(content):
        yield from job["steps"]


def _writes(job: Any) -> bool:
    rights = job.get("permissions", {})
    return isinstance(rights, str) or "write" in rights.values()


def _breaches(content: Any) -> list[str]:
    """What an action or a workflow does that none may."""
    found = []
    for step in _steps(content):
        used, run = step.get("uses", ""), step.get("run", "")
        if "${{" in run:
            found.append("an expression becomes text of a shell")
        if used and not _PINNED.fullmatch(used) and not _OWN.fullmatch(used):
            found.append(f"{used} is not pinned")
        if "actions/checkout@" in used and step.get("with", {}).get("persist-credentials") is not False:
            found.append("credentials persist")
    return found + (_breaches_of_workflow(content) if "jobs" in content else [])


def _breaches_of_workflow(content: Any) -> list[str]:
    events = content["on"] if isinstance(content["on"], (dict, list)) else [content["on"]]
    found = [f"on {event}" for event in events if event in _EVENTS_OF_STRANGERS]
    if content.get("permissions") != {}:
        found.append("rights for all jobs")
    for job in _jobs(content):
        if "timeout-minutes" not in job:
            found.append("no time limit")
        if "permissions" not in job:
            found.append("a job does not say its rights")
        if _writes(job) or "workflow_run" in events:
            found += _foreign_code(job, events)
    return found


def _foreign_code(job: Any, events: Any) -> Iterator[str]:
    """Steps of a job with rights that run what a pull request brings, or measure anything."""
    for step in job["steps"]:
        used = step.get("uses", "")
        of_base = step.get("with", {}).get("ref") == _BASE and "workflow_run" not in events
        if "actions/checkout@" in used and not of_base:
            yield "a checkout beside rights"
        if _OWN_ACTION.fullmatch(used) or ("run" in step and not _RELEASES.fullmatch(step["run"])):
            yield "code is run beside rights"


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_no_file_does_what_none_may(path: Path) -> None:
    assert _breaches(_read(path)) == []


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_a_pin_says_its_version(path: Path) -> None:
    for line in path.read_text().splitlines():
        assert "@" not in line.partition("uses:")[2] or re.search(r"@([0-9a-f]{40} # v\d+\.\d+\.\d+|v0)$", line), line


def _two_stages() -> Any:
    return _read(CHECKOUT / "ci" / "workflows" / "same-repository.yml")


def _checkout(workflow: Any) -> Any:
    return workflow["jobs"]["compare"]["steps"][0]


#: What somebody may change one day, and what is said of it.
SPOILED: dict[str, tuple[Callable[[Any], object], str]] = {
    "the event of strangers": (lambda w: w.update(on="pull_request_target"), "on pull_request_target"),
    "one of several events": (lambda w: w.update(on=["push", "issue_comment"]), "on issue_comment"),
    "rights for all": (lambda w: w.update(permissions={"contents": "read"}), "rights for all jobs"),
    "all rights": (lambda w: w.update(permissions="write-all"), "rights for all jobs"),
    "nothing said": (lambda w: w.pop("permissions"), "rights for all jobs"),
    "a job's rights unsaid": (lambda w: w["jobs"]["compare"].pop("permissions"), "a job does not say its rights"),
    "a measuring job that writes": (
        lambda w: w["jobs"]["compare"]["permissions"].update({"pull-requests": "write"}),
        "a checkout beside rights",
    ),
    "a measuring job with an identity": (
        lambda w: w["jobs"]["compare"]["permissions"].update({"id-token": "write"}),
        "code is run beside rights",
    ),
    "a job with all rights": (
        lambda w: w["jobs"]["compare"].update(permissions="write-all"),
        "a checkout beside rights",
    ),
    "the head beside rights": (
        lambda w: w["jobs"]["comment"]["steps"].insert(0, copy.deepcopy(_checkout(w))),
        "a checkout beside rights",
    ),
    "a script beside rights": (
        lambda w: w["jobs"]["comment"]["steps"].append({"run": "make"}),
        "code is run beside rights",
    ),
    "credentials": (lambda w: _checkout(w)["with"].pop("persist-credentials"), "credentials persist"),
    "credentials as text": (
        lambda w: _checkout(w)["with"].update({"persist-credentials": "false "}),
        "credentials persist",
    ),
    "a tag": (lambda w: _checkout(w).update(uses="actions/checkout@v7"), "actions/checkout@v7 is not pinned"),
    "a short commit": (lambda w: _checkout(w).update(uses="actions/checkout@3d3c42e"), "is not pinned"),
    "a branch like a commit": (lambda w: _checkout(w).update(uses=f"a/b@{'f' * 40}-x"), "is not pinned"),
    "an image": (lambda w: _checkout(w).update(uses="docker://alpine:3"), "is not pinned"),
    "an action of the checkout": (lambda w: _checkout(w).update(uses="./.github/actions/x"), "is not pinned"),
    "a title in a shell": (
        lambda w: w["jobs"]["compare"]["steps"].append({"run": "echo ${{ github.event.pull_request.title }}"}),
        "an expression becomes text of a shell",
    ),
    "more than a release": (
        lambda w: w["jobs"]["comment"]["steps"].append({"run": 'gh release create "$GITHUB_REF_NAME" release/x; make'}),
        "code is run beside rights",
    ),
    "a release with notes of a command": (
        lambda w: w["jobs"]["comment"]["steps"].append({"run": 'gh release create "$GITHUB_REF_NAME" --notes $(make)'}),
        "code is run beside rights",
    ),
    "no limit": (lambda w: w["jobs"]["comment"].pop("timeout-minutes"), "no time limit"),
}


def test_a_release_attaches_the_workflows_to_copy() -> None:
    steps = _read(CHECKOUT / ".github" / "workflows" / "release.yml")["jobs"]["release"]["steps"]
    assert [step["run"] for step in steps if "release/workflows/*" in step.get("run", "")]


@pytest.mark.hostile
@pytest.mark.parametrize("case", SPOILED)
def test_a_workflow_that_is_spoiled_is_found(case: str) -> None:
    workflow = _two_stages()
    spoil, said = SPOILED[case]
    spoil(workflow)
    assert any(said in breach for breach in _breaches(workflow)), _breaches(workflow)


@pytest.mark.parametrize("name", ["same-repository.yml", "quick-then-full.yml", "forks-measure.yml", "baseline.yml"])
def test_the_time_limit_fits_the_default_plan(name: str) -> None:
    plan, two_builds_s = _plan(PlanTable(), ScenarioTable()), 2 * SourceTable().timeout
    quick = _plan(PlanTable(tier="quick"), ScenarioTable())
    quick_s = quick.pairs * pair_seconds(quick) if name == "quick-then-full.yml" else 0
    limits = [
        job["timeout-minutes"]
        for job in _jobs(_read(CHECKOUT / "ci" / "workflows" / name))
        if any(step.get("uses") == "pacecar/pacecar/ci@v0" for step in job["steps"])
    ]
    assert limits
    assert min(limits) * 60 >= quick_s + plan.pairs * pair_seconds(plan) + two_builds_s


def test_a_label_starts_the_full_tier_and_another_one_takes_no_verdict_away() -> None:
    """A job that is skipped counts as passed, under its own name; so on other labels it must have another one."""
    workflow = _read(CHECKOUT / "ci" / "workflows" / "quick-then-full.yml")
    label = _read(ACTIONS[0])["inputs"]["full-label"]["default"]
    another = f"github.event.action == 'labeled' && github.event.label.name != '{label}'"
    wanted = f"github.event.action != 'labeled' || github.event.label.name == '{label}'"
    measure, nightly = workflow["jobs"]["measure"], workflow["jobs"]["nightly"]
    assert "labeled" in workflow["on"]["pull_request"]["types"]
    assert wanted in measure["if"]
    assert measure["name"].startswith(f"${{{{ {another} && 'measure (")
    assert measure["name"].endswith(" || 'measure' }}")
    own_group = f"${{{{ {another} && format('-{{0}}', github.run_id) || '' }}}}"
    assert workflow["concurrency"]["group"].endswith(own_group)
    assert [job["steps"][-1]["with"]["tier"] for job in (measure, nightly)] == ["escalate", "escalate"]
    assert measure["steps"][-1]["with"]["full-label"] == label
    assert workflow["jobs"]["comment"]["needs"] == "measure"
    assert "needs.measure.result != 'skipped'" in workflow["jobs"]["comment"]["if"]


def test_the_action_that_measures_is_given_no_token() -> None:
    assert "token" not in ACTIONS[0].read_text().lower()


def test_the_time_limit_fits_a_build_measured_against_itself() -> None:
    plan, build_s = _plan(PlanTable(), ScenarioTable()), SourceTable().timeout
    ((job, pairs),) = [
        (job, step["with"]["noise"])
        for job in _jobs(_read(CHECKOUT / "ci" / "workflows" / "baseline.yml"))
        for step in job["steps"]
        if "noise" in step.get("with", {})
    ]
    assert job["timeout-minutes"] * 60 >= pairs * pair_seconds(plan) + build_s


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_time_limit_says_what_it_is_made_of(path: Path) -> None:
    measuring = [
        job for job in _jobs(_read(path)) if any(_OWN_ACTION.fullmatch(step.get("uses", "")) for step in job["steps"])
    ]
    said = re.findall(r"timeout-minutes: \d+ # .*measures?\b.*\bbuilds?\b.*set-up", path.read_text())
    assert len(said) == len(measuring)


def _with_actions(name: str) -> list[Any]:
    return [step for step in _steps(_read(ACTIONS[0])) if step.get("uses", "").startswith(f"{name}@")]


def test_noise_is_taken_up_before_anything_is_measured_and_kept_afterwards_whatever_the_verdict() -> None:
    steps = list(_steps(_read(ACTIONS[0])))
    restored, kept = _with_actions("actions/cache/restore"), _with_actions("actions/cache/save")
    measured = [step for step in steps if re.search(r"pacecar github (compare|noise)", step.get("run", ""))]
    assert [len(each) for each in (restored, measured, kept)] == [2, 2, 1]
    order = [steps.index(step) for step in (*restored, *measured, *kept)]
    assert order == sorted(order)
    # What differs makes another cache of it, or one that is never found.
    assert len({(step["with"]["path"], step["with"]["key"]) for step in (*restored, *kept)}) == 1
    assert kept[0]["if"].startswith("always() && ")
    assert all(f"steps.{step['id']}.outputs.history == 'kept'" in kept[0]["if"] for step in measured)


@pytest.mark.parametrize("name", ["ci/workflows/baseline.yml", ".github/workflows/compare.yml"])
def test_the_main_branch_is_measured_against_itself_before_its_caches_are_forgotten(name: str) -> None:
    content = _read(CHECKOUT / name)
    _minute, _hour, day, month, weekdays = content["on"]["schedule"][0]["cron"].split()
    assert (day, month) == ("*", "*")
    days = sorted(map(int, weekdays.split(",")))
    assert max((later - earlier) % 7 or 7 for earlier, later in zip(days, [*days[1:], days[0]], strict=True)) < 7
    assert "workflow_dispatch" in content["on"]
    seeding = [job for job in _jobs(content) if any("noise" in step.get("with", {}) for step in job["steps"])]
    assert len(seeding) == 1
    assert not _writes(seeding[0])


def test_artifacts_and_caches_carry_the_name_of_the_comparison() -> None:
    steps = [step for step in _steps(_read(ACTIONS[0])) if re.match(r"actions/(cache@|upload)", step.get("uses", ""))]
    assert len(steps) == 3
    for step in steps:
        assert "steps.name.outputs.name" in step["with"].get("key", step["with"].get("name"))


@pytest.mark.hostile
def test_the_linter_of_workflows_finds_what_it_is_there_for(tmp_path: Path) -> None:
    linter = shutil.which("zizmor", path=str(CHECKOUT / ".venv" / "bin")) or shutil.which("zizmor")
    if linter is None:
        pytest.skip("zizmor is not installed: make .venv/dev-ready")
    command = [linter, "--quiet", "--offline", "--config", str(CHECKOUT / ".github" / "zizmor.yml"), "--min-severity"]
    workflow = _two_stages() | {"on": "pull_request_target"}
    (tmp_path / "spoiled.yml").write_text(yaml.safe_dump(workflow))
    spoiled = subprocess.run([*command, "medium", str(tmp_path / "spoiled.yml")], capture_output=True, text=True)
    assert spoiled.returncode != 0
    assert "dangerous-triggers" in spoiled.stdout
    held = subprocess.run([*command, "medium", *map(str, [*WORKFLOWS, *ACTIONS])], capture_output=True, text=True)
    assert held.returncode == 0, held.stdout


def test_every_ignored_finding_says_why() -> None:
    for path in [*ACTIONS, *WORKFLOWS]:
        for line in path.read_text().splitlines():
            assert "zizmor: ignore" not in line or re.search(r"ignore\[[a-z-]+\] \w+ \w+ \w+", line), line


def test_every_input_is_an_option_that_pacecar_checks() -> None:
    for_the_installer = {"GITHUB_TOKEN", "PACECAR_PRIVATE"}
    given = {name for path in ACTIONS for step in _steps(_read(path)) for name in step.get("env", {})}
    commands = get_command(app).commands.values()  # type: ignore[attr-defined]
    known = {parameter.envvar for command in commands for parameter in command.params if parameter.envvar}
    assert given - for_the_installer == known


@pytest.mark.parametrize("name", sorted({*_read(ACTIONS[0])["inputs"], *_read(ACTIONS[0])["outputs"]}))
def test_every_input_and_output_is_documented(name: str) -> None:
    text = (CHECKOUT / "docs" / "how-to" / "github-actions.md").read_text()
    assert f"| `{name}` |" in text


def test_every_input_says_what_it_is() -> None:
    for path in ACTIONS:
        for name, facts in _read(path)["inputs"].items():
            assert facts["description"].endswith("."), name


def test_every_reader_is_fuzzed_each_week() -> None:
    workflow = _read(CHECKOUT / ".github" / "workflows" / "fuzz.yml")
    assert workflow["jobs"]["fuzz"]["strategy"]["matrix"]["reader"] == registry.names()
    assert "schedule" in workflow["on"]
    kept = workflow["jobs"]["fuzz"]["steps"][-1]
    assert kept["if"] == "failure()"
    assert kept["with"]["path"].endswith(f"/{runs.CRASH}*")
