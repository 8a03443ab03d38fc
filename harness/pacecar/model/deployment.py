"""How one fork of a target is started: each way a shape of its own, with the fields that apply to it.

To add one: a shape here, its keys in `inputs.config.deployment`, its deployer in `measurement.deploy.deployers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What sets a deployment apart from others of the same target.
Identity = Mapping[str, str | float | int | Path | tuple[str, ...] | None]


@dataclass(frozen=True, kw_only=True)
class ProcessDeployment:
    """A fork is a process of its own.

    Attributes:
        command: argument list; `{artifact}`, `{port}`, `{java}` and `{fork}` (a scratch folder) are filled in.
    """

    command: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments that a fork is started with, in which the user may have put credentials."""
        return self.command

    @property
    def inherit(self) -> tuple[str, ...]:
        """Variables of Pacecar's own environment that what deploys gets beside the usual."""
        return ()

    @property
    def summary(self) -> str | None:
        """What a plan says of it beside the target's name; None for nothing."""
        return None

    @property
    def identity(self) -> Identity:
        """All that may change how a fork of one build behaves, so that noise is remembered for each way by itself."""
        return {"deploy": "process", "command": self.command}


@dataclass(frozen=True, kw_only=True)
class ComposeDeployment:
    """A fork is a service of the user's own compose file, with what it depends on.

    Attributes:
        file: the compose file.
        service: name of the service in it.
        port: where it listens inside its container; None for the only port that the file names.
        jar: path in the image at which a build's jar is mounted; None where the build is an image.
        cpus: limit of CPU in cores; None as the file says.
        memory_bytes: limit of memory; likewise.
        inherit: variables of Pacecar's own environment that Compose gets beside the usual, to fill them in.
    """

    file: Path
    service: str
    port: int | None = None
    jar: str | None = None
    cpus: float | None = None
    memory_bytes: int | None = None
    inherit: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """See `ProcessDeployment`; those of a container stand in the compose file."""
        return ()

    @property
    def summary(self) -> str | None:
        """See `ProcessDeployment`."""
        return f"service {self.service} of {self.file.name}"

    @property
    def identity(self) -> Identity:
        """See `ProcessDeployment`."""
        return {
            "deploy": "compose",
            "file": self.file,
            "service": self.service,
            "port": self.port,
            "jar": self.jar,
            "cpus": self.cpus,
            "memory_bytes": self.memory_bytes,
            "inherit": self.inherit,
        }


#: One of the ways.
Deployment = ProcessDeployment | ComposeDeployment
