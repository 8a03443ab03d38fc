"""Which pull request a run was made for: asked of GitHub by the head of the run, never of what the run has left."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from github.PullRequest import PullRequest

from pacecar.errors import UsageError
from pacecar.github.client import Client, refusals
from pacecar.github.event import MeasuringRun

#: Open pull requests that are looked through for a branch that was renamed, those changed last first.
_MOST = 500


class NoPullRequest(UsageError):
    """There is nothing to comment on: closed, its fork deleted, or changed since."""


def pull_request_of(run: MeasuringRun, client: Client) -> PullRequest:
    """The open pull request whose head is what `run` measured.

    Raises:
        NoPullRequest: when there is none (any more).
        client.GitHubError: when GitHub cannot be asked.
    """
    if run.event != "pull_request":
        raise NoPullRequest(f"Run {run.id} was started by {run.event}, so it belongs to no pull request.")
    if run.head_repository is None:
        raise NoPullRequest(f"The fork that run {run.id} was made for has been deleted, so its owner is unknown.")
    with refusals(f"for the pull request of run {run.id}"):
        candidates = [pull for pull in _candidates(run, client) if run.pull in (None, pull.number)]
    found = next((pull for pull in candidates if pull.head.sha == run.head_sha), None)
    if found is not None:
        return found
    if candidates:
        raise NoPullRequest(
            f"Pull request {candidates[0].number} has moved on from {run.head_sha[:10]} to "
            f"{candidates[0].head.sha[:10]}: the run of that commit will comment."
        )
    raise NoPullRequest(f"No open pull request has {run.head_sha[:10]} of {run.head_repository.full_name} at its head.")


def _candidates(run: MeasuringRun, client: Client) -> Iterable[PullRequest]:
    """Open pull requests from the run's repository: of its branch; else, if that was renamed, with its commit."""
    assert run.head_repository is not None
    owner = run.head_repository.full_name.partition("/")[0]
    if run.head_branch:
        of_branch = client.repository.get_pulls(state="open", head=f"{owner}:{run.head_branch}")
        same = [pull for pull in islice(of_branch, _MOST) if _is_from(pull, run.head_repository.full_name)]
        if same:
            return same
    every = client.repository.get_pulls(state="open", sort="updated", direction="desc")
    return [
        pull
        for pull in islice(every, _MOST)
        if pull.head.sha == run.head_sha and _is_from(pull, run.head_repository.full_name)
    ]


def _is_from(pull: PullRequest, repository: str) -> bool:
    fork = pull.head.repo
    return fork is not None and fork.full_name.lower() == repository.lower()
