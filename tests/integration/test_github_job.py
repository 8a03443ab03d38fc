"""`pacecar github compare` as a step of a job runs it, where nothing gets as far as being measured."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.small_service import SOURCE

SHA = "5f" * 20
#: What a build of a stranger's may print, hoping that the runner obeys.
FOREIGN = (
    "::set-output name=verdict::improved",
    "##[add-mask]a",
    "::error file=a.java::not ours",
    "::stop-commands::x",
)
_OBEYED = re.compile(r"^\s*::|##\[")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a build that fails, and says what it likes."""
    folder = tmp_path / "checkout"
    shutil.copytree(SOURCE, folder)
    lines = "".join(f"echo '{line}'\n" for line in FOREIGN)
    (folder / "build.sh").write_text(f"{lines}exit 1\n")
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), (*identity, "commit", "-qm", "one")):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], cwd=folder, check=True)
    return folder


def _step(checkout: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    folder = checkout.parent
    end = {"ref": "main", "sha": SHA, "repo": {"full_name": "shop/orders"}}
    (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 1, "head": end, "base": end}}))
    variables = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "shop/orders",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_RUN_ID": "1",
        "GITHUB_API_URL": "http://127.0.0.1:9/api/v3",
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_WORKSPACE": str(checkout),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "PACECAR_STATE": str(folder / "state"),
        "PACECAR_CACHE": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "pacecar", "github", "compare"],
        cwd=checkout,
        env={**os.environ, **variables, **inputs},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_what_a_build_prints_is_shown_and_not_obeyed(checkout: Path) -> None:
    ended = _step(checkout)
    assert ended.returncode == 2
    shown = ended.stderr.replace("\N{WORD JOINER}", "")
    assert all(line in shown for line in FOREIGN)
    lines = ended.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    obeyed = [line for line in lines + ended.stderr.splitlines() if _OBEYED.search(line)]
    assert obeyed[:2] == [f"::stop-commands::{token}", f"::{token}::"]
    (told,) = obeyed[2:]
    assert told.startswith("::error title=Nothing was compared::")


def test_a_comparison_that_was_not_made_has_no_verdict(checkout: Path) -> None:
    _step(checkout)
    outputs = re.findall(r"(.+)<<(.+)\n((?:.*\n)*?)\2\n", (checkout.parent / "output").read_text())
    assert {name: value for name, _, value in outputs} == {
        "verdict": "\n",
        "tier": "\n",
        "regressions": "\n",
        "report-path": "\n",
        "document-path": "\n",
        "artifact-path": "\n",
    }
    summary = (checkout.parent / "summary").read_text()
    assert summary.startswith("### \N{MEDIUM WHITE CIRCLE} Nothing was compared\n")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"PACECAR_FAIL_ON": "everything"}, "error: Invalid value for '--fail-on'"),
        ({"PACECAR_TIER": "quickly"}, "error: Invalid value for '--tier'"),
        ({"PACECAR_TIER": "quick", "PACECAR_SETTINGS": "plan.tier=full"}, "plan.tier is among the settings"),
        (
            {"PACECAR_TIER": "escalate", "PACECAR_SETTINGS": 'plan.escalate.on=["x"]'},
            "override plan.escalate.on: expected",
        ),
        ({"PACECAR_TIER": "escalate", "PACECAR_FULL_LABEL": "a\nb"}, "'a\\nb' cannot be the label that asks"),
        ({"PACECAR_TIER": "escalate", "PACECAR_AFFECTED": "true"}, "tier: escalate works for one service only"),
        ({"PACECAR_IN_CLUSTER": "true", "PACECAR_AFFECTED": "true"}, "measures one service at a time"),
        (
            {"PACECAR_AFFECTED": "true", "GITHUB_EVENT_NAME": "push"},
            "There is no commit to compare the services with",
        ),
        ({"PACECAR_IN_CLUSTER": "true"}, "A cluster can measure only forks that are pods"),
        ({"PACECAR_NAME": "../other"}, "'../other' cannot name a comparison"),
        ({"PACECAR_SETTINGS": "plan.pairs=2\nplan.sid=4s"}, 'plan.sid: unknown key; did you mean "side"?'),
        ({"PACECAR_SETTINGS": "nonsense"}, "--set nonsense is not KEY=VALUE"),
        ({"PACECAR_CONFIG": "other.toml"}, "other.toml: there is no such file"),
        ({"PACECAR_BASELINE": "nothing-such"}, "There is no build 'nothing-such'"),
        ({"GITHUB_EVENT_PATH": "/nowhere"}, "The event's payload /nowhere cannot be read"),
        ({"GITHUB_ACTIONS": "false"}, "This is not a GitHub Actions job"),
    ],
)
def test_a_wrong_input_is_a_sentence(checkout: Path, inputs: dict[str, str], said: str) -> None:
    ended = _step(checkout, **inputs)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
