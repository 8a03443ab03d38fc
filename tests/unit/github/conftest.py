"""A job of GitHub's, with files of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.github.job import Job, job_of
from pacecar.reporting.document import Document
from support.documents import run


@pytest.fixture(scope="session")
def document() -> Document:
    return run().document()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """What a runner sets."""
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "shop/orders",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_RUN_ID": "4711",
        "GITHUB_API_URL": "https://api.github.com",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_WORKSPACE": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_TOKEN": "secret-of-the-job",
    }


@pytest.fixture
def job(environ: dict[str, str]) -> Job:
    return job_of(environ)
