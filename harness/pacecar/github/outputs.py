"""What later steps of a job can ask for: `verdict`, `tier`, `regressions`, `report-path`, `document-path`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from pacecar.github.job import Job, JobError
from pacecar.model.tiers import Tier
from pacecar.reporting.document import Document


def outputs_of(document: Document, *, tier: Tier, report: Path, path: Path) -> dict[str, str]:
    """The outputs of a comparison.

    Args:
        document: the comparison.
        tier: in which it was made.
        report: the HTML file.
        path: the document's own file.
    """
    return {
        "verdict": document.verdict.value,
        "tier": tier.value,
        "regressions": str(len(document.regressions)),
        "report-path": str(report.resolve()),
        "document-path": str(path.resolve()),
    }


def set_outputs(job: Job, outputs: Mapping[str, str]) -> None:
    """Append `outputs` to the step's file; a value may hold anything, its delimiter cannot be known to it.

    Raises:
        JobError: when the file cannot be written.
    """
    lines = []
    for name, value in outputs.items():
        delimiter = f"pacecar_{secrets.token_hex(16)}"
        lines += [f"{name}<<{delimiter}", value, delimiter]
    append(job.output, "".join(f"{line}\n" for line in lines))


def append(path: Path | None, text: str) -> None:
    """Append `text` to a file of the step; without such a file nothing happens.

    Raises:
        JobError: when it cannot be written.
    """
    if path is None:
        return
    try:
        # A pipe that nobody reads is refused; opening it as usual would wait for ever.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(path, flags, 0o644), "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise JobError(f"The step's file {path} cannot be written: {error.strerror}.") from error


def shorten(path: Path | None, length: int) -> None:
    """Take away what stands behind byte `length` of a file of the step; what is no file, or shorter, stays as it is.

    Raises:
        JobError: when it cannot be written.
    """
    try:
        if path is not None and path.is_file() and path.stat().st_size > length:
            os.truncate(path, length)
    except OSError as error:
        raise JobError(f"The step's file {path} cannot be written: {error.strerror}.") from error
