"""Documents on their way from the job that measures to the one that comments: anybody may have written what arrives.

An artifact holds one folder for each comparison, by its name, with the document in it. The names lie inside because a
download of one single artifact forgets what that was called. Where one comparison is of several services, that folder
holds a folder for each: `NAME/parts/SERVICE/document.json`, or in its place why there is none. Where it was made in
tiers, a folder for each that was called for: `NAME/tiers/quick/document.json`, `NAME/tiers/full/document.json`, or in
place of the latter why there is none; beside them stands why it was called for or not.
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
from pacecar.model.tiers import Tier
from pacecar.reporting.comment import COMMENT_LIMIT, comment
from pacecar.reporting.document import Document, load_document
from pacecar.reporting.document.files import DOCUMENT_BYTES, DOCUMENT_NAME
from pacecar.reporting.joint import ServiceResult, joint_comment
from pacecar.reporting.markdown import Markdown, code, link
from pacecar.reporting.tiers import Tiers, tiers_comment
from pacecar.system.foreign import files

#: Comparisons of one run that are commented.
MOST = 20
#: Bytes of all their documents: twelve times what is usual for so many, and still read in seconds.
MOST_BYTES = 4_000_000
#: Where the services of one comparison lie, how many are told of, and what stands in place of a document.
PARTS, FAILURE_NAME, NEW_NAME = "parts", "failure.txt", "new.txt"
MOST_PARTS = 100
#: Where its tiers lie, and what says why the full one was called for or not.
TIERS, WHY_NAME = "tiers", "why.txt"
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
        tiers: the folder of its tiers; None where it was made in one.
    """

    name: str
    path: Path
    parts: tuple[Path, ...] = ()
    tiers: Path | None = None

    @property
    def size(self) -> int:
        """Bytes of the documents; of what is none any more 0."""
        return sum(map(_size, self._documents))

    @property
    def most(self) -> int:
        """Bytes that are read of it at most."""
        return DOCUMENT_BYTES * len(self._documents)

    @property
    def _documents(self) -> list[Path]:
        """Where a document may be."""
        if self.parts:
            return [each / DOCUMENT_NAME for each in self.parts]
        return [self.tiers / tier / DOCUMENT_NAME for tier in Tier] if self.tiers else [self.path]

    def rendered(self, *, limit: int, report_url: str) -> Markdown:
        """Its comment, rendered here.

        Raises:
            report.document.DocumentError: when a document is too large or not valid by the schema.
            ArtifactError: when something else than a document stands where one, or why there is none, should.
        """
        own = marker(self.name)
        if self.parts:
            return joint_comment([*map(_part, self.parts)], limit=limit, report_url=report_url, marker=own)
        if self.tiers is not None:
            return tiers_comment(_tiers(self.tiers), limit=limit, report_url=report_url, marker=own)
        document = load_document(self.path, profiles=False)
        return comment(document, limit=limit, report_url=report_url, marker=own)


def _part(folder: Path) -> ServiceResult:
    document = _document(folder)
    return ServiceResult(name=folder.name, document=document, failure=None if document else _failure(folder))


def _tiers(folder: Path) -> Tiers:
    quick, full = _document(folder / Tier.QUICK), _document(folder / Tier.FULL)
    if quick is None:  # the verdict of both cannot be told without it
        raise ArtifactError(f"{folder / Tier.QUICK} holds no {DOCUMENT_NAME}, so there is no verdict of both tiers.")
    failure = None if full else _failure(folder / Tier.FULL)
    return Tiers(quick=quick, full=full, failure=failure, why=_said(folder / WHY_NAME))


def _document(folder: Path) -> Document | None:
    """The document in `folder`; None where there is none, or a link in its place."""
    document = folder / DOCUMENT_NAME
    real = document.exists() and not document.is_symlink() and not folder.is_symlink()
    return load_document(document, profiles=False) if real else None


def _failure(folder: Path) -> str | None:
    """Why there is no document in `folder`; None where nobody says that there should be one."""
    said = None if folder.is_symlink() else _said(folder / FAILURE_NAME)
    return None if said is None else said or "No reason was given."


def _said(path: Path) -> str | None:
    """The beginning of a text that stands in place of a document or beside it; None where there is no such file."""
    try:
        return files.beginning(path, most=_LONGEST_FAILURE, inside=path.parent).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}.") from error


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
            hint="Read that run's log; if it ended before a verdict, there is nothing to comment on.",
        )
    return [
        Received(
            name=name,
            path=folder / name / DOCUMENT_NAME,
            parts=_parts(folder / name / PARTS),
            tiers=_tiers_in(folder / name),
        )
        for name in names
    ]


def _names(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_name(entry.name) and entry.is_dir(follow_symlinks=False):
                path = folder / entry.name / DOCUMENT_NAME
                whole = path.is_file() and not path.is_symlink()
                if whole or _parts(folder / entry.name / PARTS) or _tiers_in(folder / entry.name):
                    yield entry.name


def _tiers_in(folder: Path) -> Path | None:
    """The folder of the tiers in `folder`; None where there is none, or a link in its place."""
    tiers = folder / TIERS
    return tiers if tiers.is_dir() and not tiers.is_symlink() else None


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
