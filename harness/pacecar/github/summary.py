"""The verdict on the job's page, in the file that GitHub names for a step."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.errors import PacecarError
from pacecar.github.job import Job
from pacecar.github.outputs import append, shorten
from pacecar.reporting.comment import MARKER, comment
from pacecar.reporting.document import Document
from pacecar.reporting.document.tidy import clean_text
from pacecar.reporting.joint import ServiceResult, joint_comment
from pacecar.reporting.markdown import Markdown
from pacecar.reporting.tiers import Tiers, tiers_comment

#: The largest summary of a step that GitHub shows, in bytes; a larger one is not shown at all.
SUMMARY_BYTES = 1 << 20
#: UTF-8 takes at most so many for a character.
_BYTES_EACH = 4


def write_summary(job: Job, document: Document) -> None:
    """Append the comparison to the step's summary, as much of it as there is room for."""
    room = SUMMARY_BYTES - _used(job)
    text = comment(document, limit=room // _BYTES_EACH)
    if len(text.encode()) <= room:
        append_to_summary(job, text)


def write_parts(job: Job, parts: Sequence[ServiceResult]) -> None:
    """Append several comparisons, as much of them as there is room for."""
    room = SUMMARY_BYTES - _used(job)
    text = joint_comment(parts, marker=MARKER, limit=room // _BYTES_EACH)
    if len(text.encode()) <= room:
        append_to_summary(job, text)


def length_of_summary(job: Job) -> int:
    """Bytes that the step's summary has already."""
    return _used(job)


def write_tiers(job: Job, tiers: Tiers, *, since: int) -> None:
    """Let the summary go on at byte `since` with both tiers, as much of them as there is room for.

    What stands behind that place, which is what was known when the quick tier had answered, is taken away.
    """
    text = tiers_comment(tiers, marker=MARKER, limit=max(0, SUMMARY_BYTES - since) // _BYTES_EACH)
    if len(text.encode()) <= SUMMARY_BYTES - since:
        shorten(job.summary, since)
        append_to_summary(job, text)


def write_failure(job: Job, error: PacecarError) -> None:
    """Append why there is nothing to show."""
    why = clean_text(error.message, limit=2_000)
    append_to_summary(job, Markdown.of("### \N{MEDIUM WHITE CIRCLE} Nothing was compared\n\n{why}\n", why=why))


def append_to_summary(job: Job, text: Markdown) -> None:
    """Append `text` to the step's summary.

    Raises:
        job.JobError: when it cannot be written.
    """
    append(job.summary, text)


def _used(job: Job) -> int:
    return job.summary.stat().st_size if job.summary is not None and job.summary.exists() else 0
