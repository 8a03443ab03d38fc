from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.github.sample import SHA
from pacecar.github.job import Job, job_of
from support.github_api import Pull, Server


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
