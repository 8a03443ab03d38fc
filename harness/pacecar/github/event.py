"""The event that started a job, from the file GitHub wrote: only what is needed of it, and nothing unchecked.

Branch names and the names of forks in it were chosen by whoever opened the pull request.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from pacecar.errors import UsageError
from pacecar.github.job import Job
from pacecar.reporting.document.tidy import clean_text

#: GitHub sends no larger payload.
_MOST_BYTES = 25_000_000

_Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$")]
_Branch = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\s\x00-\x1f\x7f~^:?*\[\\]+$")]
_Word = Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z_]*$")]
#: Anything that somebody typed; fifty characters on github.com.
_Label = Annotated[str, StringConstraints(max_length=1000)]
#: From 1.
_Number = Annotated[int, Field(ge=1, strict=True)]


class EventError(UsageError):
    """The event's payload is not what GitHub writes for such an event."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """A label of a pull request, by the name that somebody gave it."""

    name: _Label


@dataclass(frozen=True, kw_only=True)
class RepositoryName:
    """A repository, by its name."""

    full_name: _Name


@dataclass(frozen=True, kw_only=True)
class Head:
    """An end of a pull request; `repo` is None once the fork was deleted."""

    ref: _Branch
    sha: _Sha
    repo: RepositoryName | None


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """What a `pull_request` event says of its pull request."""

    number: _Number
    head: Head
    base: Head
    labels: tuple[Label, ...] = ()

    def is_of(self, repository: str) -> bool:
        """Whether its branch lies in `repository` itself, so that the job's token may write."""
        return self.head.repo is not None and self.head.repo.full_name.lower() == repository.lower()


@dataclass(frozen=True, kw_only=True)
class MeasuringRun:
    """The run that has measured.

    Attributes:
        head_repository: None for a fork that was deleted.
        conclusion: None while the run goes on.
        pull: the number of its pull request, where GitHub says it.
    """

    id: _Number
    event: _Word
    head_branch: _Branch | None
    head_sha: _Sha
    head_repository: RepositoryName | None
    conclusion: _Word | None
    pull: _Number | None = None


@dataclass(frozen=True, kw_only=True)
class _PullRequestEvent:
    pull_request: PullRequest


@dataclass(frozen=True, kw_only=True)
class _WorkflowRunEvent:
    workflow_run: MeasuringRun


Payload = TypeVar("Payload")
_PULL_REQUEST: TypeAdapter[_PullRequestEvent] = TypeAdapter(_PullRequestEvent)
_WORKFLOW_RUN: TypeAdapter[_WorkflowRunEvent] = TypeAdapter(_WorkflowRunEvent)


def pull_request(job: Job) -> PullRequest | None:
    """The pull request the job runs for; None when it runs for anything else.

    Raises:
        EventError: when the payload is missing, too large or of another shape.
    """
    return _payload(job, _PULL_REQUEST).pull_request if job.event == "pull_request" else None


def measuring_run(job: Job) -> MeasuringRun:
    """The run that measured for this job: the one whose end started it, or its own, in which another job measured.

    Raises:
        EventError: when the job was started by anything else, or the payload is not valid.
    """
    if job.event == "workflow_run":
        return _payload(job, _WORKFLOW_RUN).workflow_run
    pull = pull_request(job)
    if pull is None:
        raise EventError(
            f"This job was started by {job.event}, not by a pull request or the end of a measuring workflow.",
            hint="Start it on: pull_request, as in ci/workflows/same-repository.yml, or on: workflow_run, as in "
            "ci/workflows/forks-comment.yml",
        )
    return MeasuringRun(
        id=int(job.run_id),
        event=job.event,
        head_branch=pull.head.ref,
        head_sha=pull.head.sha,
        head_repository=pull.head.repo,
        conclusion=None,
        pull=pull.number,
    )


def _payload(job: Job, shape: TypeAdapter[Payload]) -> Payload:
    content = _content(job.event_path)
    try:
        return shape.validate_python(json.loads(content))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "its top"
        problem = f"at {where}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        problem = str(error)
    raise EventError(
        f"{job.event_path} is not the payload of a {job.event} event: {clean_text(problem, limit=200)}.",
        hint="GITHUB_EVENT_PATH must name the file that GitHub wrote.",
    )


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise EventError(f"The event's payload {path} cannot be read: {error.strerror}.") from error
    if len(content) > _MOST_BYTES:
        raise EventError(f"The event's payload {path} is larger than any that GitHub sends.")
    return content
