"""The second stage: documents that anybody may have written become comments of the right pull request."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from integration.github.sample import SHA
from pacecar.cli import second_stage
from pacecar.errors import PacecarError
from pacecar.github import artifact as artifacts
from pacecar.github import sticky
from pacecar.github.client import GitHubError
from pacecar.github.identity import marker
from pacecar.reporting.comment import COMMENT_LIMIT
from pacecar.reporting.document import write_document
from pacecar.reporting.document.files import DOCUMENT_BYTES
from support.documents import HOSTILE, run
from support.github_api import Failure, Pull, Server, Token


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
    assert (
        body.splitlines()[1]
        == "### \N{LARGE RED CIRCLE} Regressed: GET /orders p99 is 12.4% slower (budget 5%) and 1 more"
    )
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
    assert "::error title=No comment for b::" in capfd.readouterr().out


def test_one_comment_that_cannot_be_written_keeps_no_other_from_it(
    server: Server, artifact: Path, environ: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        _handed_on(artifact, name=name)
    server.failures.append(Failure(method="POST", status=422, message="Validation Failed"))
    with pytest.raises(GitHubError, match="Validation Failed"):
        second_stage.comment(folder=artifact, author="")
    assert [body.splitlines()[0] for body in server.bodies(6)] == [marker("b")]
    assert "::error title=No comment::" in capfd.readouterr().out
    assert Path(environ["GITHUB_STEP_SUMMARY"]).read_text().count("Regressed: GET /orders p99") == 2


@pytest.mark.hostile
def test_comments_are_bounded_in_a_run_and_under_a_pull_request(
    server: Server, artifact: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for number in range(artifacts.MOST + 5):
        _handed_on(artifact, name=f"first-{number:02}")
    assert second_stage.comment(folder=artifact, author="") == 0
    assert len(server.bodies(6)) == artifacts.MOST
    assert "those after first-19 get no comment" in capfd.readouterr().out
    shutil.rmtree(artifact)
    for name in ("another", "first-03"):
        _handed_on(artifact, name=name)
    assert second_stage.comment(folder=artifact, author="") == 0
    assert len(server.bodies(6)) == sticky.MOST == artifacts.MOST
    told = capfd.readouterr().out
    assert "has 20 comments by Pacecar already" in told
    assert "edited" in told


def _services(artifact: Path, name: str = "performance.measure") -> Path:
    """A comparison of several services: one measured, one broken, one new."""
    parts = artifact / name / "parts"
    write_document(run().document(), parts / "services-orders")
    for service, file, said in (
        ("services-prices", "failure.txt", "It @does not compile.<b>"),
        ("wishes", "new.txt", ""),
    ):
        (parts / service).mkdir()
        (parts / service / file).write_text(said)
    return parts


def test_several_services_of_one_comparison_share_one_comment(server: Server, artifact: Path) -> None:
    _services(artifact)
    for _ in range(2):
        assert second_stage.comment(folder=artifact, author="") == 0
        (body,) = server.bodies(6)
        assert body.startswith(marker("performance.measure"))
        assert "3 services: 1 failed, 1 new, 1 regressed" in body
        assert "Regressed: GET /orders p99" in body
        assert "<b>" not in body
        assert "@does" not in body
        assert "[run 99]" in body


@pytest.mark.hostile
def test_a_service_of_several_is_read_as_any_stranger_s(server: Server, artifact: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not to be told")
    parts = _services(artifact)
    (parts / "services-prices" / "failure.txt").unlink()
    (parts / "services-prices" / "failure.txt").symlink_to(secret)
    with pytest.raises(PacecarError, match="a link that leads out of"):
        second_stage.comment(folder=artifact, author="")
    (parts / "services-prices" / "failure.txt").unlink()
    os.mkfifo(parts / "services-prices" / "failure.txt")
    with pytest.raises(PacecarError, match="not a regular file"):
        second_stage.comment(folder=artifact, author="")
    (parts / "services-prices" / "failure.txt").unlink()
    (parts / "services-prices" / "failure.txt").write_text("x" * 1_000_000)
    (parts / "services-orders" / "document.json").write_text("{}")
    with pytest.raises(PacecarError, match="is not a document"):
        second_stage.comment(folder=artifact, author="")
    assert server.bodies(6) == []


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
