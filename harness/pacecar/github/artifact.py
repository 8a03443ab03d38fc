"""A document that came with an artifact: anybody who can open a pull request may have written it."""

from __future__ import annotations

from pathlib import Path

from pacecar.errors import UsageError
from pacecar.github.event import MeasuringRun
from pacecar.github.job import Job
from pacecar.report.comment import COMMENT_LIMIT, comment
from pacecar.report.document import Document, load_document
from pacecar.report.document.files import DOCUMENT_NAME


class ArtifactError(UsageError):
    """The artifact holds no file that could be a document."""


def received(folder: Path) -> Document:
    """The document in `folder`, where an artifact was unpacked; nothing else in there is looked at.

    Raises:
        ArtifactError: when there is no such file, or a link in its place.
        report.document.DocumentError: when it is too large or not valid by the schema.
    """
    path = folder / DOCUMENT_NAME
    if path.is_symlink() or not path.is_file():
        raise ArtifactError(
            f"{folder} holds no {DOCUMENT_NAME}: the measuring run left none.",
            hint="Read that run's log; if it ended before a verdict, there is nothing to comment.",
        )
    return load_document(path, profiles=False)


def second_hand(document: Document, *, run: MeasuringRun, job: Job) -> str:
    """The comment of a document that others made: rendered here, with who made it, by what GitHub says of the run."""
    url = job.url_of_run(str(run.id))
    told = f"\n<sub>Measured by [run {run.id}]({url}) of this pull request, for {run.head_sha[:10]}.</sub>\n"
    return comment(document, limit=COMMENT_LIMIT - len(told), report_url=url) + told
