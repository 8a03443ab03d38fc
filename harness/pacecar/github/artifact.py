"""Documents on their way from the job that measures to the one that comments: anybody may have written what arrives.

An artifact holds one folder for each comparison, by its name, with the document in it. The names lie inside because a
download of one single artifact forgets what that was called.
"""

from __future__ import annotations

import heapq
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.github.event import MeasuringRun
from pacecar.github.identity import is_name, marker
from pacecar.github.job import Job
from pacecar.reporting.comment import COMMENT_LIMIT, comment
from pacecar.reporting.document import Document, load_document
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.markdown import Markdown, code, link

#: Comparisons of one run that are commented.
MOST = 20
#: Bytes of all their documents: twelve times what is usual for so many, and still read in seconds.
MOST_BYTES = 4_000_000


class ArtifactError(UsageError):
    """The artifact holds no file that could be a document."""


@dataclass(frozen=True, kw_only=True)
class Received:
    """A file that may be the document of the comparison `name`; nothing of it was read yet."""

    name: str
    path: Path

    @property
    def size(self) -> int:
        """Bytes of the file; 0 when there is none any more."""
        try:
            return self.path.lstat().st_size
        except OSError:
            return 0

    def document(self) -> Document:
        """What it holds.

        Raises:
            report.document.DocumentError: when it is too large or not valid by the schema.
        """
        return load_document(self.path, profiles=False)


def hand_on(document: Path, *, name: str, temporary: Path) -> Path:
    """A new folder below `temporary` that an artifact is made of: the file `document`, under the comparison's name."""
    folder = Path(tempfile.mkdtemp(prefix="pacecar-", dir=temporary))
    (folder / name).mkdir()
    shutil.copyfile(document, folder / name / DOCUMENT_NAME)
    return folder


def received(folder: Path) -> list[Received]:
    """What lies in `folder`, where artifacts were unpacked, sorted by name.

    There are at most `MOST` and one more, which tells of the rest. Links are not followed, and nothing else in there is
    looked at.

    Raises:
        ArtifactError: when there is none.
    """
    try:
        names = heapq.nsmallest(MOST + 1, _names(folder))
    except OSError:
        names = []
    if not names:
        raise ArtifactError(
            f"{folder} holds no {DOCUMENT_NAME}: the measuring run left none.",
            hint="Read that run's log; if it ended before a verdict, there is nothing to comment.",
        )
    return [Received(name=name, path=folder / name / DOCUMENT_NAME) for name in names]


def _names(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_name(entry.name) and entry.is_dir(follow_symlinks=False):
                path = folder / entry.name / DOCUMENT_NAME
                if path.is_file() and not path.is_symlink():
                    yield entry.name


def second_hand(document: Document, *, name: str, run: MeasuringRun, job: Job) -> Markdown:
    """The comment of a document that others made: rendered here, with who made it, by what GitHub says of the run."""
    url = job.url_of_run(str(run.id))
    told = Markdown.of(
        "\n<sub>{name}, measured by {run} of this pull request, for {commit}.</sub>\n",
        name=code(name),
        run=link(Markdown.of("run {id}", id=run.id), url),
        commit=run.head_sha[:10],
    )
    limit = COMMENT_LIMIT - len(told)
    return comment(document, limit=limit, report_url=f"{url}#artifacts", marker=marker(name)) + told
