"""The commands about stored baselines: promote, list, show, prune, verify."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pacecar.archive import RunError, baselines
from pacecar.archive.baselines import Baseline
from pacecar.archive.runs import RunDirectory, find
from pacecar.cli.experiments import archive_of
from pacecar.cli.options import ConfigOption, JsonOption, RunArgument

app = typer.Typer(help="Recordings kept as baselines of a branch.", no_args_is_help=True)

BranchOption = Annotated[str, typer.Option("--branch", help="The branch it is the baseline of.")]


@app.command()
def promote(
    run_id: RunArgument = "", branch: BranchOption = "main", config_path: ConfigOption = Path("pacecar.toml")
) -> int:
    """Keep a recording as the newest baseline of a branch."""
    archive = archive_of(config_path)
    kept = baselines.promote(find(archive, run_id), branch=branch, root=archive)
    typer.echo(f"{kept.run_id} is the baseline of {branch}")
    typer.echo(f"Next: pacecar compare --stored {branch}")
    return 0


@app.command(name="list")
def list_baselines(config_path: ConfigOption = Path("pacecar.toml"), json: JsonOption = False) -> int:
    """List the baselines of every branch, newest last."""
    rows = [_facts(each) for each in baselines.list_baselines(archive_of(config_path))]
    if json:
        typer.echo(jsonlib.dumps(rows, indent=2))
        return 0
    if not rows:
        typer.echo("no baselines yet; make one: pacecar record, then pacecar baseline promote")
        return 0
    table = Table("branch", "run", "made", "build", "forks", box=None)
    for facts in rows:
        table.add_row(*(facts[name] for name in ("branch", "run", "made", "build", "forks")))
    Console().print(table)
    return 0


@app.command()
def show(
    branch: Annotated[str, typer.Argument(help="The branch.")] = "main",
    config_path: ConfigOption = Path("pacecar.toml"),
    json: JsonOption = False,
) -> int:
    """Show the newest baseline of a branch."""
    baseline = baselines.show(archive_of(config_path), branch)
    machine = RunDirectory.open(baseline.path).manifest.machine
    facts = _facts(baseline) | {
        "machine": f"{machine.cores} cores of {machine.cpu_model}",
        "folder": str(baseline.path),
    }
    if json:
        typer.echo(jsonlib.dumps(facts, indent=2))
        return 0
    for name, value in facts.items():
        typer.echo(f"{name:8} {value}")
    return 0


@app.command()
def prune(
    keep: Annotated[int, typer.Option("--keep", min=1, help="Newest baselines of each branch that stay.")] = 10,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Remove old baselines of every branch."""
    for baseline in baselines.prune(archive_of(config_path), keep=keep):
        typer.echo(f"removed {baseline.run_id} of {baseline.branch}")
    return 0


@app.command()
def verify(config_path: ConfigOption = Path("pacecar.toml")) -> int:
    """Read every baseline to its end."""
    count, damaged = baselines.verify(archive_of(config_path))
    for sentence in damaged:
        typer.echo(sentence)
    if damaged:
        raise RunError(
            f"{len(damaged)} of {count} baselines cannot be read.",
            hint="Remove their folders and promote a new recording: pacecar record, then pacecar baseline promote",
        )
    typer.echo(f"{count} baseline{'' if count == 1 else 's'}, all readable")
    return 0


def _facts(baseline: Baseline) -> dict[str, str]:
    run = RunDirectory.open(baseline.path)
    built = next(iter(run.manifest.builds.values()))
    return {
        "branch": baseline.branch,
        "run": baseline.run_id,
        "made": run.manifest.created,
        "promoted": baseline.promoted,
        "build": f"{built.label} {built.commit[:10]}".strip(),
        "forks": str(len(run.pair_numbers())),
    }
