"""`pacecar github compare --tier`: one tier, or the quick one and, where it is called for, the full one after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pacecar.archive.runs import RunDirectory
from pacecar.cli import measure, submit
from pacecar.cli.exits import FailOn, exit_code, gravest
from pacecar.cli.on_github_jobs import failure_told, history_kept, temporary_folder, verdict_stands
from pacecar.cli.printing import say
from pacecar.cli.verdict import show
from pacecar.errors import PacecarError, UsageError
from pacecar.github.artifact import hand_on
from pacecar.github.event import PullRequest
from pacecar.github.job import Job
from pacecar.github.job_log import command, issue, nothing_obeyed
from pacecar.github.outputs import outputs_of
from pacecar.github.publishing import notes_of, tell_page, tell_tiers
from pacecar.github.summary import length_of_summary
from pacecar.github.tiers import NOT_ENDED, Room
from pacecar.model.tiers import Tier
from pacecar.reporting.document import Document
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.tiers import Tiers, headline
from pacecar.workflow import Request
from pacecar.workflow.escalation import Decision, Occasion, decided
from pacecar.workflow.experiments import overrides_of
from pacecar.workflow.history import known
from pacecar.workflow.publishing import REPORT_NAME, share
from pacecar.workflow.requests import comparison, in_tier


class TierChoice(StrEnum):
    """Which tiers of a comparison a job measures."""

    FULL = "full"
    QUICK = "quick"
    ESCALATE = "escalate"

    def of_several(self) -> Tier:
        """The tier that every service of a repository is compared in.

        Raises:
            UsageError: when each would have to decide for itself.
        """
        if self is TierChoice.ESCALATE:
            raise UsageError(
                "tier: escalate works for one service only, not with affected: true.",
                hint="With affected: true, use tier: quick or tier: full.",
            )
        return Tier(self.value)


@dataclass(frozen=True, kw_only=True)
class JobRequest:
    """What a job of GitHub Actions is to compare.

    Attributes:
        config: the configuration file.
        baseline, candidate: builds as users name them; None for those of the configuration.
        settings: keys of the configuration, as `KEY=VALUE`.
        name: of the comparison.
        fail_on: which verdict fails the step.
        pull: the pull request, whose changes notes point at.
        in_cluster: a cluster measures it, and not this job's machine.
    """

    config: Path
    baseline: str | None
    candidate: str | None
    settings: Sequence[str]
    name: str
    fail_on: FailOn
    pull: PullRequest | None
    in_cluster: bool = False


@dataclass(frozen=True, kw_only=True)
class _Measured:
    request: Request
    run: RunDirectory
    document: Document


def compare_once(job: Job, asked: JobRequest, tier: Tier) -> int:
    """Compare in one tier, and tell the job's page. Returns the exit code."""
    with failure_told(job), nothing_obeyed():
        measured = _measured(asked, tier)
    run, document = measured.run, measured.document
    outputs = outputs_of(document, tier=tier, report=run.path / REPORT_NAME, path=run.path / DOCUMENT_NAME)
    outputs["history"] = history_kept(measured.request.archive)
    outputs["artifact-path"] = str(hand_on(run.path / DOCUMENT_NAME, name=asked.name, temporary=temporary_folder()))
    with verdict_stands():
        tell_page(job, document, outputs=outputs, config=asked.config, pull=asked.pull)
    return exit_code(document.standing, asked.fail_on)


def compare_escalating(job: Job, asked: JobRequest, occasion: Occasion) -> int:
    """Compare in the quick tier and, where that is called for, in the full one, and tell the job's page of both.

    What the quick tier has found is told before the full one begins, and stays told whatever becomes of that.

    Args:
        job: whose page it is.
        asked: what is compared.
        occasion: what the job runs for.

    Returns:
        The exit code of both.
    """
    with failure_told(job), nothing_obeyed():
        quick = _measured(asked, Tier.QUICK)
        decision = _decision(quick, occasion)
    page = _Page(job=job, room=Room.below(temporary_folder(), name=asked.name), since=length_of_summary(job))
    told = Tiers(quick=quick.document, why=decision.why, failure=NOT_ENDED if decision.full else None)
    page.tell(told, [quick])
    full: _Measured | None = None
    failure: PacecarError | None = None
    if decision.full:
        full, failure = _after(asked, told)
        told = replace(told, full=full.document if full else None, failure=failure.message if failure else None)
        page.tell(told, [quick, *([full] if full else [])])
    with verdict_stands():
        notes_of(job, [told.deciding, *([told.other] if told.other else [])], config=asked.config, pull=asked.pull)
    return gravest([exit_code(told.standing, asked.fail_on), failure.exit_code if failure else 0])


@dataclass(frozen=True, kw_only=True)
class _Page:
    """The page of the job, told twice; `since` is where its summary goes on."""

    job: Job
    room: Room
    since: int

    def tell(self, tiers: Tiers, measured: Sequence[_Measured]) -> None:
        runs = dict(zip(tiers.measured, (each.run.path for each in measured), strict=True))
        self.room.hand_on(tiers, runs)
        outputs = self.room.outputs_of(tiers, runs) | {"history": history_kept(measured[0].request.archive)}
        with verdict_stands():
            tell_tiers(self.job, tiers, outputs=outputs, since=self.since)


def _decision(quick: _Measured, occasion: Occasion) -> Decision:
    decision = decided(
        quick.document,
        changed=quick.run.manifest.changed_classes,
        occasion=occasion,
        rule=quick.request.experiment.plan.escalation,
    )
    say(f"\n{decision.why}")
    return decision


def _after(asked: JobRequest, told: Tiers) -> tuple[_Measured | None, PacecarError | None]:
    """The full tier, or why it could not be measured; that is told, and what the quick one found stands."""
    try:
        with nothing_obeyed():
            full = _measured(asked, Tier.FULL)
            say(f"\n{headline(replace(told, full=full.document, failure=None))}")
    except PacecarError as error:
        issue(command("error", error.told, {"title": "The full tier was not measured"}))
        say(headline(replace(told, failure=error.message)))
        return None, error.with_traceback(None)
    return full, None


def _measured(asked: JobRequest, tier: Tier) -> _Measured:
    settings = in_tier(tier, asked.config, asked.settings)
    request = comparison(asked.config, baseline=asked.baseline, candidate=asked.candidate, settings=settings)
    if asked.in_cluster:
        run, document = submit.measured_in_cluster(request, overrides_of(settings), asked.config)
    else:
        run, document = measure.compared(request)
    show(document, folder=run.path, json=False, fail_on=asked.fail_on)
    if document.measured:
        say(known(run, request.experiment, archive=request.archive))
    share(run, archive=request.archive, shared=request.shared, note=lambda line: say(line, err=True))
    return _Measured(request=request, run=run, document=document)
