"""Looking at a project: which build tool, then what its files say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pacecar.onboarding.initialise.gradle import gradle_project
from pacecar.onboarding.initialise.gradle_scripts import SCRIPTS, SETTINGS
from pacecar.onboarding.initialise.maven import maven_project
from pacecar.onboarding.initialise.project import Project, UnknownModule, undescribed


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
    return undescribed(directory)
