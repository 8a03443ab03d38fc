from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.github.event import EventError, measuring_run, pull_request
from pacecar.github.job import Job

SHA = "5f" * 20
HEAD = {"ref": "faster", "sha": SHA, "repo": {"full_name": "shop/orders", "id": 5}}
PULL = {"number": 7, "head": HEAD, "base": HEAD | {"ref": "main"}, "title": "anything"}
RUN = {
    "id": 99,
    "event": "pull_request",
    "head_branch": "faster",
    "head_sha": SHA,
    "head_repository": {"full_name": "somebody/orders"},
    "conclusion": "success",
}


def _written(job: Job, payload: Any) -> Job:
    job.event_path.write_text(json.dumps(payload))
    return job


def test_a_pull_request_is_read(job: Job) -> None:
    pull = pull_request(_written(job, {"pull_request": PULL, "action": "opened"}))
    assert pull is not None
    assert (pull.number, pull.head.sha, pull.base.ref) == (7, SHA, "main")
    assert pull.is_of("Shop/Orders")


@pytest.mark.parametrize("fork", [None, {"full_name": "somebody/orders"}, {"full_name": "mona_acme/orders"}])
def test_a_fork_is_told_from_a_branch_also_once_it_is_deleted(job: Job, fork: object) -> None:
    pull = pull_request(_written(job, {"pull_request": PULL | {"head": HEAD | {"repo": fork}}}))
    assert pull is not None
    assert not pull.is_of("shop/orders")


def test_labels_are_whatever_somebody_typed(job: Job) -> None:
    names = ["pacecar-full", "\N{ROCKET} x", "a\n::error::b", "", "\u202e", "x" * 1000]
    labels = [{"name": name, "id": 1, "color": "ededed", "description": None} for name in names]
    pull = pull_request(_written(job, {"pull_request": PULL | {"labels": labels}}))
    assert pull is not None
    assert [label.name for label in pull.labels] == names
    without = pull_request(_written(job, {"pull_request": PULL}))
    assert without is not None
    assert without.labels == ()


def test_other_events_have_no_pull_request(job: Job) -> None:
    assert pull_request(replace(job, event="push")) is None


def test_a_measuring_run_is_read(job: Job) -> None:
    run = measuring_run(_written(replace(job, event="workflow_run"), {"workflow_run": RUN | {"head_repository": None}}))
    assert (run.id, run.head_sha, run.head_repository) == (99, SHA, None)


def test_a_run_of_a_pull_request_measures_for_itself(job: Job) -> None:
    run = measuring_run(_written(job, {"pull_request": PULL}))
    assert (run.id, run.event, run.head_branch, run.head_sha, run.pull) == (4711, "pull_request", "faster", SHA, 7)
    assert run.head_repository is not None
    assert run.head_repository.full_name == "shop/orders"


@pytest.mark.hostile
@pytest.mark.parametrize("event", ["pull_request_target", "push", "issue_comment", "workflow_dispatch"])
def test_a_comment_is_for_a_pull_request_or_the_end_of_a_run(job: Job, event: str) -> None:
    with pytest.raises(EventError, match=f"started by {event}, not by a pull request or the end"):
        measuring_run(_written(replace(job, event=event), {"pull_request": PULL, "workflow_run": RUN}))


@pytest.mark.parametrize(
    "changed",
    [
        {"number": "7"},
        {"number": 0},
        {"number": True},
        {"head": HEAD | {"sha": "main; rm -rf /"}},
        {"head": HEAD | {"ref": "a\n::error::b"}},
        {"head": HEAD | {"repo": {"full_name": "../../user"}}},
        {"base": None},
        {"labels": "pacecar-full"},
        {"labels": [{"id": 1}]},
        {"labels": [{"name": "x" * 1001}]},
    ],
)
def test_what_github_would_not_write_is_refused(job: Job, changed: dict[str, object]) -> None:
    with pytest.raises(EventError, match="is not the payload of a pull_request event: at pull_request") as refused:
        pull_request(_written(job, {"pull_request": PULL | changed}))
    assert "\n" not in refused.value.message


def test_a_missing_payload_and_one_too_large(job: Job) -> None:
    with pytest.raises(EventError, match="cannot be read: No such file"):
        pull_request(job)
    with job.event_path.open("wb") as file:
        file.truncate(25_000_001)
    with pytest.raises(EventError, match="larger than any that GitHub sends"):
        pull_request(job)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200)
    | st.recursive(st.none() | st.text(), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_any_bytes_are_a_payload_or_a_sentence(job: Job, content: bytes) -> None:
    job.event_path.write_bytes(content)
    with pytest.raises(EventError):
        pull_request(job)
