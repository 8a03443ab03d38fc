"""The commands that look at what was recorded: judge, report, open."""

from __future__ import annotations

import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pacecar import config
from pacecar.archive.runs import find
from pacecar.cli.conclude import REPORT_NAME, conclude, show
from pacecar.cli.exits import FailOn
from pacecar.cli.experiments import archive_of, experiment_of_run
from pacecar.cli.options import ConfigOption, FailOption, JsonOption, RunArgument
from pacecar.errors import UsageError
from pacecar.report.document import load_document
from pacecar.report.html import write_report


def register(app: typer.Typer) -> None:
    """Add these commands to `app`."""
    app.command()(judge)
    app.command()(report)
    app.command(name="open")(open_report)


def judge(
    run_id: RunArgument = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    recorded_budgets: Annotated[
        bool, typer.Option("--recorded-budgets", help="Judge by the budgets the run was made with.")
    ] = False,
    fail_on: FailOption = FailOn.REGRESSION,
    json: JsonOption = False,
) -> int:
    """Judge a run again, by today's budgets, without measuring."""
    archive = archive_of(config_path)
    run = find(archive, run_id)
    experiment = experiment_of_run(run)
    if not recorded_budgets and config_path.exists():
        today = config.load(config_path)
        experiment = replace(experiment, budgets=today.budgets, gate=today.gate)
    document = conclude(run, experiment=experiment, archive=archive)
    return show(document, folder=run.path, json=json, fail_on=fail_on)


def report(
    run_id: RunArgument = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it.")] = None,
) -> int:
    """Render the HTML report of a run from its document."""
    run = find(archive_of(config_path), run_id)
    path = output or run.path / REPORT_NAME
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", hint=f"Name a file: pacecar report --output {path / REPORT_NAME}")
    write_report(load_document(run.path), path)
    typer.echo(path)
    return 0


def open_report(run_id: RunArgument = "", config_path: ConfigOption = Path("pacecar.toml")) -> int:
    """Open the HTML report of a run in a browser; where there is none, print its path."""
    run = find(archive_of(config_path), run_id)
    path = (run.path / REPORT_NAME).resolve()
    if not path.exists():
        raise UsageError(f"Run {run.path.name} has no report yet.", hint=f"Make it: pacecar judge {run.path.name}")
    if not webbrowser.open(path.as_uri()):
        typer.echo(path)
    return 0
