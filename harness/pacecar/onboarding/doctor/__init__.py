"""What this machine can do, and what a configuration still leaves to chance: each lack with a remedy.

Looks at this machine only, never at the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pacecar.model.check import Check
from pacecar.onboarding.doctor import deployment, folders, load, machine, programs, quiet
from pacecar.system.resources import Resources

__all__ = ["Check", "examine"]


def examine(
    *,
    archive: Path = Path(".pacecar"),
    configuration: Path = Path("pacecar.toml"),
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Check, ...]:
    """Look at programs, machine and folders.

    Args:
        archive: the folder that runs will be kept in; need not exist yet.
        configuration: of the project, whose way to deploy says what else is looked for; need not exist yet.
        overrides: dotted key -> value in place of the configuration's.

    Returns:
        What was found. A comparison is possible when every `required` check is `ok`.
    """
    storage = folders.checks(archive)
    if not all(check.ok for check in storage if check.name == folders.STATE):
        # Resources keeps its ledger there: without it no program can be started, not even to ask for its version.
        return (*storage, *machine.checks(), *quiet.checks())
    with Resources() as resources:
        return (
            *programs.checks(resources),
            *deployment.checks(configuration, overrides),
            *machine.checks(),
            machine.clock_of_another_process(resources),
            *quiet.checks(),
            *storage,
            *load.checks(configuration),
        )
