"""The programs of what a target needs beside it, where there is a configuration to say so."""

from __future__ import annotations

import shutil
from pathlib import Path

from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.model.deployment import Dependency
from pacecar.onboarding.doctor.check import Check
from pacecar.system import paths

_JAVA, _ARTIFACT = "{java}", "{artifact}"


def checks(configuration: Path) -> tuple[Check, ...]:
    """One for each dependency in the file `configuration`; none where there is no such file."""
    if not configuration.exists():
        return ()
    try:
        wanted = config.load(configuration).target.deployment.dependencies
    except ConfigError as error:
        remedy = error.hint or "docs/reference/configuration.md lists every key"
        return (Check(name="configuration", ok=False, found=error.message, remedy=remedy, required=False),)
    # What is in a build is there once it is built.
    return tuple(_program(each) for each in wanted if _ARTIFACT not in each.command[0])


def _program(dependency: Dependency) -> Check:
    name, program = f"dependency {dependency.name}", dependency.command[0].replace(_JAVA, str(paths.java()))
    # As the kernel finds it: on the PATH, or by a path that is meant from the working directory.
    found = shutil.which(str(dependency.directory / program) if "/" in program else program)
    if found is None:
        remedy = f"install it, or name another program in its command under [[target.dependencies]]: {dependency.name}"
        return Check(name=name, ok=False, found=f"{program} cannot be run", remedy=remedy)
    return Check(name=name, ok=True, found=found)
