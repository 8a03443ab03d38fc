"""Looking at a project: which build tool, then what its files say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise.gradle import gradle_project
from pacecar.onboarding.initialise.gradle_scripts import SCRIPTS, SETTINGS
from pacecar.onboarding.initialise.maven import maven_project
from pacecar.onboarding.initialise.other_builds import other_build
from pacecar.onboarding.initialise.project import FOLDER, Project, UnknownModule, undescribed

_MOST_NAMES = 1_000
_NAMED_IN_A_REMARK = 5


def examine(directory: Path, *, module: str | None = None) -> Project:
    """The project in `directory`. Whatever its files hold, something comes out, unless a module is missing.

    Args:
        directory: the project.
        module: folder of the service, in a project of several modules; None to choose.

    Raises:
        UnknownModule: when there is no such module.
    """
    place = directory.absolute()
    versioned = any((folder / ".git").exists() for folder in (place, *place.parents))
    return replace(_by_build_tool(directory, module), versioned=versioned)


def _by_build_tool(directory: Path, module: str | None) -> Project:
    gradle = any((directory / name).exists() for name in (*SCRIPTS, *SETTINGS))
    if (directory / "pom.xml").exists():
        project = maven_project(directory, module=module)
        both = ("Maven was chosen; there are Gradle files too",) if gradle else ()
        return replace(project, remarks=(*project.remarks, *both))
    if gradle:
        return gradle_project(directory, module=module)
    if module is not None:
        raise UnknownModule
    project, build = undescribed(directory), other_build(directory)
    remarks = (*project.remarks, *((build.remark,) if build else ()), *_elsewhere(directory))
    return replace(project, unread=build, remarks=remarks)


def _elsewhere(directory: Path) -> Iterator[str]:
    """Where else to look, in a folder that holds services but is none."""
    try:
        names = sorted(path.name for path in islice(directory.iterdir(), _MOST_NAMES))
    except OSError:
        return
    services = [name for name in names if FOLDER.fullmatch(name) and _is_built(directory / name)]
    if services:
        told = ", ".join(services[:_NAMED_IN_A_REMARK]) + (", …" if len(services) > _NAMED_IN_A_REMARK else "")
        yield f"there are projects in {told}; for one of them: pacecar init {services[0]}"


def _is_built(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("pom.xml", *SCRIPTS))
