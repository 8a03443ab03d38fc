from __future__ import annotations

import pytest

from pacecar.github.job import Job, JobError, job_of


def test_a_job_is_read_from_its_variables(job: Job) -> None:
    assert (job.repository, job.event, job.run_id) == ("shop/orders", "pull_request", "4711")
    assert job.run_url == "https://github.com/shop/orders/actions/runs/4711"


def test_a_token_is_not_shown(job: Job) -> None:
    assert job.token == "secret-of-the-job"
    assert "secret-of-the-job" not in repr(job)


@pytest.mark.parametrize("url", ["https://git.example.org/api/v3/", "http://127.0.0.1:8080/api/v3", "http://[::1]:80"])
def test_an_enterprise_server_and_this_machine_are_asked(environ: dict[str, str], url: str) -> None:
    assert job_of(environ | {"GITHUB_API_URL": url}).api_url == url.rstrip("/")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"GITHUB_ACTIONS": ""}, "This is not a GitHub Actions job"),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY is not set"),
        ({"GITHUB_REPOSITORY": "shop/../orders"}, "which is not owner/name"),
        ({"GITHUB_EVENT_NAME": "pull request"}, "which is not the name of an event"),
        ({"GITHUB_RUN_ID": "4711/../1"}, "which is not a number"),
        ({"GITHUB_API_URL": "http://api.github.com"}, "not an address to send a token to"),
        ({"GITHUB_API_URL": "https://somebody:secret@example.org"}, "not an address to send a token to"),
        ({"GITHUB_API_URL": "https://example.org:port"}, "not an address to send a token to"),
        ({"GITHUB_API_URL": "ftp://example.org"}, "not an address to send a token to"),
        ({"GITHUB_TOKEN": "one\ntwo"}, "GITHUB_TOKEN holds characters that no token has"),
    ],
)
def test_strange_variables_are_refused(environ: dict[str, str], changed: dict[str, str], said: str) -> None:
    with pytest.raises(JobError, match=said):
        job_of(environ | changed)
