"""Commands that measure in order to know how well one can measure: noise."""

from __future__ import annotations

import json as json_text
import math
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pacecar import config
from pacecar.archive.history import design_of, recall_run
from pacecar.cli.conclude import conclude, show
from pacecar.cli.exits import FailOn
from pacecar.cli.experiments import archive_of, as_options, experiment_of, overrides_of, pinned
from pacecar.cli.measure import BuildOption, measured, ordered
from pacecar.cli.options import ConfigOption, DryOption, JsonOption, SeedOption, SetOption
from pacecar.cli.plan_text import describe, describe_json, seconds_of_pair
from pacecar.cli.stores import put_finished
from pacecar.comparison import Verdict
from pacecar.experiment import Experiment, Side
from pacecar.judge.reasons import show_change
from pacecar.judge.validity import busy, sift
from pacecar.recording import RunKind
from pacecar.report.document import Document
from pacecar.report.document.shapes import JudgedMetric
from pacecar.studies.noise import PAIRS, Visible, visible
from pacecar.units import format_duration

#: Share of its cores up to which a load is not worth a word: at 36 % p99 of the sample's list scattered by 10 %
#: from pair to pair, at a half by a factor of five.
_QUIET = 0.40
#: Names of metrics up to so long stay on one line; beyond, they would leave a terminal no room for the figures.
_WIDEST = 40
#: Metrics without a figure that are named.
_NAMED = 5
_PairsOption = Annotated[int, typer.Option("--pairs", min=3, max=100, help="Pairs of the build against itself.")]


def register(app: typer.Typer) -> None:
    """Add these commands to `app`."""
    app.command()(noise)


def noise(
    build: BuildOption = "",
    config_path: ConfigOption = Path("pacecar.toml"),
    pairs: _PairsOption = 8,
    seed: SeedOption = None,
    settings: SetOption = None,
    dry_run: DryOption = False,
    json: JsonOption = False,
) -> int:
    """Measure a build against itself: how noisy is this machine, and what can be seen on it?"""
    overrides = overrides_of(settings or ()) | {"plan.stop_early": "false"}
    configuration = config.load(config_path, overrides=overrides)
    same = build or configuration.baseline
    options = {"baseline": same, "candidate": same, "pairs": str(pairs)} | ({} if seed is None else {"seed": str(seed)})
    experiment = experiment_of(configuration, options=options, sides=(Side.BASELINE, Side.CANDIDATE))
    options |= as_options(overrides) | pinned(experiment)
    if dry_run:
        typer.echo(describe_json(experiment) if json else describe(experiment))
        return 0
    # Repeated, it is a comparison like any other: of a build with itself, to the last pair.
    order = ordered(configuration, experiment, kind=RunKind.PAIRED, options=options, command="compare")
    run = measured(order, None)
    document = conclude(run, experiment=experiment, archive=order.archive, just_measured=True)
    put_finished(run, archive=order.archive, wanted=configuration.archive)
    known = recall_run(archive_of(config_path), design_of(experiment, run.manifest.machine), run.manifest.run_id)
    rows = visible(known, budgets=experiment.budgets, queries=experiment.queries)
    if document.verdict is Verdict.INVALID or not rows:
        return show(document, folder=run.path, json=json, fail_on=FailOn.REGRESSION)
    if json:
        typer.echo(json_text.dumps([_plain(row) for row in rows], indent=2))
    else:
        Console().print(_table(rows, experiment))
        if said := room_of(busy(sift(list(run.pairs())).taking_part)):
            typer.echo(said)
        typer.echo(f"Kept for later comparisons made like this one. The pairs: {run.path}")
    for line in lacking(document):
        typer.echo(line, err=json)
    return 0


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
    """As budgets and the gate call it, like the rows of the table."""
    return f"{metric.endpoint} {metric.name}".strip()


def room_of(share: float) -> str:
    """What to tell of a service that used this share of its cores; "" where it is not known."""
    if math.isnan(share):
        return ""
    used = f"The service kept its cores busy for {100 * share:.0f}% of the time"
    if share <= _QUIET:
        return f"{used}."
    return f"{used}. With less load its slowest requests wait for each other less, and p99 scatters less: try a third."


def _plain(row: Visible) -> dict[str, object]:
    return {
        "metric": row.metric.name,
        "endpoint": row.metric.endpoint,
        "noise": row.noise,
        "smallest_visible": {str(pairs): change for pairs, change in row.smallest.items()},
    }


def _table(rows: list[Visible], experiment: Experiment) -> Table:
    table = Table(title="Noise of a pair of identical builds, and the smallest worsening found with 80 % probability")
    longest = max(len(row.metric.title) for row in rows)
    table.add_column("metric", no_wrap=longest <= _WIDEST, overflow="fold")
    table.add_column("noise per pair", justify="right", overflow="fold")
    each = seconds_of_pair(experiment)
    for pairs in PAIRS:
        table.add_column(f"{pairs} pairs, {format_duration(pairs * each)}", justify="right", overflow="fold")
    for row in rows:
        sizes = [show_change(row.metric, row.smallest[pairs]) for pairs in PAIRS]
        table.add_row(row.metric.title, show_change(row.metric, row.noise).lstrip("+"), *sizes)
    return table
