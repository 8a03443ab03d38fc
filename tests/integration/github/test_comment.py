"""The one comment of a comparison: written once, edited in place, in spite of failures and limits."""

from __future__ import annotations

import time
from typing import Any

import pytest

from integration.github.sample import QUICK
from pacecar.github.client import GitHubError, Patience, client_of
from pacecar.github.identity import marker
from pacecar.github.job import Job, job_of
from pacecar.github.sticky import Posted, put_comment
from pacecar.reporting.markdown import Markdown
from support.github_api import BOT, Failure, Server, Token

MARKER = marker("measure")


def _put(job: Job, text: str, *, author: str = "", patience: Patience = QUICK) -> Posted:
    with client_of(job, patience=patience) as client:
        return put_comment(client, 1, Markdown.of(f"{MARKER}\n{text}"), author=author, sleep=lambda _: None)


def test_a_comment_is_written_once_and_then_edited_in_place(server: Server, job: Job) -> None:
    first = _put(job, "one")
    second = _put(job, "two")
    assert (first.edited, second.edited, second.url) == (False, True, first.url)
    assert server.bodies() == [f"{MARKER}\ntwo"]


def test_comments_of_others_are_never_touched(server: Server, job: Job) -> None:
    others = [
        server.comment(f"{MARKER}\nof somebody who knows the marker", login="mallory"),
        server.comment("of the bot, about something else", login=BOT),
        server.comment(f"quoting it: {MARKER}", login=BOT),
        server.comment(f"{MARKER}\nof an account that is gone", login=None),
        server.comment(f"{MARKER}\nunder another issue", issue=2),
    ]
    before = [other.body for other in others]
    _put(job, "one")
    _put(job, "two")
    assert [other.body for other in others] == before
    assert [each.body for each in server.comments[len(others) :]] == [f"{MARKER}\ntwo"]


def test_it_is_found_behind_hundreds_of_comments(server: Server, job: Job) -> None:
    for number in range(150):
        server.comment(f"talk {number}", login="somebody")
    own = server.comment(f"{MARKER}\none")
    for number in range(150):
        server.comment(f"more talk {number}", login="somebody")
    assert _put(job, "two").edited
    assert own.body == f"{MARKER}\ntwo"


def test_a_person_or_an_app_comments_under_its_own_name(server: Server, job: Job, environ: dict[str, str]) -> None:
    server.tokens["of-ada"] = Token(login="ada")
    server.comment(f"{MARKER}\nof the bot")
    ada = job_of(environ | {"GITHUB_TOKEN": "of-ada"})
    assert not _put(ada, "one").edited
    assert _put(ada, "two").edited
    assert server.bodies() == [f"{MARKER}\nof the bot", f"{MARKER}\ntwo"]
    server.comment(f"{MARKER}\nof an app", login="speed[bot]")
    assert _put(job, "three", author="speed[bot]").edited


def test_a_comment_deleted_meanwhile_is_written_anew(server: Server, job: Job) -> None:
    gone = server.comment(f"{MARKER}\none")
    server.vanishing.add(gone.id)
    assert not _put(job, "two").edited
    assert server.bodies() == [f"{MARKER}\ntwo"]


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
@pytest.mark.parametrize("status", [500, 502, 503])
def test_failures_of_the_server_pass(server: Server, job: Job, method: str, status: int) -> None:
    if method == "PATCH":
        server.comment(f"{MARKER}\none")
    server.failures.append(Failure(method=method, status=status, times=2))
    _put(job, "two")
    assert server.bodies() == [f"{MARKER}\ntwo"]


def test_a_comment_that_was_written_in_spite_of_a_502_is_not_written_twice(server: Server, job: Job) -> None:
    server.failures.append(Failure(method="POST", status=502, after=True))
    assert _put(job, "one").edited
    assert server.bodies() == [f"{MARKER}\none"]


LIMITS = [
    Failure(method="POST", status=403, message="API rate limit exceeded for installation ID 1."),
    Failure(method="POST", status=403, message="You have exceeded a secondary rate limit."),
    Failure(method="POST", status=429, message="Too many requests", headers={"Retry-After": "1"}),
    Failure(method="GET", status=429, message="Too many requests", headers={"Retry-After": "1"}),
    Failure(method="GET", status=403, message="API rate limit exceeded for installation ID 1."),
]


@pytest.mark.parametrize("failure", LIMITS)
def test_rate_limits_are_waited_for(server: Server, job: Job, failure: Failure) -> None:
    server.failures.append(Failure(**vars(failure)))
    _put(job, "one")
    assert server.bodies() == [f"{MARKER}\none"]


def test_a_limit_that_ends_too_late_is_told_at_once(server: Server, job: Job) -> None:
    reset = {"X-RateLimit-Reset": str(int(time.time()) + 3_000), "X-RateLimit-Remaining": "0"}
    message = "API rate limit exceeded for installation ID 1."
    server.failures.append(Failure(method="GET", status=403, message=message, headers=reset, times=50))
    with pytest.raises(GitHubError, match="GitHub's rate limit does not allow to comment on pull request 1"):
        _put(job, "one")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("arranged", "said", "hint"),
    [
        (
            {"writes": False},
            "The token has no right to comment on pull request 1 of shop/orders",
            "pull-requests: write",
        ),
        ({"token": ""}, "There is no GITHUB_TOKEN to write a comment with", "github.token"),
        ({"token": "revoked"}, "GitHub does not accept the token", "expired or been revoked"),
        ({"pulls": []}, "GitHub finds nothing to comment on pull request 1", "gone"),
        ({"status": 500}, "GitHub could not be asked to comment on pull request 1", "run the job again"),
        ({"status": 422}, "GitHub answered 422 to comment on pull request 1", "run the job again"),
    ],
)
def test_a_refusal_is_a_sentence_and_a_remedy(
    server: Server, environ: dict[str, str], arranged: dict[str, Any], said: str, hint: str
) -> None:
    server.tokens["secret-of-the-job"] = Token(writes=arranged.get("writes", True))
    server.pulls = arranged.get("pulls", server.pulls)
    if "status" in arranged:
        server.failures.append(Failure(method="GET", status=arranged["status"], times=50))
    with pytest.raises(GitHubError, match=said) as refused:
        _put(job_of(environ | {"GITHUB_TOKEN": arranged.get("token", "secret-of-the-job")}), "one")
    assert hint in str(refused.value.hint)
    assert "secret-of-the-job" not in refused.value.told


def test_nobody_listens(environ: dict[str, str]) -> None:
    with pytest.raises(GitHubError, match="GitHub could not be asked"):
        _put(job_of(environ | {"GITHUB_API_URL": "http://127.0.0.1:9/api/v3"}), "one")
