"""`pacecar github compare --tier escalate`, as the action runs it, on a real service, and the comment that follows."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pacecar.github.identity import marker
from pacecar.model.comparison import Verdict
from pacecar.reporting.document import Document, load_document
from pacecar.system.environment import is_never_passed
from support.github_api import Pull, Server
from unit.integrations.conftest import Scripted, scripted

__all__ = ["scripted"]

#: Of the full tier, which others may spoil, no more is asked than that it ran.
pytestmark = pytest.mark.shares_machine

NAME = "performance.compare"
#: Exact counts alone decide here: how long a start takes, and whether a full tier of seconds passes, is chance.
GATE = """
[gate]
metrics = ["allocation"]
ignore = ["startup.ready", "startup.first_answer"]
"""
#: The service does not come up where it is profiled, as it is in the full tier alone.
NOT_PROFILED = """        if ("true".equals(System.getenv("PYROSCOPE_AGENT_ENABLED"))) System.exit(3);
        var address"""


class InAJob:
    """The small service in a job of a pull request: what the job is told, and what it leaves."""

    def __init__(self, small: Any, folder: Path, server: Server) -> None:
        self.project, self.service = small
        self.folder, self.server = folder, server
        folder.mkdir()
        config = self.project.folder / "pacecar.toml"
        config.write_text(config.read_text().replace("pairs = 6", "pairs = 1") + GATE)
        self.project._environment |= {
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": "shop/orders",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_RUN_ID": "7",
            "GITHUB_WORKFLOW": "performance",
            "GITHUB_JOB": "compare",
            "GITHUB_API_URL": server.url,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_WORKSPACE": str(self.project.folder),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "RUNNER_TEMP": str(folder),
            "PACECAR_TIER": "escalate",
            "PACECAR_FULL_LABEL": "pacecar-full",
        }

    def opened(self, *labels: str) -> None:
        """The pull request is what is committed; its base is the commit before it."""
        git = self.service._git
        sha, base = git("rev-parse", "HEAD"), git("rev-parse", "HEAD~1")
        git("update-ref", "refs/remotes/origin/main", base)
        of = {"repo": {"full_name": "shop/orders"}}
        pull = {"number": 1, "head": {"ref": "longer", "sha": sha} | of, "base": {"ref": "main", "sha": base} | of}
        pull["labels"] = [{"name": name} for name in labels]
        (self.folder / "event.json").write_text(json.dumps({"action": "opened", "pull_request": pull}))
        self.server.pulls = [Pull(number=1, sha=sha, branch="longer")]

    def compare(self, **inputs: str) -> Any:
        self.project._environment |= inputs
        return self.project.pacecar("github", "compare")

    @property
    def outputs(self) -> dict[str, str]:
        """As later steps are given them: what is said last counts."""
        found = re.findall(r"(.+)<<(.+)\n((?:.*\n)*?)\2\n", (self.folder / "output").read_text())
        return {name: value.removesuffix("\n") for name, _, value in found}

    @property
    def summary(self) -> str:
        return (self.folder / "summary").read_text()

    def document(self, tier: str) -> Document:
        return load_document(Path(self.outputs["artifact-path"]) / NAME / "tiers" / tier)

    def profiled(self, document: Document) -> bool:
        run = self.project.folder / ".pacecar" / "runs" / document.run_id
        return any(len(pd.read_parquet(path)) for path in run.rglob("samples.parquet"))

    def commented(self) -> str:
        """The comment of the job that may write, which has the artifact and nothing else."""
        self.project._environment |= {
            "GITHUB_TOKEN": "secret-of-the-job",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary-of-the-comment"),
        }
        posted = self.project.pacecar("github", "comment", self.outputs["artifact-path"])
        assert posted.returncode == 0, posted.stderr
        (body,) = self.server.bodies(1)
        return str(body)


@pytest.fixture
def job(small: Any, tmp_path: Path) -> Iterator[InAJob]:
    # The archive of the project must not hold what is around it.
    (tmp_path / ".gitignore").write_text("/job\n/state\n/.pacecar\n")
    with Server() as server:
        yield InAJob(small, tmp_path / "job", server)
        assert server.violations == []


def test_a_regression_by_counts_calls_for_the_full_tier_and_stands_whatever_that_finds(
    job: InAJob, scripted: Scripted
) -> None:
    config = job.project.folder / "pacecar.toml"
    config.write_text(f'{config.read_text()}\n[pyroscope]\nurl = "{scripted.url}"\n')
    job.service.commit("First report")
    job.service.commit("Copied once more", copies=3)
    job.opened("bug", "\N{ROCKET} ::error::x")
    ended = job.compare(PACECAR_PYROSCOPE_TOKEN="s3cret")
    assert ended.returncode == 1, ended.stderr
    quick, full = job.document("quick"), job.document("full")
    assert quick.verdict is Verdict.REGRESSED
    assert not {each.name for each in quick.judgements} & {"latency.p50", "cpu"}
    # Only the full tier profiles; whether its seconds are enough for a verdict is chance.
    assert [job.profiled(each) for each in (quick, full)] == [False, True]
    outputs = job.outputs
    assert outputs["verdict"] == "regressed"
    assert outputs["tier"] == ("full" if full.verdict is Verdict.REGRESSED else "quick")
    assert int(outputs["regressions"]) >= len(quick.regressions) >= 1
    assert json.loads(Path(outputs["document-path"]).read_text())["verdict"] == "regressed"
    assert sorted(path.name for path in Path(outputs["report-path"]).iterdir()) == ["full.html", "quick.html"]
    why = "The quick tier found a regression, which calls for the full one."
    commented = job.commented()
    for told in (ended.stdout, job.summary, commented):
        assert why in told
        assert "did not finish" not in told
    assert job.summary.count("\n### ") == commented.count("\n### ") == 1
    assert commented.startswith(f"{marker(NAME)}\n### \N{LARGE RED CIRCLE} Regressed")
    assert ended.stdout.count("::error file=pacecar.toml") == len({each.endpoint for each in quick.regressions} | {""})
    # The token was given to the first run of this process, and was there for the second, which alone has profiles.
    assert scripted.asked
    assert {headers.get("Authorization") for _, _, headers, _ in scripted.asked} == {"Bearer s3cret"}
    assert is_never_passed("PACECAR_PYROSCOPE_TOKEN")
    assert job.project.left_behind() == []


def test_builds_that_cost_the_same_are_answered_by_the_quick_tier_alone(job: InAJob) -> None:
    job.service.commit("First report")
    job.service.commit("Said otherwise")
    job.opened("bug")
    ended = job.compare(PACECAR_SETTINGS="builds.measure_equal=true")
    assert ended.returncode == 0, ended.stderr
    assert (job.outputs["verdict"], job.outputs["tier"]) == ("passed", "quick")
    assert job.document("quick").measured
    assert not (Path(job.outputs["artifact-path"]) / NAME / "tiers" / "full").exists()
    assert Path(job.outputs["report-path"]).name == "report.html"
    for told in (ended.stdout, job.summary, job.commented()):
        assert "The quick tier passed, which does not call for the full one." in told
    assert "Latency was not looked at." in job.commented()
    assert len(list((job.project.folder / ".pacecar" / "runs").iterdir())) == 1


def test_builds_that_are_the_same_are_measured_in_no_tier_whatever_the_label_says(job: InAJob) -> None:
    job.service.commit("First report")
    (job.project.folder / "README.md").write_text("How to run it.\n")
    job.service.commit_as_it_is("Say how to run it")
    job.opened("pacecar-full")
    ended = job.compare()
    assert ended.returncode == 0, ended.stderr
    assert not job.document("quick").measured
    assert "The builds are the same, so the full tier would measure nothing." in job.commented()


def test_a_full_tier_that_fails_after_a_quick_one_that_passed_is_told_beside_it(job: InAJob) -> None:
    job.service.commit("First report")
    java = job.project.folder / "Service.java"
    java.write_text(java.read_text().replace("        var address", NOT_PROFILED))
    job.service.commit_as_it_is("Does not come up with a profiler")
    job.opened("Pacecar-Full")
    ended = job.compare()
    assert ended.returncode == 3, ended.stderr
    assert "::error title=The full tier was not measured::" in ended.stdout
    outputs = job.outputs
    assert (outputs["verdict"], outputs["tier"], outputs["regressions"]) == ("passed", "quick", "0")
    assert job.document("quick").verdict is Verdict.PASSED
    for told in (job.summary, job.commented()):
        assert told.splitlines()[1] == "### \N{CROSS MARK} The full tier could not be measured; the quick one passed"
        assert "candidate" in next(line for line in told.splitlines() if line.startswith("| full |"))
    assert job.project.left_behind() == []


def test_a_job_that_is_ended_in_between_leaves_the_quick_answer(job: InAJob) -> None:
    job.service.commit("First report")
    job.service.commit("Copied once more", copies=3)
    job.opened()
    process = job.project.start("github", "compare")
    job.project.wait(lambda: (job.folder / "summary").exists() and len(job.project.services()) == 2, process)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert (job.outputs["verdict"], job.outputs["tier"]) == ("regressed", "quick")
    for told in (job.summary, job.commented()):
        assert "It did not finish." in told
        assert "\N{LARGE RED CIRCLE} Regressed" in told
    assert job.project.left_behind() == []
