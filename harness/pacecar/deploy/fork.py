"""What every way of deploying offers: a fork, however it came up, and what its JVM sees of this machine.

`process` starts a command, `compose` a service of a compose file. The session knows neither: it has a `Way`, and of
each fork what stands in `Fork`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pacecar.deploy.jvm import Jvm
from pacecar.experiment import BuildRequest, Side
from pacecar.recording import ForkRecord


@dataclass(frozen=True, kw_only=True)
class ForkOrder:
    """One fork to be deployed.

    Attributes:
        request: the build: its JVM arguments and environment.
        side: which side the fork is of.
        jar: the build's jar; None where the build is an image.
        images: of a compose service and what it depends on, service -> id.
        folder: for its raw files: service log, GC log, logs of the hooks.
        scratch: a folder of its own, with a path short enough for a socket in it.
        cpus: the cores it will be measured on; empty when it is not pinned.
        aside: the cores of the load generator, where its compilers go.
    """

    request: BuildRequest
    side: Side
    jar: Path | None
    folder: Path
    scratch: Path
    images: Mapping[str, str] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What the JVM of a fork that is about to start sees of this machine.

    Attributes:
        host: address of this machine, as the fork reaches it and nobody else has to.
        scratch: a folder that the JVM may write to and load libraries from.
        counters: where its counter agent is to listen.
        seen: makes a file readable for the JVM, and says under which path it sees it.
    """

    host: str
    scratch: str
    counters: str
    seen: Callable[[Path], str]


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """What is attached to the JVM of a fork.

    Attributes:
        agents: Java agents, each what follows `-javaagent:`, in the order in which they start.
        env: their settings.
        secrets: settings that must not be written down.
    """

    agents: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


Attach = Callable[[Ground], Attachment]


@dataclass(frozen=True, kw_only=True)
class Containers:
    """Processes of a fork that runs in containers, each by an id of this machine.

    Attributes:
        service: in the container of the service.
        dependencies: the first process of each container that the service depends on.
        carriers: what carries its published port to it.
    """

    service: int
    dependencies: tuple[int, ...] = ()
    carriers: tuple[int, ...] = ()


class Fork(Protocol):
    """A fork that was started.

    Attributes:
        side: which build it runs.
        url: its address, `http://127.0.0.1:PORT`.
        socket: where its counter agent listens, if it carries one.
        cpus: the cores it is pinned to; empty while it is not.
        command: what was started, secrets by the name of their variable.
        ready_s: seconds from its start until `await_ready` saw it ready; 0 before.
        containers: the containers it runs in; None where it is a plain process.
    """

    side: Side
    url: str
    socket: Path
    cpus: tuple[int, ...]
    command: tuple[str, ...]
    ready_s: float
    containers: Containers | None

    @property
    def pid(self) -> int:
        """Process id of the service's JVM on this machine. Settled by `await_ready`."""

    @property
    def gc_log(self) -> Path:
        """The log of the JVM's collections and safepoints."""

    def await_ready(self) -> None:
        """Wait until the service answers with a 2xx status. Raises DeployError when it does not."""

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Keep the service, with threads it will have, on these cores; see `affinity.pin`."""

    def collect(self, timeout_s: float) -> None:
        """Have the JVM collect its whole heap; waits for at most `timeout_s`. Does nothing where it cannot be asked."""

    def check(self) -> None:
        """Raise ForkDied when the fork has ended, DeployError when something it depends on has."""

    def record(self, *, died: str = "") -> ForkRecord:
        """What a pair keeps of this fork. Asks the JVM, so not while a window is measured."""

    def stop(self) -> None:
        """End the fork with everything that came up for it. A second call does nothing."""


def record_of(fork: Fork, jvm: Jvm, *, died: str) -> ForkRecord:
    """What a pair keeps of `fork`, whatever its way."""
    return ForkRecord(
        side=fork.side,
        command=fork.command,
        jvm_flags=jvm.flags,
        jvm_version=jvm.version,
        ready_s=fork.ready_s,
        cpus=fork.cpus,
        died=died,
    )


class Way(Protocol):
    """A way of deploying forks of one target."""

    def why_not_both(self) -> str:
        """Why two forks cannot be up at once, in half a sentence; "" when they can."""

    def deploy(self, order: ForkOrder, attach: Attach) -> Fork:
        """Run the setup and start one fork; does not wait until it is ready. Raises DeployError."""
