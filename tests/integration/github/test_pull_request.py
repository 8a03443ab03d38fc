"""The pull request of a run that measured, found by its head and never by what an artifact says."""

from __future__ import annotations

from typing import Any

import pytest

from integration.github.sample import QUICK, SHA
from pacecar.github.client import client_of
from pacecar.github.event import MeasuringRun, RepositoryName
from pacecar.github.job import Job
from pacecar.github.pulls import NoPullRequest, pull_request_of
from support.github_api import Pull, Server


def _run(**changed: Any) -> MeasuringRun:
    facts: dict[str, Any] = {
        "id": 99,
        "event": "pull_request",
        "head_branch": "faster",
        "head_sha": SHA,
        "head_repository": RepositoryName(full_name="somebody/orders"),
        "conclusion": "success",
    }
    return MeasuringRun(**(facts | changed))


OTHERS = (
    Pull(number=2, sha=SHA, repository="mallory/orders"),
    Pull(number=3, sha="00" * 20, repository="somebody/orders", branch="slower"),
    Pull(number=4, sha=SHA, repository=None),
    Pull(number=5, sha=SHA, repository="somebody/orders", state="closed"),
)


@pytest.mark.parametrize("branch", ["faster", "renamed"])
def test_the_pull_request_is_found_by_the_head_of_the_run(server: Server, job: Job, branch: str) -> None:
    server.pulls = [*OTHERS, Pull(number=6, sha=SHA, repository="somebody/orders", branch=branch)]
    with client_of(job, patience=QUICK) as client:
        assert pull_request_of(_run(), client).number == 6


@pytest.mark.parametrize(
    ("changed", "pulls", "said"),
    [
        ({}, [], "No open pull request has 5f5f5f5f5f of somebody/orders at its head"),
        ({"head_repository": None}, [Pull(number=6, sha=SHA, repository=None)], "The fork .* has been deleted"),
        ({"event": "push"}, [Pull(number=6, sha=SHA)], "started by push, so it belongs to no pull request"),
        (
            {},
            [Pull(number=6, sha="11" * 20, repository="somebody/orders")],
            "6 has moved on from 5f5f5f5f5f to 1111111111",
        ),
        ({"head_branch": None}, [], "No open pull request"),
    ],
)
def test_there_may_be_no_pull_request_any_more(
    server: Server, job: Job, changed: dict[str, Any], pulls: list[Pull], said: str
) -> None:
    server.pulls = [*OTHERS, *pulls]
    with client_of(job, patience=QUICK) as client, pytest.raises(NoPullRequest, match=said):
        pull_request_of(_run(**changed), client)
