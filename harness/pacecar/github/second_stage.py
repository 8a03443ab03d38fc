"""The stage that may comment: comparisons that another job has made, each as a comment of its own.

One comment for each comparison and not one for all jobs: a job that is run again replaces its own verdict alone, and
jobs need not know of each other. A job that compares several services is one comparison, and gets one comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pacecar.errors import PacecarError
from pacecar.github.artifact import MOST, MOST_BYTES, ArtifactError, Received, received, second_hand
from pacecar.github.client import GitHubError, client_of
from pacecar.github.event import MeasuringRun, measuring_run
from pacecar.github.job import Job
from pacecar.github.job_log import command, issue
from pacecar.github.pulls import NoPullRequest, pull_request_of
from pacecar.github.sticky import Posted, TooManyComments, put_comment
from pacecar.github.summary import append_to_summary
from pacecar.reporting.markdown import Markdown


def comment_all(job: Job, folder: Path, *, author: str | None) -> list[Posted]:
    """Comment every document in `folder` on the pull request it was measured for.

    That there is nothing to comment, or nobody to read it, is said on the job's page and is no failure.

    Args:
        job: one that runs nothing of the pull request.
        folder: where the run's artifacts were unpacked.
        author: login that the token comments as; None asks GitHub.

    Raises:
        PacecarError: the first that kept a document from being commented, after all others were.
    """
    run = measuring_run(job)
    if job.event == "pull_request" and not _is_own(run, job):
        _not_told(
            "This pull request comes from a fork, whose jobs may not comment. ci/workflows/forks-comment.yml can."
        )
        return []
    try:
        bodies, refused = _rendered(job, run, folder)
        posted, failed = _post(job, run, bodies, author=author) if bodies else ([], [])
    except (NoPullRequest, ArtifactError) as reason:
        if isinstance(reason, ArtifactError) and run.conclusion == "success":
            raise
        _not_told(reason.message)
        return []
    if failures := [*refused, *failed]:
        raise failures[0]
    return posted


def _rendered(job: Job, run: MeasuringRun, folder: Path) -> tuple[list[Markdown], list[PacecarError]]:
    bodies: list[Markdown] = []
    refused: list[PacecarError] = []
    found = received(folder)
    if len(found) > MOST:
        _not_told(f"The run left more than {MOST} comparisons; those after {found[MOST - 1].name} get no comment.")
    left = MOST_BYTES
    for each in found[:MOST]:
        size = each.size
        try:
            bodies.append(second_hand(_within(each, size, left), run=run, job=job))
            left -= size
        except PacecarError as error:
            left -= min(size, each.most)  # no more than that was read
            # The traceback would keep all that was read of the document.
            refused.append(error.with_traceback(None))
            issue(command("error", error.message, {"title": f"No comment for {each.name}"}))
    return bodies, refused


def _within(each: Received, size: int, left: int) -> Received:
    if each.most >= size > left:
        raise ArtifactError(
            f"The documents of the run are larger than {MOST_BYTES} bytes in total.",
            hint="Compare less in one run, or judge fewer metrics.",
        )
    return each


def _post(
    job: Job, run: MeasuringRun, bodies: Sequence[Markdown], *, author: str | None
) -> tuple[list[Posted], list[PacecarError]]:
    """Each comparison on the job's page, whatever becomes of its comment; what was commented, and why some were not."""
    for body in bodies:
        append_to_summary(job, body)
    posted, failed = list[Posted](), list[PacecarError]()
    with client_of(job) as client:
        pull = pull_request_of(run, client)
        for body in bodies:
            try:
                posted.append(put_comment(client, pull.number, body, author=author))
            except TooManyComments as reason:
                _not_told(reason.message)
            except GitHubError as error:
                failed.append(error)
                issue(command("error", error.message, {"title": "No comment"}))
    return posted, failed


def _is_own(run: MeasuringRun, job: Job) -> bool:
    fork = run.head_repository
    return fork is not None and fork.full_name.lower() == job.repository.lower()


def _not_told(why: str) -> None:
    issue(command("notice", why, {"title": "No comment"}))
