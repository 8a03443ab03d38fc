"""Commands that measure in order to know how well one can measure: noise."""

from __future__ import annotations

import json as json_text
import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from pacecar.archive.runs import RunDirectory
from pacecar.cli import printing
from pacecar.cli.exits import FailOn
from pacecar.cli.measure import compared
from pacecar.cli.options import BuildOption, ConfigOption, DryOption, JsonOption, NoWaitOption, SeedOption, SetOption
from pacecar.cli.plan_text import describe, describe_json
from pacecar.cli.printing import cell, say
from pacecar.cli.verdict import show
from pacecar.model.comparison import Verdict, Visible
from pacecar.model.experiment import Experiment
from pacecar.model.options import PlanOptions
from pacecar.model.sizing import RAISED_TO
from pacecar.reporting.document import Document
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.text.units import format_duration
from pacecar.workflow import Request
from pacecar.workflow.noise import busy_in, visible_on_this_machine
from pacecar.workflow.planning import seconds_of_pair
from pacecar.workflow.publishing import share
from pacecar.workflow.requests import against_itself

#: Names of metrics up to so long stay on one line; beyond, they would leave a terminal no room for the figures.
_WIDEST = 40
#: Metrics without a figure that are named.
_NAMED = 5
_PairsOption = Annotated[int, typer.Option("--pairs", min=3, max=100, help="Pairs of the build against itself.")]


def noise(
    build: BuildOption = None,
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: _PairsOption = 8,
    seed: SeedOption = None,
    settings: SetOption = None,
    dry_run: DryOption = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> int:
    """Measure a build against itself: how noisy is this machine, and what can it see?"""
    plan = PlanOptions(pairs=pairs, seed=seed)
    request = against_itself(config_path, build=build, plan=plan, settings=settings or ())
    experiment = request.experiment
    if dry_run:
        say(describe_json(experiment) if json else describe(experiment))
        return 0
    return measured(request, wait=not no_wait, json=json)[1]


def measured(request: Request, *, wait: bool = True, json: bool = False) -> tuple[RunDirectory, int]:
    """Measure a build against itself, and print what can be seen on this machine.

    Args:
        request: from `against_itself`.
        wait: for another measurement on this machine to end.
        json: print the figures for a script.

    Returns:
        The run, and the exit code.
    """
    run, document = compared(request, wait=wait)
    share(run, archive=request.archive, shared=request.shared, note=lambda line: say(line, err=True))
    rows = visible_on_this_machine(run, request)
    if document.verdict is Verdict.INVALID or not rows:
        return run, show(document, folder=run.path, json=json, fail_on=FailOn.REGRESSION)
    if json:
        say(json_text.dumps([_plain(row) for row in rows], indent=2))
    else:
        printing.show(_table(rows, request.experiment))
        # One request at a time says nothing of the room that users leave a service.
        if not request.experiment.plan.quick and (said := room_of(busy_in(run))):
            say(said)
        say(f"Kept for later comparisons made like this one. The pairs: {run.path}")
    for line in lacking(document):
        say(line, err=json)
    return run, 0


def lacking(document: Document) -> list[str]:
    """What the figures do not rest on, and which are not there."""
    left_out = [
        f"Pair {pair.number} was left out: {pair.voided.rstrip('.')}." for pair in document.pairs if pair.voided
    ]
    if left_out:
        left_out = [f"The figures rest on {document.pairs_judged} of {document.pairs_planned} pairs.", *left_out]
    unknown = [each for each in document.judgements if each.estimate is None]
    more = len(unknown) - _NAMED
    return [
        *left_out,
        *(f"No figure for {_named(each)}: {each.reason}." for each in unknown[:_NAMED]),
        *([f"Nor for {more} more."] if more > 0 else []),
    ]


def _named(metric: JudgedMetric) -> str:
    """As budgets call it, like the rows of the table."""
    return f"{metric.endpoint} {metric.name}".strip()


def room_of(share: float) -> str:
    """What to tell of a service that used this share of its cores; "" where it is not known."""
    if math.isnan(share):
        return ""
    used = f"The service kept its cores busy for {100 * share:.0f}% of the time"
    if share <= RAISED_TO:
        return f"{used}."
    return (
        f"{used}. With less load its slowest requests wait for each other less, and p99 scatters less: "
        "pacecar size finds a load that fits."
    )


def _plain(row: Visible) -> dict[str, object]:
    return {
        "metric": row.metric.name,
        "endpoint": row.metric.endpoint,
        "noise": row.noise,
        "smallest_visible": {str(pairs): change for pairs, change in row.smallest.items()},
    }


def _table(rows: list[Visible], experiment: Experiment) -> Table:
    table = Table(title="Noise of a pair of identical builds, and the smallest worsening found with 80% probability")
    longest = max(len(row.metric.title) for row in rows)
    table.add_column("metric", no_wrap=longest <= _WIDEST, overflow="fold")
    table.add_column("noise per pair", justify="right", overflow="fold")
    each, numbers = seconds_of_pair(experiment), list(rows[0].smallest)
    for pairs in numbers:
        table.add_column(f"{pairs} pairs, {format_duration(pairs * each)}", justify="right", overflow="fold")
    for row in rows:
        sizes = [row.metric.shown(row.smallest[pairs]) for pairs in numbers]
        table.add_row(cell(row.metric.title), row.metric.shown(row.noise).lstrip("+"), *sizes)
    return table
