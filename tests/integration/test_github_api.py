"""The comment under a pull request, by the real client library against a server that answers as GitHub describes."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pacecar.cli import second_stage
from pacecar.errors import PacecarError
from pacecar.github import artifact as artifacts
from pacecar.github import sticky
from pacecar.github.client import GitHubError, Patience, client_of
from pacecar.github.event import Fork, MeasuringRun
from pacecar.github.identity import marker
from pacecar.github.job import Job, job_of
from pacecar.github.pulls import NoPullRequest, pull_request_of
from pacecar.github.sticky import Posted, put_comment
from pacecar.reporting.comment import COMMENT_LIMIT
from pacecar.reporting.document import write_document
from pacecar.reporting.document.files import DOCUMENT_BYTES
from pacecar.reporting.markdown import Markdown
from support.documents import HOSTILE, run
from support.github_api import BOT, Failure, Pull, Server, Token

SHA = "5f" * 20
MARKER = marker("measure")
QUICK = Patience(retries=3, backoff_s=0.01, longest_s=5.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        server.pulls.append(Pull(number=1, sha=SHA))
        yield server


@pytest.fixture
def environ(server: Server, tmp_path: Path) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "shop/orders",
        "GITHUB_EVENT_NAME": "workflow_run",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_RUN_ID": "12",
        "GITHUB_API_URL": server.url,
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_WORKSPACE": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_TOKEN": "secret-of-the-job",
    }


@pytest.fixture
def job(environ: dict[str, str]) -> Job:
    return job_of(environ)


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
        ({"token": "revoked"}, "GitHub does not know the token", "expired or been revoked"),
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
    assert hint in refused.value.hint
    assert "secret-of-the-job" not in refused.value.message + refused.value.hint


def test_nobody_listens(environ: dict[str, str]) -> None:
    with pytest.raises(GitHubError, match="GitHub could not be asked"):
        _put(job_of(environ | {"GITHUB_API_URL": "http://127.0.0.1:9/api/v3"}), "one")


def _run(**changed: Any) -> MeasuringRun:
    facts: dict[str, Any] = {
        "id": 99,
        "event": "pull_request",
        "head_branch": "faster",
        "head_sha": SHA,
        "head_repository": Fork(full_name="somebody/orders"),
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
        ({"head_repository": None}, [Pull(number=6, sha=SHA, repository=None)], "The fork .* is deleted"),
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


@pytest.fixture
def artifact(environ: dict[str, str], server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an artifact of pull request 6, in the second stage."""
    server.pulls.append(Pull(number=6, sha=SHA, repository="somebody/orders"))
    run_ = {
        "id": 99,
        "event": "pull_request",
        "head_branch": "faster",
        "head_sha": SHA,
        "head_repository": {"full_name": "somebody/orders"},
        "conclusion": "success",
        # What the run itself says of its pull requests is empty for forks, and not asked for.
        "pull_requests": [{"number": 1}],
    }
    (tmp_path / "event.json").write_text(json.dumps({"workflow_run": run_}))
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "artifact"
    folder.mkdir()
    return folder


def test_the_second_stage_comments_on_the_pull_request_of_the_run(server: Server, artifact: Path) -> None:
    _handed_on(artifact)
    (artifact / "pull-request-number").write_text("1")
    assert second_stage.comment(folder=artifact, author="") == 0
    assert second_stage.comment(folder=artifact, author="") == 0
    (body,) = server.bodies(6)
    assert body.splitlines()[1] == "### \N{LARGE RED CIRCLE} Slower: GET /orders p99 +12.4% (budget 5%) and 1 more"
    assert "[run 99](https://github.example/shop/orders/actions/runs/99)" in body
    assert server.bodies(1) == []


