"""Running Maven: as a process we own, with a limit, and with its complaint turned into a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.system import environment
from pacecar.system.resources import Child, Resources
from pacecar.text import hidden
from pacecar.text.hidden import Struck

#: The one plugin that is called by its coordinates, because no build of a user's need name it.
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0"

_TIMEOUT_S = 900.0
_LONGEST_COMPLAINT = 300


class ToolchainError(UsageError):
    """Gatling, a simulation or an agent could not be resolved."""


@dataclass(frozen=True, kw_only=True)
class Maven:
    """Maven as installed here, with the user's own settings; it downloads what its local repository lacks.

    Attributes:
        resources: ends it with us.
        log_dir: where its output goes, a file per job.
        inherit: variables that it gets beside the usual.
    """

    resources: Resources
    log_dir: Path
    inherit: tuple[str, ...] = ()

    def run(self, *arguments: str, job: str, cwd: Path) -> None:
        """Run `mvn` with `arguments` in `cwd`.

        Args:
            arguments: goals and properties.
            job: what it is for, in a word or two joined by hyphens; names the log.
            cwd: folder of the project, or any folder when no goal needs one.

        Raises:
            ToolchainError: when it fails or takes longer than a quarter of an hour.
            UsageError: when there is no `mvn`.
        """
        log = self.log_dir / f"maven-{job}.log"
        log.unlink(missing_ok=True)
        command = ("mvn", "-q", "-B", "-ntp", *arguments)
        env = environment.of_build(self.inherit)
        with Struck.of({}, env).out_of_log(log):
            status, child = self.resources.run(command, name="Maven", log=log, timeout_s=_TIMEOUT_S, cwd=cwd, env=env)
        if status is None:
            raise ToolchainError(
                f"Maven needed more than {_TIMEOUT_S / 60:.0f} minutes for {job} in {cwd}.",
                hint=f"See how far it got in {log}, and check the connection to its repository.",
            )
        if status != 0:
            raise ToolchainError(
                f"Maven failed with exit status {status} on {job} in {cwd}: {_complaint(child)}.",
                hint=f"Read the rest in {log}; missing artifacts are fetched once, by a run with network access.",
            )


def _complaint(child: Child) -> str:
    lines = child.tail(400).splitlines()
    errors = [line.removeprefix("[ERROR]").strip() for line in lines if line.startswith("[ERROR]")]
    words = next((line for line in [*errors, *reversed(lines)] if line.strip()), "no output")
    return hidden.text(words)[:_LONGEST_COMPLAINT].rstrip(". ")
