"""The user's commands before a fork starts and after it has ended."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.deploy import DeployError
from pacecar.system.resources import Resources
from pacecar.text import hidden
from pacecar.text.hidden import NOTHING, Struck
from pacecar.text.units import format_duration

_TIMEOUT_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """How hooks of one fork are run.

    Attributes:
        resources: of their processes.
        directory: their working directory.
        env: their environment.
        folder: where their logs are put.
        struck: what is struck out of what they say.
    """

    resources: Resources
    directory: Path
    env: dict[str, str]
    folder: Path
    struck: Struck = NOTHING

    def run(self, what: str, commands: Iterable[tuple[str, ...]]) -> None:
        """Run `commands` one after the other, to the first that fails.

        Args:
            what: setup or reset.
            commands: argument lists.

        Raises:
            DeployError: naming the command that failed.
        """
        for command in commands:
            status, child = self.resources.run(
                command,
                name=what,
                log=self.folder / f"{what}.log",
                timeout_s=_TIMEOUT_S,
                cwd=self.directory,
                env=self.env,
            )
            if status != 0:
                late = f"took longer than {format_duration(_TIMEOUT_S)}"
                ended = late if status is None else f"ended with status {status}"
                shown = shlex.join(hidden.arguments(command))
                raise DeployError(f"The {what} command `{shown}` {ended}.", hint=self.struck.out_of(child.tail()))
