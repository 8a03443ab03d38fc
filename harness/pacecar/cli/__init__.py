"""The command `pacecar`: parse, call, print.

`measure` holds the commands that put builds under load, `bisect` the one that searches history with them, `study` those
that measure to know the noise, `results` those that look at what was recorded, `exports` what other tools may read of
it, `forward` what a profile server is sent, `baselines` the stored recordings, `runs` the recorded runs, `on_github`
what GitHub's workflows run, `machine` what concerns this computer and project.
"""

from __future__ import annotations

import os
import sys

import typer

from pacecar import __version__
from pacecar.cli import baselines, bisect, exports, forward, machine, measure, on_github, results, runs, study
from pacecar.cli.exits import guarded
from pacecar.github.job import is_github
from pacecar.github.job_log import let_nothing_through

app = typer.Typer(
    name="pacecar",
    help="Decides whether a build of a JVM service is slower than another, and names the frame.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for module in (measure, bisect, study, results, exports, forward, machine):
    module.register(app)
app.add_typer(baselines.app, name="baseline")
app.add_typer(runs.app, name="runs")
app.add_typer(on_github.app, name="github")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pacecar {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Decides whether a build of a JVM service is slower than another, and names the frame."""


def main() -> None:
    """Run the command line and leave with one of the documented exit codes."""
    if is_github(os.environ):
        let_nothing_through()
    sys.exit(guarded(app))
