"""What a fork that is a process needs of this machine beside Java, which the load generator needs as well."""

from __future__ import annotations

import shutil

from pacecar.measurement.deploy import ports
from pacecar.model.check import Check
from pacecar.model.deployment import Dependency
from pacecar.model.experiment import Target
from pacecar.system import paths

_JAVA, _ARTIFACT = "{java}", "{artifact}"


def checks(target: Target | None) -> tuple[Check, ...]:
    """The program of each dependency, and a fixed port; nothing for None, when no target is deployed this way."""
    if target is None:
        return ()
    # What is in a build is there once it is built.
    wanted = [each for each in target.deployment.dependencies if _ARTIFACT not in each.command[0]]
    return (*map(_program, wanted), *ports.checks(target.port))


def _program(dependency: Dependency) -> Check:
    name, program = f"dependency {dependency.name}", dependency.command[0].replace(_JAVA, str(paths.java()))
    # As the kernel finds it: on the PATH, or by a path that is meant from the working directory.
    found = shutil.which(str(dependency.directory / program) if "/" in program else program)
    if found is None:
        remedy = f"install it, or name another program in its command under [[target.dependencies]]: {dependency.name}"
        return Check(name=name, ok=False, found=f"{program} cannot be run", remedy=remedy)
    return Check(name=name, ok=True, found=found)
