"""The archive of a project: what is in its folder, and what is in the store it shares."""

from __future__ import annotations

from pathlib import Path

from pacecar.archive import RunError, archive_of
from pacecar.archive.baselines import Store, promote
from pacecar.archive.runs import RunDirectory, find_run, run_ids
from pacecar.archive.shared import Shared
from pacecar.archive.stores import shared_of, store_of
from pacecar.inputs import config
from pacecar.inputs.builds import again
from pacecar.inputs.config import Configuration
from pacecar.model.shared_archive import SharedArchive
from pacecar.system.resources import Resources


def shared_archive_at(config_path: Path) -> SharedArchive | None:
    """The shared store that this configuration file names; None when it names none, or there is no such file."""
    return config.load(config_path).archive if config_path.exists() else None


def store_at(config_path: Path) -> Store:
    """Where the project with this configuration file keeps its baselines; without a file, in its folder."""
    return store_of(archive_of(config_path), shared_archive_at(config_path))


def shared_at(config_path: Path) -> Shared | None:
    """The store that the project with this configuration file shares; None when there is none."""
    return shared_of(archive_of(config_path), shared_archive_at(config_path))


def archive_around(run: RunDirectory) -> Path:
    """The archive that `run` lies in."""
    return run.path.parent.parent


def stored_run(config_path: Path, name: str | None) -> RunDirectory:
    """The run called `name`: of the local archive, else of the shared store, from where it is fetched.

    Raises:
        RunError: when neither has it.
        StoreError: when the store cannot be asked.
    """
    archive = archive_of(config_path)
    try:
        return find_run(archive, name)
    except RunError:
        if not name or name in run_ids(archive):
            raise
        shared = shared_at(config_path)
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
    with Resources() as resources:
        content = again.content(build, built, resources=resources)
        return promote(run, branch, store, build=build, content=content).run_id