REFUSED = {
    "too large": (lambda plain: json.dumps(plain | {"reason": "x" * DOCUMENT_BYTES}), "larger than 1000000 bytes"),
    "another schema": (lambda plain: json.dumps(plain | {"schema_version": 99}), "at schema_version"),
    "an unknown key": (lambda plain: json.dumps(plain | {"html": HOSTILE}), "Additional properties"),
    "ten thousand findings": (
        lambda plain: json.dumps(plain | {"findings": plain["findings"][:1] * 10_000}),
        "larger than 1000000 bytes",
    ),
    "too many findings": (lambda plain: json.dumps(plain | {"findings": plain["findings"][:1] * 26}), "at findings"),
    "a long text": (lambda plain: json.dumps(plain | {"headline": "x" * 100_000}), "at headline"),
    "a nest": (lambda plain: "[" * 100_000, "not a document"),
    "no JSON": (lambda plain: "\x00\x01", "not a document"),
    "not a number": (lambda plain: json.dumps(plain | {"pairs_judged": float("nan")}), "not JSON"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_document_that_is_none_is_refused_before_anything_is_asked(server: Server, artifact: Path, case: str) -> None:
    path = _handed_on(artifact)
    written, said = REFUSED[case]
    path.write_text(written(json.loads(path.read_text())))
    with pytest.raises(PacecarError, match=said) as refused:
        second_stage.comment(folder=artifact, author="")
    assert len(refused.value.message) < 600
    assert "\n" not in refused.value.message
    assert server.requests == []


@pytest.mark.hostile
def test_a_link_or_a_pipe_in_place_of_a_document_is_not_followed(
    server: Server, artifact: Path, tmp_path: Path
) -> None:
    elsewhere = write_document(run().document(), tmp_path / "elsewhere")
    (artifact / "file").mkdir()
    (artifact / "file" / "document.json").symlink_to(elsewhere)
    (artifact / "folder").symlink_to(elsewhere.parent)
    os.mkfifo(_handed_on(artifact, name="pipe").with_name("pipe"))
    (artifact / "pipe" / "pipe").rename(artifact / "pipe" / "document.json")
    with pytest.raises(PacecarError, match=r"holds no document\.json"):
        second_stage.comment(folder=artifact, author="")
    assert server.requests == []


def test_a_run_that_failed_without_a_verdict_is_nothing_to_comment(
    server: Server, artifact: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    event = json.loads((tmp_path / "event.json").read_text())
    event["workflow_run"]["conclusion"] = "failure"
    (tmp_path / "event.json").write_text(json.dumps(event))
    assert second_stage.comment(folder=artifact, author="") == 0
    assert capfd.readouterr().out.startswith("::notice title=No comment::")
    assert server.requests == []


def test_a_closed_pull_request_is_left_alone(server: Server, artifact: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _handed_on(artifact)
    server.pulls[-1].state = "closed"
    assert second_stage.comment(folder=artifact, author="") == 0
    assert "::notice title=No comment::No open pull request has" in capfd.readouterr().out
    assert server.comments == []


def test_texts_of_a_hostile_document_are_texts(server: Server, artifact: Path) -> None:
    path = _handed_on(artifact)
    plain = json.loads(path.read_text())
    text = (
        f"{HOSTILE} @octocat #1 https://evil.example [x](https://evil.example) \u202egnp ::set-output name=verdict::ok"
    )
    plain |= {"headline": text, "reason": text, "verdict": "invalid", "warnings": [text] * 50}
    for metric in plain["judgements"]:
        metric |= {"endpoint": text, "reason": text}
    for frame in plain["frames"]:
        frame |= {"frame": text, "pool": text}
    path.write_text(json.dumps(plain))
    assert second_stage.comment(folder=artifact, author="") == 0
    (body,) = server.bodies(6)
    assert len(body) <= COMMENT_LIMIT
    assert body.startswith(f"{marker('performance.measure')}\n### ")
    assert "\u202e" not in body
    outside_of_code = "".join(body.split("`")[::2])
    for call in ("<img", "<script", "@octocat", " #1", "https://evil", "](https://evil"):
        assert call not in outside_of_code, call
    assert not any(line.lstrip().startswith("::") for line in body.splitlines())


@pytest.mark.parametrize(("writes", "fork"), [(False, False), (True, True)])
def test_the_run_that_measured_may_comment_where_its_token_may(
    server: Server, artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: bool, fork: bool
) -> None:
    _handed_on(artifact)
    _own_run(tmp_path, monkeypatch, repository="somebody/orders" if fork else "shop/orders")
    server.tokens["secret-of-the-job"] = Token(writes=writes)
    if fork:
        assert second_stage.comment(folder=artifact, author="") == 0
    else:
        with pytest.raises(GitHubError, match="The token has no right to comment on pull request 1"):
            second_stage.comment(folder=artifact, author="")
    assert server.comments == []


def test_a_second_job_of_the_run_comments(
    server: Server, artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _handed_on(artifact)
    # Another pull request of the same branch, into another base.
    server.pulls = [Pull(number=8, sha=SHA), *server.pulls]
    _own_run(tmp_path, monkeypatch, repository="shop/orders")
    assert second_stage.comment(folder=artifact, author="") == 0
    (body,) = server.bodies(1)
    assert "`performance.measure`, measured by [run 12](https://github.example/shop/orders/actions/runs/12)" in body
    assert server.bodies(8) == []


def test_each_comparison_of_a_run_has_a_comment_of_its_own(server: Server, artifact: Path) -> None:
    names = ("nightly.small", "nightly.large", "nightly")
    for name in names:
        _handed_on(artifact, name=name)
    for _ in range(2):
        assert second_stage.comment(folder=artifact, author="") == 0
        assert [body.splitlines()[0] for body in server.bodies(6)] == [marker(name) for name in sorted(names)]
    _handed_on(artifact, name="nightly.later")
    assert second_stage.comment(folder=artifact, author="") == 0
    assert len(server.bodies(6)) == 4


@pytest.mark.hostile
def test_one_document_that_is_none_keeps_no_other_from_being_commented(
    server: Server, artifact: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c"):
        _handed_on(artifact, name=name)
    (artifact / "b" / "document.json").write_text("[]")
    with pytest.raises(PacecarError, match=r"b/document\.json"):
        second_stage.comment(folder=artifact, author="")
    assert [body.splitlines()[0] for body in server.bodies(6)] == [marker("a"), marker("c")]
    assert "::error title=b is not commented::" in capfd.readouterr().out


@pytest.mark.hostile
def test_comments_are_bounded_in_a_run_and_under_a_pull_request(
    server: Server, artifact: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for number in range(artifacts.MOST + 5):
        _handed_on(artifact, name=f"first-{number:02}")
    assert second_stage.comment(folder=artifact, author="") == 0
    assert len(server.bodies(6)) == artifacts.MOST
    assert "those after first-19 are not commented" in capfd.readouterr().out
    shutil.rmtree(artifact)
    for name in ("another", "first-03"):
        _handed_on(artifact, name=name)
    assert second_stage.comment(folder=artifact, author="") == 0
    assert len(server.bodies(6)) == sticky.MOST == artifacts.MOST
    told = capfd.readouterr().out
    assert "has 20 comments of Pacecar's already" in told
    assert "edited" in told


@pytest.mark.hostile
@pytest.mark.parametrize(
    "name", ["..", "a b", "A", "a--b", "a-->b", "<img>", "@octocat", "a\nb", "www.", "-a", "x" * 61, "\u0430", "a`b"]
)
def test_a_folder_that_cannot_be_a_name_is_not_looked_at(server: Server, artifact: Path, name: str) -> None:
    write_document(run().document(), artifact.parent if name == ".." else artifact)
    if name != "..":
        _handed_on(artifact, name=name)
    with pytest.raises(PacecarError, match=r"holds no document\.json"):
        second_stage.comment(folder=artifact, author="")
    assert server.requests == []


def _handed_on(artifact: Path, *, name: str = "performance.measure") -> Path:
    return write_document(run().document(), artifact / name)


def _own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, repository: str) -> None:
    """The job belongs to the very run that measured pull request 1."""
    head = {"ref": "faster", "sha": SHA, "repo": {"full_name": repository}}
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 1, "head": head, "base": head}}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
