"""The archive of a project as commands see it: what is in its folder, and what is in the store it shares."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.markup import escape

from pacecar import config
from pacecar.archive import RunError
from pacecar.archive.baselines import Store, promote
from pacecar.archive.runs import RunDirectory, find, run_ids
from pacecar.archive.shared import Shared
from pacecar.archive.stores import shared_of, store_of
from pacecar.builds import again
from pacecar.cli.experiments import archive_of
from pacecar.config import Configuration
from pacecar.custody import Custody
from pacecar.errors import Interrupted, PacecarError
from pacecar.experiment import SharedArchive


def wanted_at(config_path: Path) -> SharedArchive | None:
    """The shared store that this configuration file names; None when it names none, or there is no such file."""
    return config.load(config_path).archive if config_path.exists() else None


def store_at(config_path: Path) -> Store:
    """Where the project with this configuration file keeps its baselines; without a file, in its folder."""
    return store_of(archive_of(config_path), wanted_at(config_path))


def shared_at(config_path: Path) -> Shared | None:
    """The store that the project with this configuration file shares; None when there is none."""
    return shared_of(archive_of(config_path), wanted_at(config_path))


def printable(text: str) -> str:
    """`text`, which may come from a store or a build, without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def cell(text: str) -> str:
    """`text` for a table in the terminal: without control characters or markup."""
    return escape(printable(text))


def put_finished(run: RunDirectory, *, archive: Path, wanted: SharedArchive | None) -> None:
    """Put a run that was just measured into the shared store, where there is one that takes all.

    The run is safe on this machine: that the store is down is said, and changes no verdict.
    """
    if wanted is None or not wanted.runs:
        return
    try:
        shared = shared_of(archive, wanted)
        if shared:
            shared.put(run)
    except PacecarError as error:
        if error.exit_code == Interrupted.exit_code:
            raise
        typer.echo(f"not stored: {error.message}", err=True)
        typer.echo(f"  The run is in {run.path}. Later: pacecar runs store {run.manifest.run_id}", err=True)
    else:
        typer.echo(f"stored in {wanted.url}", err=True)


def found(config_path: Path, name: str) -> RunDirectory:
    """The run called `name`: of the local archive, else of the shared store, from where it is fetched.

    Raises:
        RunError: when neither has it.
        StoreError: when the store cannot be asked.
    """
    archive = archive_of(config_path)
    try:
        return find(archive, name)
    except RunError:
        shared = shared_at(config_path) if name and name not in run_ids(archive) else None
        stored = shared.find(name) if shared else None
        if shared is None or stored is None:
            raise
        return shared.fetch(stored)


def promoted(
    run: RunDirectory, branch: str, *, store: Store, configuration: Configuration | None, artifact: bool
) -> str:
    """Keep `run` for `branch`, with what deploys its build again. Returns its id.

    Args:
        run: a recording of this machine.
        branch: as git calls it.
        store: where baselines are kept.
        configuration: says where the source lies.
        artifact: keep the artifact itself, even where a commit would do.
    """
    built = run.manifest.builds[run.manifest.promoted_side]
    build = again.stored(built, source=configuration.source if configuration else None, artifact=artifact)
    with Custody() as custody:
        content = again.content(build, built, custody=custody)
        return promote(run, branch, store, build=build, content=content).run_id
