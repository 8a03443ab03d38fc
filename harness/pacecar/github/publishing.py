"""What a comparison leaves on the page of its job: outputs, summary, notes beside the code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pacecar.errors import PacecarError
from pacecar.github.annotations import notes_on
from pacecar.github.budget_lines import BudgetLines
from pacecar.github.diff import ChangedLines, changed_lines
from pacecar.github.event import PullRequest
from pacecar.github.job import Job
from pacecar.github.job_log import command, issue
from pacecar.github.outputs import set_outputs
from pacecar.github.summary import write_failure, write_parts, write_summary, write_tiers
from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.git import Repository
from pacecar.reporting.document import Document
from pacecar.reporting.joint import ServiceResult
from pacecar.reporting.tiers import Tiers

NO_VERDICT = {"verdict": "", "tier": "", "regressions": "", "report-path": "", "document-path": "", "artifact-path": ""}


def tell_page(job: Job, document: Document, *, outputs: dict[str, str], config: Path, pull: PullRequest | None) -> None:
    """Outputs, summary and notes.

    Args:
        job: whose page it is.
        document: the comparison.
        outputs: of the step.
        config: the configuration file, whose lines the notes point at.
        pull: the pull request, whose changes they point at.

    Raises:
        job.JobError: when a file of the step cannot be written.
    """
    set_outputs(job, outputs)
    write_summary(job, document)
    notes_of(job, [document], config=config, pull=pull)


def tell_parts(job: Job, parts: Sequence[ServiceResult], *, outputs: dict[str, str]) -> None:
    """Outputs and summary of several comparisons together.

    Raises:
        job.JobError: when a file of the step cannot be written.
    """
    set_outputs(job, outputs)
    write_parts(job, parts)


def tell_tiers(job: Job, tiers: Tiers, *, outputs: dict[str, str], since: int) -> None:
    """Outputs and summary of both tiers together, in place of what was told after the quick one.

    Args:
        job: whose page it is.
        tiers: what they have found.
        outputs: of the step.
        since: where the summary goes on, see `summary.write_tiers`.

    Raises:
        job.JobError: when a file of the step cannot be written.
    """
    set_outputs(job, outputs)
    write_tiers(job, tiers, since=since)


def notes_of(job: Job, documents: Sequence[Document], *, config: Path, pull: PullRequest | None) -> None:
    """Notes beside the code on one comparison, or on its tiers, the deciding one first; see `tell_page`."""
    repository = _checkout(job)

    def changed(class_name: str) -> list[ChangedLines]:
        base = repository.commit(f"origin/{pull.base.ref}") if repository and pull else None
        return changed_lines(repository, base=base, class_name=class_name) if repository and base else []

    for note in notes_on(documents, config=_from_top(job, config), budgets=BudgetLines(config), changed=changed):
        issue(note.command())


def tell_failure(job: Job, error: PacecarError) -> None:
    """That there is no verdict, and why.

    Raises:
        job.JobError: when a file of the step cannot be written.
    """
    set_outputs(job, NO_VERDICT)
    write_failure(job, error)
    issue(command("error", error.told, {"title": "Nothing was compared"}))


def _checkout(job: Job) -> Repository | None:
    try:
        return Repository.around(job.workspace)
    except (BuildError, OSError):
        return None


def _from_top(job: Job, path: Path) -> str:
    whole, top = path.resolve(), job.workspace.resolve()
    return str(whole.relative_to(top)) if whole.is_relative_to(top) else path.name
