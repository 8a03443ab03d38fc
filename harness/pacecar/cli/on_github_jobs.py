"""What every command of a job does besides its own work: where files go, what is told of a failure, what is kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pacecar.archive.history import FOLDER, trim
from pacecar.errors import PacecarError
from pacecar.github.job import Job
from pacecar.github.job_log import command, issue
from pacecar.github.publishing import tell_failure


def temporary_folder() -> Path:
    """Where files of a job are put."""
    return Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir())


@contextmanager
def failure_told(job: Job) -> Iterator[None]:
    """What fails is told on the job's page, too."""
    try:
        yield
    except PacecarError as error:
        tell_failure(job, error)
        raise


@contextmanager
def verdict_stands() -> Iterator[None]:
    """What cannot be told is said in the log, and does not change what was measured."""
    try:
        yield
    except PacecarError as error:
        issue(command("warning", error.told, {"title": "Not reported"}))


def history_kept(archive: Path) -> str:
    """Whether there is noise to be kept for later jobs: an output; the folder is as small then as a cache should be."""
    try:
        trim(archive)
    except OSError as error:
        issue(command("warning", f"{error.filename}: {error.strerror}", {"title": "The noise was not kept"}))
        return ""
    return "kept" if (archive / FOLDER).is_dir() else ""
