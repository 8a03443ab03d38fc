"""The commands about stored baselines: promote, list, show, prune, verify."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import RunError, baselines
from pacecar.archive.baselines import Baseline
from pacecar.archive.names import made_at
from pacecar.cli.options import ConfigOption, JsonOption, RunArgument
from pacecar.cli.printing import say, say_table
from pacecar.inputs import config
from pacecar.workflow.stores import promoted, store_at, stored_run

app = typer.Typer(help="Recordings kept as baselines of a branch.", no_args_is_help=True)

BranchOption = Annotated[str, typer.Option("--branch", help="The branch whose baseline it becomes.")]


@app.command()
def promote(
    run_id: RunArgument = None,
    branch: BranchOption = "main",
    artifact: Annotated[
        bool, typer.Option("--artifact", help="Keep the artifact itself, so that its commit need not be built again.")
    ] = False,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Keep a recording as the newest baseline of a branch, with what it takes to deploy its build again."""
    run = stored_run(config_path, run_id)
    baselines.check_promotable(run, branch)
    configuration = config.load(config_path) if config_path.exists() else None
    kept = promoted(run, branch, store=store_at(config_path), configuration=configuration, artifact=artifact)
    say(f"{kept} is the baseline of {branch}")
    say(f"Next: pacecar compare --baseline baseline:{branch} (side by side), or --stored {branch}")
    return 0


@app.command(name="list")
def list_baselines(config_path: ConfigOption = Path("pacecar.toml"), json: JsonOption = False) -> int:
    """List the baselines of every branch, newest last."""
    store = store_at(config_path)
    rows = [_facts(each) for each in baselines.list_baselines(store)]
    for sentence in store.damaged():
        say(f"left out: {sentence}", err=True)
    if json:
        say(jsonlib.dumps(rows, indent=2))
        return 0
    if not rows:
        say("no baselines yet; make one: pacecar record, then pacecar baseline promote")
        return 0
    columns = ("branch", "run", "made", "build", "forks")
    say_table(columns, [[facts[name] for name in columns] for facts in rows])
    return 0


@app.command()
def show(
    branch: Annotated[str, typer.Argument(help="The branch.")] = "main",
    config_path: ConfigOption = Path("pacecar.toml"),
    json: JsonOption = False,
) -> int:
    """Show the newest baseline of a branch."""
    store = store_at(config_path)
    baseline = baselines.find_baseline(store, branch)
    run = store.run_of(baseline)
    machine = run.manifest.machine
    facts = _facts(baseline) | {
        "machine": f"{machine.cores} cores of {machine.cpu_model}",
        "folder": str(run.path),
        "kept at": baseline.location,
    }
    if json:
        say(jsonlib.dumps(facts, indent=2))
        return 0
    for name, value in facts.items():
        say(f"{name:8} {value}")
    return 0


@app.command()
def prune(
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="How many of the newest baselines of each branch to keep.")
    ] = 10,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Remove old baselines of every branch."""
    for baseline in baselines.prune(store_at(config_path), keep=keep):
        say(f"removed {baseline.run_id} of {baseline.branch}")
    return 0


@app.command()
def verify(config_path: ConfigOption = Path("pacecar.toml")) -> int:
    """Read every baseline to its end."""
    count, damaged = baselines.verify(store_at(config_path))
    for sentence in damaged:
        say(sentence)
    if damaged:
        raise RunError(
            f"{len(damaged)} of {count} baselines cannot be read.",
            hint="Promote a new recording, which takes their place: pacecar record, then pacecar baseline promote",
        )
    say(f"{count} baseline{'' if count == 1 else 's'}, all readable")
    return 0


def _facts(baseline: Baseline) -> dict[str, str]:
    return {
        "branch": baseline.branch,
        "run": baseline.run_id,
        "made": made_at(baseline.run_id),
        "promoted": baseline.promoted,
        "build": baseline.build,
        "forks": str(baseline.forks),
    }
