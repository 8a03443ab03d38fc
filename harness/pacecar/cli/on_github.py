"""The commands of GitHub's workflows: compare, record, comment. Their options are the action's inputs, too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli import baselines, measure
from pacecar.cli import noise as noises
from pacecar.cli.exits import FailOn
from pacecar.cli.on_github_affected import compare_affected
from pacecar.cli.on_github_jobs import failure_told, history_kept
from pacecar.cli.on_github_tiers import JobRequest, TierChoice, compare_escalating, compare_once
from pacecar.cli.printing import say
from pacecar.cli.second_stage import comment
from pacecar.errors import UsageError
from pacecar.github.event import pull_request
from pacecar.github.identity import comparison_name
from pacecar.github.job import job_of
from pacecar.github.job_log import nothing_obeyed
from pacecar.github.noise_cache import noise_cache
from pacecar.github.outputs import set_outputs
from pacecar.github.summary import append_to_summary
from pacecar.model.options import PlanOptions
from pacecar.model.tiers import Tier
from pacecar.reporting import markdown
from pacecar.reporting.markdown import Markdown
from pacecar.workflow.affected import Against
from pacecar.workflow.escalation import Occasion, require_label
from pacecar.workflow.history import known
from pacecar.workflow.requests import against_itself, recording

app = typer.Typer(
    help="In GitHub Actions: verdict, summary, notes and comment of a pull request.", no_args_is_help=True
)

_Config = Annotated[Path, typer.Option("--config", "-c", envvar="PACECAR_CONFIG", help="The configuration file.")]
_Settings = Annotated[
    str | None,
    typer.Option(
        "--settings", envvar="PACECAR_SETTINGS", metavar="LINES", help="KEY=VALUE as for --set, one per line."
    ),
]
_Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline", envvar="PACECAR_BASELINE", help="A build; by default, where a pull request left its base."
    ),
]
_Candidate = Annotated[
    str | None,
    typer.Option("--candidate", envvar="PACECAR_CANDIDATE", help="A build; by default, a pull request's checkout."),
]
_FailOn = Annotated[FailOn, typer.Option("--fail-on", envvar="PACECAR_FAIL_ON", help="Which verdict fails the step.")]
_Name = Annotated[
    str | None,
    typer.Option(
        "--name", envvar="PACECAR_NAME", help="The comparison's name; by default made of workflow, job, matrix, config."
    ),
]


app.command()(comment)


@app.command("name")
def name_it(
    name: _Name = None,
    matrix: Annotated[
        str | None,
        typer.Option("--matrix", envvar="PACECAR_MATRIX", metavar="JSON", help="The job's matrix values."),
    ] = None,
    config_path: _Config = Path("pacecar.toml"),
) -> int:
    """Print the name of this job's comparison, which its comment, artifacts and caches carry; output cache keys too."""
    job = job_of(os.environ)
    found = comparison_name(os.environ, given=name, matrix=matrix, config=config_path)
    set_outputs(job, {"name": found} | noise_cache(os.environ, job, name=found, config=config_path).outputs())
    say(found)
    return 0


@app.command()
def compare(
    baseline: _Baseline = None,
    candidate: _Candidate = None,
    settings: _Settings = None,
    config_path: _Config = Path("pacecar.toml"),
    fail_on: _FailOn = FailOn.REGRESSION,
    name: _Name = None,
    affected: Annotated[
        bool,
        typer.Option("--affected", envvar="PACECAR_AFFECTED", help="Every service of the repository, if it changed."),
    ] = False,
    tier: Annotated[
        TierChoice, typer.Option("--tier", envvar="PACECAR_TIER", help="One tier; or the full one after a quick one.")
    ] = TierChoice.FULL,
    full_label: Annotated[
        str | None,
        typer.Option(
            "--full-label", envvar="PACECAR_FULL_LABEL", help="The label of a pull request that asks for the full tier."
        ),
    ] = None,
    in_cluster: Annotated[
        bool,
        typer.Option("--in-cluster", envvar="PACECAR_IN_CLUSTER", help="A cluster measures, as for pacecar submit."),
    ] = False,
) -> int:
    """Compare two builds and report on the job's page: outputs, summary, annotations. It never posts a comment."""
    job = job_of(os.environ)
    called = comparison_name(os.environ, given=name, matrix=None, config=config_path)
    pull = pull_request(job)
    asks_for_full = require_label(full_label)
    base = f"origin/{pull.base.ref}" if pull else None
    if affected:
        if in_cluster:
            raise UsageError(
                "A cluster measures one service at a time.",
                hint="Give each a job of its own: a matrix over their configurations.",
            )
        with failure_told(job):
            if not (against := baseline or base):
                raise UsageError(
                    "There is no commit to compare the services with.",
                    hint="Outside a pull request, give the action one: baseline: origin/main",
                )
        each = Against(base=against, candidate=candidate or "HEAD", settings=_lines(settings), tier=tier.of_several())
        return compare_affected(job, each, folder=config_path.parent, fail_on=fail_on, name=called, pull=pull)
    asked = JobRequest(
        config=config_path,
        baseline=baseline or (f"ref:{base}" if base else None),
        candidate=candidate or ("HEAD" if pull else None),
        settings=_lines(settings),
        name=called,
        fail_on=fail_on,
        pull=pull,
        in_cluster=in_cluster,
    )
    if tier is not TierChoice.ESCALATE:
        return compare_once(job, asked, Tier(tier.value))
    labels = [label.name for label in pull.labels] if pull else []
    return compare_escalating(job, asked, Occasion(event=job.event, labels=labels, full_label=asks_for_full))


@app.command()
def record(
    branch: Annotated[
        str, typer.Option("--branch", envvar="PACECAR_BRANCH", help="The branch whose baseline it becomes.")
    ],
    build: Annotated[str, typer.Option("--build", envvar="PACECAR_CANDIDATE", help="What is measured.")] = "HEAD",
    settings: _Settings = None,
    config_path: _Config = Path("pacecar.toml"),
) -> int:
    """Measure one build by itself and keep it as the baseline of a branch."""
    job = job_of(os.environ)
    with failure_told(job), nothing_obeyed():
        run = measure.recorded(recording(config_path, build=build, settings=_lines(settings)))
        baselines.promote(run.path.name, branch=branch, config_path=config_path)
    name = markdown.code(run.path.name)
    append_to_summary(job, Markdown.of("Recorded {name}, the newest baseline of its branch.\n", name=name))
    return 0


@app.command()
def noise(
    pairs: Annotated[int, typer.Option("--pairs", envvar="PACECAR_NOISE", min=3, max=100, help="How many.")] = 8,
    build: Annotated[str, typer.Option("--build", envvar="PACECAR_CANDIDATE", help="What is measured.")] = "HEAD",
    settings: _Settings = None,
    config_path: _Config = Path("pacecar.toml"),
) -> int:
    """Measure a build against itself, so that later comparisons on such a machine know its noise."""
    job = job_of(os.environ)
    with failure_told(job), nothing_obeyed():
        request = against_itself(config_path, build=build, plan=PlanOptions(pairs=pairs), settings=_lines(settings))
        run, code = noises.measured(request)
        say(known(run, request.experiment, archive=request.archive))
    set_outputs(job, {"history": history_kept(request.archive)})
    name, outcome = markdown.code(run.path.name), "its noise is unknown" if code else "its noise is kept"
    append_to_summary(
        job, Markdown.of("Measured a build against itself in {name}; {outcome}.\n", name=name, outcome=outcome)
    )
    return code


def _lines(settings: str | None) -> list[str]:
    return [line.strip() for line in (settings or "").splitlines() if line.strip()]
