"""Documents on their way from the job that measures to the one that comments: anybody may have written what arrives.

An artifact holds one folder for each comparison, by its name, with the document in it. The names lie inside because a
download of one single artifact forgets what that was called. Where one comparison is of several services, that folder
holds a folder for each: `NAME/parts/SERVICE/document.json`, or in its place why there is none.
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
from pacecar.reporting.document import load_document
from pacecar.reporting.document.files import DOCUMENT_BYTES, DOCUMENT_NAME
from pacecar.reporting.joint import Part, joint_comment
from pacecar.reporting.markdown import Markdown, code, link
from pacecar.system.foreign import files

#: Comparisons of one run that are commented.
MOST = 20
#: Bytes of all their documents: twelve times what is usual for so many, and still read in seconds.
MOST_BYTES = 4_000_000
#: Where the services of one comparison lie, how many are told of, and what stands in place of a document.
PARTS, FAILURE_NAME, NEW_NAME = "parts", "failure.txt", "new.txt"
MOST_PARTS = 100
_LONGEST_FAILURE = 4_000


class ArtifactError(UsageError):
    """The artifact holds no file that could be a document."""


@dataclass(frozen=True, kw_only=True)
class Received:
    """What may be the comparison `name`, of which nothing was read yet.

    Attributes:
        name: of the comparison.
        path: where its document would be.
        parts: folders of its services, by their names; empty where it is of one.
    """

    name: str
    path: Path
    parts: tuple[Path, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the documents; of what is none any more 0."""
        return sum(map(_size, [each / DOCUMENT_NAME for each in self.parts] or [self.path]))

    @property
    def most(self) -> int:
        """Bytes that are read of it at most."""
        return DOCUMENT_BYTES * max(1, len(self.parts))

    def rendered(self, *, limit: int, report_url: str) -> Markdown:
        """Its comment, rendered here.

        Raises:
            report.document.DocumentError: when a document is too large or not valid by the schema.
        """
        if not self.parts:
            document = load_document(self.path, profiles=False)
            return comment(document, limit=limit, report_url=report_url, marker=marker(self.name))
        return joint_comment([*map(_part, self.parts)], limit=limit, report_url=report_url, marker=marker(self.name))


def _part(folder: Path) -> Part:
    document = folder / DOCUMENT_NAME
    if document.exists() and not document.is_symlink():
        return Part(name=folder.name, document=load_document(document, profiles=False))
    try:
        said = files.beginning(folder / FAILURE_NAME, most=_LONGEST_FAILURE, inside=folder).decode("utf-8", "replace")
    except FileNotFoundError:
        return Part(name=folder.name)
    except OSError as error:
        raise ArtifactError(f"{folder / FAILURE_NAME} cannot be read: {error.strerror}.") from error
    return Part(name=folder.name, failure=said or "It is not said why.")


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


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
    return [
        Received(name=name, path=folder / name / DOCUMENT_NAME, parts=_parts(folder / name / PARTS)) for name in names
    ]


def _names(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_name(entry.name) and entry.is_dir(follow_symlinks=False):
                path = folder / entry.name / DOCUMENT_NAME
                if (path.is_file() and not path.is_symlink()) or _parts(folder / entry.name / PARTS):
                    yield entry.name


def _parts(folder: Path) -> tuple[Path, ...]:
    """The folders of services in `folder`, which is no link."""
    try:
        if folder.is_symlink():
            return ()
        with os.scandir(folder) as entries:
            names = (each.name for each in entries if is_name(each.name) and each.is_dir(follow_symlinks=False))
            return tuple(folder / name for name in heapq.nsmallest(MOST_PARTS, names))
    except OSError:
        return ()


def second_hand(each: Received, *, run: MeasuringRun, job: Job) -> Markdown:
    """The comment of what others made: rendered here, with who made it, by what GitHub says of the run.

    Raises:
        report.document.DocumentError: see `Received.rendered`.
    """
    url = job.url_of_run(str(run.id))
    told = Markdown.of(
        "\n<sub>{name}, measured by {run} of this pull request, for {commit}.</sub>\n",
        name=code(each.name),
        run=link(Markdown.of("run {id}", id=run.id), url),
        commit=run.head_sha[:10],
    )
    limit = COMMENT_LIMIT - len(told)
    return each.rendered(limit=limit, report_url=f"{url}#artifacts") + told
