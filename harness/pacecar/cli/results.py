"""The commands that look at what was recorded: judge, report, open."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive.runs import RunDirectory
from pacecar.cli.exits import FailOn
from pacecar.cli.options import ConfigOption, FailOption, JsonOption, RunArgument
from pacecar.cli.output import looked_at, write
from pacecar.cli.printing import say
from pacecar.cli.verdict import show
from pacecar.errors import UsageError
from pacecar.model.recording import RunState
from pacecar.model.tiers import Tier
from pacecar.reporting.comment import MARKER, comment
from pacecar.reporting.document import Document, load_document
from pacecar.reporting.html import render
from pacecar.reporting.junit import junit, junit_of_tiers
from pacecar.reporting.tiers import Tiers, tiers_comment
from pacecar.system.disk import durable
from pacecar.workflow import publish
from pacecar.workflow.evaluating import evaluate_again
from pacecar.workflow.experiments import judged_experiment
from pacecar.workflow.publishing import REPORT_NAME
from pacecar.workflow.stores import stored_run


class ReportFormat(StrEnum):
    """What a document can be rendered as."""

    HTML = "html"
    MARKDOWN = "markdown"
    JUNIT = "junit"


#: Format -> the file's name in the folder of the run, and how the text is made.
_FORMATS: dict[ReportFormat, tuple[str, Callable[[Document], str]]] = {
    ReportFormat.HTML: (REPORT_NAME, render),
    ReportFormat.MARKDOWN: ("comment.md", comment),
    ReportFormat.JUNIT: ("junit.xml", junit),
}


def judge(
    run_id: RunArgument = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    recorded_budgets: Annotated[
        bool, typer.Option("--recorded-budgets", help="Judge by the budgets the run was made with.")
    ] = False,
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Judge a run again, by today's budgets, without measuring."""
    run = stored_run(config_path, run_id)
    document = evaluate_again(run, config_path, recorded_budgets=recorded_budgets, note=_noted)
    publish(document, run)
    resumable = run.manifest.state is RunState.INTERRUPTED
    return show(document, folder=run.path, json=json, fail_on=fail_on, resumable=resumable)


def _noted(line: str) -> None:
    say(line, err=True)


def report(
    run_id: RunArgument = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    format_: Annotated[ReportFormat, typer.Option("--format", help="What to render.")] = ReportFormat.HTML,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it.")] = None,
    quick: Annotated[
        str | None,
        typer.Option("--quick", metavar="RUN", help="The quick tier's run of the same builds, reported beside it."),
    ] = None,
) -> int:
    """Render a run's document: the HTML report, or another format."""
    run = stored_run(config_path, run_id)
    name, rendered = _FORMATS[format_]
    if output is not None:
        looked_at(output, command="pacecar report")
    document = load_document(run.path)
    told = rendered(document) if quick is None else _of_both(stored_run(config_path, quick), run, format_)
    text = told.encode()
    if output is not None:
        write(output, text)
    else:
        durable.write_bytes(run.path / name, text)
    say(output or run.path / name, err=output is not None and not output.is_file())
    return 0


def _of_both(quick: RunDirectory, full: RunDirectory, format_: ReportFormat) -> str:
    """The document of the full tier and that of the quick one as one.

    Raises:
        UsageError: when they are not of these tiers or of other builds, or there is no such format of both.
    """
    for run, tier in ((quick, Tier.QUICK), (full, Tier.FULL)):
        if judged_experiment(run).plan.tier is not tier:
            raise UsageError(
                f"Run {run.path.name} is not of the {tier.value} tier.",
                hint="Name the run of the full tier first: pacecar report RUN --quick QUICK_RUN",
            )
    tiers = Tiers(quick=load_document(quick.path, profiles=False), full=load_document(full.path, profiles=False))
    digests = [
        [build.artifact_sha256 for build in each.provenance.builds] for each in (tiers.quick, tiers.full) if each
    ]
    if digests[0] != digests[1]:
        raise UsageError(
            f"The runs {quick.path.name} and {full.path.name} are not of the same builds.",
            hint="Measure both tiers of one state: pacecar compare --quick, then pacecar compare",
        )
    if format_ is ReportFormat.HTML:
        raise UsageError(
            "An HTML report covers one run.", hint="Use --format markdown or junit for both tiers together."
        )
    return junit_of_tiers(tiers) if format_ is ReportFormat.JUNIT else tiers_comment(tiers, marker=MARKER)


def open_report(run_id: RunArgument = None, config_path: ConfigOption = Path("pacecar.toml")) -> int:
    """Open the HTML report of a run in a browser; where there is none, print its path."""
    run = stored_run(config_path, run_id)
    path = (run.path / REPORT_NAME).resolve()
    if not path.exists():
        raise UsageError(f"Run {run.path.name} has no report yet.", hint=f"Make it: pacecar judge {run.path.name}")
    if not webbrowser.open(path.as_uri()):
        say(path)
    return 0
