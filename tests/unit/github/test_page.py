"""Outputs, summary and notes: what a comparison leaves on the page of its job."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.github.annotations import MOST, class_and_method, notes_on
from pacecar.github.budget_lines import BudgetLines
from pacecar.github.diff import ChangedLines, changed_lines
from pacecar.github.event import Head, PullRequest, RepositoryName
from pacecar.github.job import Job, JobError
from pacecar.github.outputs import outputs_of, set_outputs
from pacecar.github.publishing import tell_page
from pacecar.github.summary import SUMMARY_BYTES, write_failure, write_summary
from pacecar.inputs.builds.git import Repository
from pacecar.model.comparison import Verdict
from pacecar.model.tiers import Tier
from pacecar.reporting.document import Document
from support.documents import HOSTILE

ENCODER = "src/main/java/com/example/orders/json/JacksonEncoder.java"
BEFORE = """package com.example.orders.json;

class JacksonEncoder {
    private final int size = 8;

    String write(Object value) {
        int size = 1;
        return value.toString();
    }

    int read() {
        return size;
    }
}
"""
CONFIG = """[target]
name = "orders"

[[budgets]]
metric = "latency.p99"
worse = "5 %"

[[budgets]]
metric = "latency.p99"
endpoint = "GET /orders"
worse = "5 %"
max = "20 ms"
"""


def _outputs(job: Job) -> dict[str, str]:
    assert job.output is not None
    text = job.output.read_text()
    return {name: value for name, _, value in re.findall(r"(.+)<<(.+)\n((?:.*\n)*?)\2\n", text)}


def test_outputs_say_the_verdict_and_where_things_are(document: Document, job: Job) -> None:
    set_outputs(job, outputs_of(document, tier=Tier.FULL, report=Path("/r/report.html"), path=Path("/r/document.json")))
    assert _outputs(job) == {
        "verdict": "regressed\n",
        "tier": "full\n",
        "regressions": "2\n",
        "report-path": "/r/report.html\n",
        "document-path": "/r/document.json\n",
    }


def test_a_value_cannot_end_itself_and_begin_another(job: Job) -> None:
    set_outputs(job, {"report-path": "a\nEOF\nverdict=improved", "verdict": "regressed"})
    assert _outputs(job) == {"report-path": "a\nEOF\nverdict=improved\n", "verdict": "regressed\n"}


def test_a_file_that_cannot_be_written_is_a_sentence(job: Job, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="cannot be written: Is a directory"):
        set_outputs(replace(job, output=tmp_path), {"verdict": "regressed"})


def test_a_summary_keeps_the_limit_with_what_is_there_already(document: Document, job: Job) -> None:
    assert job.summary is not None
    job.summary.write_text("é" * (SUMMARY_BYTES // 2 - 3_000))
    write_summary(job, document)
    assert job.summary.stat().st_size <= SUMMARY_BYTES
    assert "Regressed: GET /orders p99" in job.summary.read_text()


def test_a_failure_is_told_as_text(job: Job) -> None:
    write_failure(job, UsageError(f"{HOSTILE} @octocat\n# no heading"))
    assert job.summary is not None
    text = job.summary.read_text()
    assert "<img" not in text
    assert "@octocat" not in text
    assert "\n# no" not in text


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose HEAD changes two methods of a class."""
    top = tmp_path / "checkout"
    path = top / ENCODER
    path.parent.mkdir(parents=True)
    path.write_text(BEFORE)
    (top / "pacecar.toml").write_text(CONFIG)
    _git(top, "init", "--quiet", "--initial-branch=main")
    _commit(top)
    _git(top, "update-ref", "refs/remotes/origin/main", "HEAD")
    changed = BEFORE.replace("return value.toString();", "String text = value.toString();\n        return text + text;")
    path.write_text(changed.replace("return size;", "return size + 1;"))
    _commit(top)
    return top


def _git(top: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True)


