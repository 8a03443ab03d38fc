"""The commands of GitHub's workflows: compare, record, comment. Their options are the action's inputs, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive.runs import find, run_ids
from pacecar.cli import baselines, measure
from pacecar.cli.conclude import REPORT_NAME
from pacecar.cli.exits import FailOn
from pacecar.cli.experiments import archive_of
from pacecar.errors import Interrupted, PacecarError
from pacecar.github.artifact import ArtifactError, received, second_hand
from pacecar.github.client import client_of
from pacecar.github.event import PullRequest, measuring_run, pull_request
from pacecar.github.job import Job, job_of
from pacecar.github.job_log import command, issue, nothing_obeyed
from pacecar.github.outputs import append, outputs_of
from pacecar.github.pulls import NoPullRequest, pull_request_of
from pacecar.github.sticky import put_comment
from pacecar.github.telling import tell_failure, tell_page, tell_reviewers
from pacecar.report.document import Document, load_document
from pacecar.report.document.files import DOCUMENT_NAME

app = typer.Typer(
    help="In GitHub Actions: verdict, summary, notes and comment of a pull request.", no_args_is_help=True
)

_Config = Annotated[Path, typer.Option("--config", "-c", envvar="PACECAR_CONFIG", help="The configuration file.")]
_Settings = Annotated[
    str,
    typer.Option("--settings", envvar="PACECAR_SETTINGS", metavar="LINES", help="KEY=VALUE, as of --set; one a line."),
]
_Baseline = Annotated[
    str,
    typer.Option(
        "--baseline", envvar="PACECAR_BASELINE", help="A build; of a pull request, where it left its base branch."
    ),
]
_Candidate = Annotated[
    str,
    typer.Option("--candidate", envvar="PACECAR_CANDIDATE", help="A build; of a pull request, what is checked out."),
]
_FailOn = Annotated[FailOn, typer.Option("--fail-on", envvar="PACECAR_FAIL_ON", help="Which verdict fails the step.")]
_Comment = Annotated[
    bool, typer.Option("--comment/--no-comment", envvar="PACECAR_COMMENT", help="Comment on the pull request.")
]


@app.command()
def compare(
    baseline: _Baseline = "",
    candidate: _Candidate = "",
    settings: _Settings = "",
    config_path: _Config = Path("pacecar.toml"),
    fail_on: _FailOn = FailOn.REGRESSION,
    comment: _Comment = True,
) -> int:
    """Compare two builds and tell the pull request: outputs, summary, notes, comment."""
    job = job_of(os.environ)
    pull = pull_request(job)
    known = set(run_ids(archive_of(config_path)))
    with _failure_told(job), nothing_obeyed():
        code = measure.compare(
            baseline=baseline or (f"origin/{pull.base.ref}" if pull else ""),
            candidate=candidate or ("HEAD" if pull else ""),
            settings=_lines(settings),
            config_path=config_path,
            fail_on=fail_on,
        )
    run = find(archive_of(config_path))
    assert run.path.name not in known
    document = load_document(run.path, profiles=False)
    outputs = outputs_of(document, report=run.path / REPORT_NAME, path=run.path / DOCUMENT_NAME)
    with _verdict_stands():
        tell_page(job, document, outputs=outputs, config=config_path, pull=pull)
    if comment and pull is not None:
        with _verdict_stands():
            _tell_reviewers(job, document, pull)
    return code


@app.command()
def record(
    branch: Annotated[str, typer.Option("--branch", envvar="PACECAR_BRANCH", help="Whose baseline it becomes.")],
    build: Annotated[str, typer.Option("--build", envvar="PACECAR_CANDIDATE", help="What is measured.")] = "HEAD",
    settings: _Settings = "",
    config_path: _Config = Path("pacecar.toml"),
) -> int:
    """Measure one build by itself and keep it as the baseline of a branch."""
    job = job_of(os.environ)
    with _failure_told(job), nothing_obeyed():
        measure.record(build=build, settings=_lines(settings), config_path=config_path)
        baselines.promote(branch=branch, config_path=config_path)
    append(job.summary, f"Recorded `{find(archive_of(config_path)).path.name}`, the newest baseline of its branch.\n")
    return 0


@app.command()
def comment(
    folder: Annotated[
        Path, typer.Argument(envvar="PACECAR_DOCUMENT", help="Where the artifact was unpacked.")
    ] = Path(),
    author: Annotated[
        str, typer.Option("--author", envvar="PACECAR_AUTHOR", help="Whom the token comments as, if GitHub cannot say.")
    ] = "",
) -> int:
    """Comment what another workflow has measured, as for the pull request of a fork."""
    job = job_of(os.environ)
    run = measuring_run(job)
    try:
        document = received(folder)
        with client_of(job) as client:
            pull = pull_request_of(run, client)
            body = second_hand(document, run=run, job=job)
            posted = put_comment(client, pull.number, body, author=author)
    except (NoPullRequest, ArtifactError) as reason:
        if isinstance(reason, ArtifactError) and run.conclusion == "success":
            raise
        issue(command("notice", reason.message, {"title": "No comment"}))
        return 0
    append(job.summary, body)
    typer.echo(f"{'edited' if posted.edited else 'wrote'} {posted.url}")
    return 0


def _tell_reviewers(job: Job, document: Document, pull: PullRequest) -> None:
    if pull.is_of(job.repository):
        posted = tell_reviewers(job, document, pull)
        typer.echo(f"{'edited' if posted.edited else 'wrote'} {posted.url}")
        return
    told = "This pull request comes from a fork, whose jobs may not comment. ci/workflows/forks-comment.yml can."
    issue(command("notice", told, {"title": "No comment"}))


@contextmanager
def _failure_told(job: Job) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        raise
    except PacecarError as error:
        tell_failure(job, error)
        raise


@contextmanager
def _verdict_stands() -> Iterator[None]:
    """What cannot be told is said in the log, and does not change what was measured."""
    try:
        yield
    except PacecarError as error:
        issue(command("warning", f"{error.message}\n{error.hint}".strip(), {"title": "Not told"}))


def _lines(settings: str) -> list[str]:
    return [line.strip() for line in settings.splitlines() if line.strip()]
