"""`pacecar github compare --affected`: every service of the repository, told on one page and in one comment."""

from __future__ import annotations

from pathlib import Path

from pacecar.cli import affected, measure
from pacecar.cli.exits import FailOn
from pacecar.cli.on_github_jobs import failure_told, temporary_folder, verdict_stands
from pacecar.github.event import PullRequest
from pacecar.github.job import Job
from pacecar.github.job_log import command, issue, nothing_obeyed
from pacecar.github.joint import hand_on_all, outputs_of_all
from pacecar.github.publishing import notes_of, tell_parts
from pacecar.workflow.affected import Against


def compare_affected(
    job: Job, against: Against, *, folder: Path, fail_on: FailOn, name: str, pull: PullRequest | None
) -> int:
    """Compare every service with the base, and tell the job's page of all of them together.

    Args:
        job: whose page it is.
        against: what they are compared with.
        folder: in the repository.
        fail_on: which verdict fails the step.
        name: of the comparison.
        pull: the pull request, whose changes notes point at.

    Returns:
        The exit code of the whole.
    """
    with failure_told(job), nothing_obeyed():
        found = affected.outcomes(folder, against, compare=measure.compared)
        code = affected.show_all(found, json=False, fail_on=fail_on)
    parts, temporary = affected.parts_of(found), temporary_folder()
    told = [affected.plain(each, fail_on=fail_on) for each in found]
    outputs = outputs_of_all(found, parts, told=told, temporary=temporary)
    outputs["artifact-path"] = str(hand_on_all(found, name=name, temporary=temporary))
    with verdict_stands():
        tell_parts(job, parts, outputs=outputs)
        for each in found:
            if each.document is not None:
                notes_of(job, [each.document], config=each.service.config, pull=pull)
            elif each.failure is not None:
                issue(command("error", each.failure.message, {"title": f"{each.service.name}: nothing was compared"}))
    return code
