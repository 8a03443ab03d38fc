"""The commands about recorded runs: list, store, prune."""

from __future__ import annotations

import json as jsonlib
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import archive_of, fetched, shared_history
from pacecar.archive.baselines import Store
from pacecar.archive.listing import ListedRun, all_runs, clear_removed, local_runs, remove_local, surplus
from pacecar.archive.names import made_at
from pacecar.archive.promotions import SharedStore
from pacecar.archive.runs import find_run, runs_folder
from pacecar.archive.shared import Shared, run_object
from pacecar.cli.options import ConfigOption, JsonOption, RunArgument
from pacecar.cli.printing import say, say_table
from pacecar.errors import UsageError
from pacecar.reporting.document import verdict_in
from pacecar.text.units import parse_duration_s
from pacecar.workflow.stores import shared_at, store_at

app = typer.Typer(help="Recorded runs: on this machine, and in the store it shares.", no_args_is_help=True)

_DAYS = re.compile(r"([0-9]{1,5})\s*d")
_SHOWN = 20


@app.command(name="list")
def list_runs(
    newest: Annotated[int, typer.Option("--newest", min=0, help="How many of the newest; 0 for all.")] = _SHOWN,
    config_path: ConfigOption = Path("pacecar.toml"),
    json: JsonOption = False,
) -> int:
    """List runs, newest last."""
    shared, archive = shared_at(config_path), archive_of(config_path)
    stored = () if shared is None else shared.newest(newest) if newest else shared.runs()
    runs = all_runs(local_runs(archive, newest=newest), stored)
    shown = runs[-newest:] if newest else runs
    verdicts = {run.run_id: verdict_in(runs_folder(archive) / run.run_id) or "" for run in shown}
    if json:
        say(jsonlib.dumps([_facts(run) | {"verdict": verdicts[run.run_id]} for run in shown], indent=2))
        return 0
    if not runs:
        say("no runs yet; make one: pacecar compare")
        return 0
    say_table(
        ("run", "kind", "state", "pairs", "verdict", "builds", "where"),
        [
            (
                run.run_id,
                run.kind or "",
                run.state,
                str(run.pairs),
                verdicts[run.run_id],
                ", ".join(run.builds),
                _where(run),
            )
            for run in shown
        ],
    )
    if len(shown) == newest:
        say(f"the newest {newest}; all: pacecar runs list --newest 0")
    return 0


@app.command()
def store(run_id: RunArgument = None, config_path: ConfigOption = Path("pacecar.toml")) -> int:
    """Put a run from this machine into the store it shares."""
    run = find_run(archive_of(config_path), run_id)
    shared = _required(shared_at(config_path))
    name = shared.put(run)
    shared_history.put(shared, name.run_id)
    say(f"{shared.bucket.url}/{run_object(name)}")
    return 0


@app.command()
def prune(
    keep: Annotated[int | None, typer.Option("--keep", min=1, help="How many of the newest runs to keep.")] = None,
    older_than: Annotated[str | None, typer.Option("--older-than", metavar="AGE", help="Such as 30d or 12h.")] = None,
    stored: Annotated[bool, typer.Option("--stored", help="In the shared store, instead of on this machine.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """Remove old runs. Baselines stay, and so does what is being measured."""
    if keep is None and older_than is None:
        raise UsageError("No option says which runs to remove.", hint="For example: pacecar runs prune --keep 50")
    age_s = _age_s(older_than) if older_than is not None else None
    if stored:
        removed = _prune_stored(_required(shared_at(config_path)), keep=keep, age_s=age_s, dry_run=dry_run)
    else:
        removed = _prune_local(archive_of(config_path), store_at(config_path), keep=keep, age_s=age_s, dry_run=dry_run)
    for run_id in removed:
        say(f"{'would remove' if dry_run else 'removed'} {run_id}")
    return 0


def _prune_local(archive: Path, store: Store, *, keep: int | None, age_s: float | None, dry_run: bool) -> list[str]:
    kept = set() if isinstance(store, SharedStore) else {baseline.run_id for baseline in store.baselines()}
    ids = [run.run_id for run in local_runs(archive)]
    going = surplus(ids, keep=keep, older_than_s=age_s, now=datetime.now(UTC)) - kept
    if dry_run:
        return sorted(going)
    clear_removed(archive)
    fetched.clear(archive)
    return remove_local(archive, going)


def _prune_stored(shared: Shared, *, keep: int | None, age_s: float | None, dry_run: bool) -> list[str]:
    names = {run_object(run): run.run_id for run in shared.runs()}
    needed = SharedStore(shared).needed
    stay = needed()
    ids = surplus(names.values(), keep=keep, older_than_s=age_s, now=datetime.now(UTC))
    going = [name for name, run_id in names.items() if run_id in ids and name not in stay]
    removed = going if dry_run else shared.remove(going, needed=needed)
    if not dry_run:
        shared.tidy()
        shared_history.tidy(shared)
    return [names[name] for name in removed]


def _required(shared: Shared | None) -> Shared:
    if shared is None:
        raise UsageError(
            "No shared store is configured.", hint='Name one in pacecar.toml: [archive] url = "s3://bucket/prefix"'
        )
    return shared


def _age_s(text: str) -> float:
    if match := _DAYS.fullmatch(text.strip()):
        return int(match[1]) * 86_400.0
    try:
        return parse_duration_s(text)
    except ValueError as error:
        raise UsageError(f"--older-than: {error}, or in days as 30d.") from error


def _facts(run: ListedRun) -> dict[str, object]:
    return {"run": run.run_id, "made": made_at(run.run_id)} | {
        name: value for name, value in asdict(run).items() if name != "run_id"
    }


def _where(run: ListedRun) -> str:
    if run.here and run.stored:
        return "here and stored"
    return "here" if run.here else "stored"
