"""What can go wrong, as exceptions that become one sentence and an exit code.

    PacecarError
    ├── UsageError            2   the command, the configuration or a build is wrong
    │   ├── config.ConfigError
    │   ├── builds.BuildError
    │   ├── archive.RunError
    │   ├── archive.StoreError
    │   ├── cli.bisect.NothingToFind
    │   ├── github.job.JobError, github.event.EventError
    │   ├── github.pulls.NoPullRequest, github.artifact.ArtifactError
    │   └── report.document.DocumentError
    ├── MeasurementError      3   nothing trustworthy could be measured
    │   ├── deploy.DeployError
    │   │   └── deploy.ForkDied
    │   ├── load.errors.LoadError
    │   │   └── load.simulation_log.LogError
    │   ├── toolchain.ToolchainError
    │   ├── observe.counters.CountersMissing
    │   ├── observe.process.ProcessGone
    │   ├── observe.yardstick.YardstickFailed
    │   ├── receiver.server.ProfileMissing
    │   ├── archive.ArchiveFull
    │   └── cli.searching.NotToBeTrusted
    ├── cli.bisect.NotCertain 4   the user asked for a decision, and there is none
    ├── github.client.GitHubError 2   GitHub refused or could not be reached
    └── Interrupted         130   the user, or a signal, ended it

Each subclass lives beside the code that raises it. `cli` is the only place that prints them.
"""

from __future__ import annotations

from typing import ClassVar


class PacecarError(Exception):
    """A failure the user can act on.

    Args:
        message: one sentence: what is wrong and where (file, line, key).
        hint: the next command to try, or the remedy; shown on a line of its own.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(PacecarError):
    """The command, the configuration or a build is wrong: nothing was measured."""

    exit_code = 2


class MeasurementError(PacecarError):
    """The measurement could not be made or cannot be trusted."""

    exit_code = 3


class Interrupted(PacecarError):
    """Ended by the user or by a signal; what was measured stays readable."""

    exit_code = 130