def _commit(top: Path) -> None:
    _git(top, "add", "--all")
    _git(top, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=change")


def test_git_says_which_lines_of_which_method_changed(checkout: Path) -> None:
    repository = Repository.around(checkout)
    assert repository is not None
    base = repository.commit("origin/main")
    assert base is not None
    pieces = changed_lines(repository, base=base, class_name="com.example.orders.json.JacksonEncoder$Inner")
    assert [(piece.path, piece.first, piece.last) for piece in pieces] == [(ENCODER, 8, 9), (ENCODER, 13, 13)]
    assert [piece.mention("write") for piece in pieces] == [True, False]
    assert [piece.mention("read") for piece in pieces] == [False, True]
    assert changed_lines(repository, base=base, class_name="com.example.orders.Order") == []
    assert changed_lines(repository, base="0" * 40, class_name="com.example.orders.json.JacksonEncoder") == []
    assert changed_lines(repository, base=base, class_name="../../etc/passwd") == []


def test_notes_stand_beside_the_broken_budget_and_the_changed_lines(
    document: Document, job: Job, checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    end = Head(ref="main", sha="0" * 40, repo=RepositoryName(full_name="shop/orders"))
    tell_page(
        replace(job, workspace=checkout),
        document,
        outputs={},
        config=checkout / "pacecar.toml",
        pull=PullRequest(number=1, head=end, base=end),
    )
    budget, cpu, frame, *rest = capfd.readouterr().out.splitlines()
    assert budget.startswith("::error file=pacecar.toml,line=11,title=GET /orders p99 is 12.4%25 slower::")
    assert cpu.startswith("::error file=pacecar.toml,line=1,title=8.1%25 more CPU per request::")
    assert frame.startswith(f"::warning file={ENCODER},line=8,endLine=9,title=com.example.orders.json.JacksonEncoder")
    assert all("JacksonEncoder" in line for line in rest)


def test_there_are_never_more_than_ten_notes(document: Document, tmp_path: Path) -> None:
    pieces = [ChangedLines(path="A.java", first=line, last=line, text="") for line in range(1, 50)]
    wide = replace(document, judgements=(document.judgements[0],) * 40, frames=(document.frames[0],) * 40)
    notes = notes_on([wide], config="pacecar.toml", budgets=BudgetLines(tmp_path / "none"), changed=lambda _: pieces)
    assert len(notes) == MOST


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.UNCHANGED, Verdict.INVALID, Verdict.IMPROVED])
def test_without_a_regression_there_is_nothing_to_point_at(
    document: Document, tmp_path: Path, verdict: Verdict
) -> None:
    quiet = replace(document, verdict=verdict)
    assert notes_on([quiet], config="pacecar.toml", budgets=BudgetLines(tmp_path / "none"), changed=lambda _: []) == []


def test_a_hostile_document_issues_one_command_a_note(document: Document, tmp_path: Path) -> None:
    text = "a\n::set-output name=verdict::improved\r##[add-mask]x"
    metric = replace(document.judgements[0], endpoint=text, reason=text)
    frame = replace(document.frames[0], frame=text, pool=text)
    hostile = replace(document, judgements=(metric,), frames=(frame,))
    piece = ChangedLines(path="A.java", first=1, last=1, text="")
    lines = BudgetLines(tmp_path / "none")
    notes = notes_on([hostile], config="pacecar.toml", budgets=lines, changed=lambda _: [piece])
    assert [note.command().count("\n") + note.command().count("\r") for note in notes] == [0, 0]


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        ("shop.Orders.list", ("shop.Orders", "list")),
        ("shop.Orders$Line.<init>", ("shop.Orders$Line", "Line")),
        ("shop.Orders.lambda$list$0", ("shop.Orders", "list")),
        ("shop.Orders.<clinit>", ("shop.Orders", "<clinit>")),
        ("native", ("", "native")),
    ],
)
def test_a_frame_names_a_class_and_a_method(frame: str, found: tuple[str, str]) -> None:
    assert class_and_method(frame) == found


def test_a_budget_is_found_by_its_metric_and_endpoint(tmp_path: Path) -> None:
    (tmp_path / "pacecar.toml").write_text(CONFIG)
    budgets = BudgetLines(tmp_path / "pacecar.toml")
    assert budgets.line("latency.p99", "GET /orders") == 11
    assert budgets.line("latency.p99", "GET /orders", absolute=True) == 12
    assert budgets.line("latency.p99", "POST /orders") == 6
    assert budgets.line("cpu", "") is None
    (tmp_path / "broken.toml").write_text("[[budgets\n")
    assert BudgetLines(tmp_path / "broken.toml").line("cpu", "") is None
