"""A first `pacecar.toml`: look at a project, propose, and say honestly what was only guessed."""

from __future__ import annotations

import os
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.onboarding.initialise.examine import examine
from pacecar.onboarding.initialise.project import UnknownModule
from pacecar.onboarding.initialise.proposal import proposal, remarks_in
from pacecar.system.disk import durable

__all__ = ["InitialiseError", "propose", "remarks_in", "write"]

NAME = "pacecar.toml"
_NAMED_IN_A_HINT = 8


class InitialiseError(UsageError):
    """The first configuration cannot be written."""


def propose(directory: Path, *, module: str | None = None) -> str:
    """The text of a commented configuration for the project in `directory`; `config.load` accepts it.

    Args:
        directory: the project.
        module: folder of the service, in a project of several modules; None to choose.

    Raises:
        InitialiseError: when there is no such directory or module.
    """
    if not directory.is_dir():
        raise InitialiseError(
            f"{directory} is not a directory.", hint="Name the project's folder: pacecar init <folder>"
        )
    try:
        return proposal(examine(directory, module=_below(directory, module or "")))
    except UnknownModule as problem:
        raise InitialiseError(
            f"{directory} has no module {module!r}.", hint=_hint(directory / (module or ""), problem.known)
        ) from problem


def _below(directory: Path, module: str) -> str | None:
    """The folder of a module, as the project names it; None for the project itself."""
    place = os.path.relpath(os.path.normpath(directory.absolute() / module), directory.absolute())
    return None if place == os.curdir else place


def _hint(place: Path, known: tuple[str, ...]) -> str:
    if not known:
        return f"It has no modules at all. If that folder is a project of its own: pacecar init {place}"
    more = ", …" if len(known) > _NAMED_IN_A_HINT else ""
    return f"Name one of {', '.join(known[:_NAMED_IN_A_HINT])}{more}, as in: pacecar init --module {known[0]}"


def write(directory: Path, *, force: bool, module: str | None = None) -> Path:
    """Write what `propose` proposes to `pacecar.toml` in `directory`, and return its path.

    Args:
        directory: the project.
        force: replace a file that is there already.
        module: as in `propose`.

    Raises:
        InitialiseError: when the file exists and `force` is not given, or it cannot be written.
    """
    text = propose(directory, module=module)
    path = directory / NAME
    try:
        if force:  # not through a link, which a stranger's project may have in its place
            durable.write_text(path, text)
        else:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except FileExistsError as error:
        hint = f"Read it, or replace it: pacecar init {directory} --force"
        raise InitialiseError(f"{path} exists already.", hint=hint) from error
    except OSError as error:
        raise InitialiseError(f"{path} cannot be written: {error.strerror}.") from error
    return path
