"""What a fork that is a service of a compose file needs of this machine."""

from __future__ import annotations

from pacecar.measurement.deploy import ports
from pacecar.model.check import Check
from pacecar.model.experiment import Target
from pacecar.system import engine
from pacecar.system.engine import EngineError, compose


def checks(target: Target | None) -> tuple[Check, ...]:
    """Whether the engine answers and Compose is there, and a fixed port; for None, when no target is deployed this way,
    what there would be for one.
    """
    needed = target is not None
    only = "" if needed else 'only for target.deploy = "compose": '
    found = []
    for name, look in (("container engine", engine.version), ("docker compose", compose.version)):
        try:
            found.append(Check(name=name, ok=True, found=look(), required=needed))
        except EngineError as error:
            remedy = f"{only}{error.hint or 'see what it says: docker version'}"
            found.append(Check(name=name, ok=False, found=error.message, remedy=remedy, required=needed))
    return (*found, *ports.checks(target.port if target else None))
