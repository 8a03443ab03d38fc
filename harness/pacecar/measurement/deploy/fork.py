"""What every way of deploying offers: a fork, however it came up, and what its JVM sees of this machine.

`process` starts a command, `compose` a service of a compose file. The session knows neither: it has a `Deployer`, and
of each fork what stands in `Fork`. What all forks share, a JVM on this machine, stands there once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import psutil

from pacecar.inputs.builds.artifact import Artifact
from pacecar.measurement.deploy import affinity
from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.deploy.hooks import Hooks
from pacecar.measurement.deploy.jvm import Jvm, agent_socket, describe, pid_inside, runs
from pacecar.measurement.deploy.live_heap import LiveHeap, live_heap
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.measurement.watch.local import LocalWatch
from pacecar.measurement.watch.watch import Watch, Watched
from pacecar.model.clock import ClockOffset
from pacecar.model.experiment import BuildRequest, Side, SourceTree, Target
from pacecar.model.recording import ForkRecord
from pacecar.text.hidden import Struck


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
        aside: the cores of the load generator, where its compilers and dependencies go.
        dependencies: the processes that were started for it.
    """

    request: BuildRequest
    side: Side
    jar: Path | None
    folder: Path
    scratch: Path
    images: Mapping[str, str] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    dependencies: Dependencies = field(default_factory=Dependencies)


@dataclass(frozen=True, kw_only=True)
class JvmView:
    """What the JVM of a fork that is about to start sees of this machine.

    Attributes:
        host: address of this machine, as the fork reaches it and nobody else has to.
        scratch: a folder that the JVM may write to and load libraries from.
        counters: what its counter agent is told, see `jvm.agent_socket`.
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
        options: further arguments of the JVM.
        env: their settings.
        secrets: settings that must not be written down.
    """

    agents: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


Attach = Callable[[JvmView], Attachment]


@dataclass(frozen=True, kw_only=True)
class Containers:
    """Processes of a fork that runs in containers, each by an id of this machine.

    Attributes:
        service: in the container of the service.
        dependencies: the first process of each container that the service depends on.
        carriers: what carries its published port to it.
        from_inside: who looks at them is in a container beside them, and sees no control groups but a container's own.
    """

    service: int
    dependencies: tuple[int, ...] = ()
    carriers: tuple[int, ...] = ()
    from_inside: bool = False


@dataclass(frozen=True, kw_only=True)
class Launched:
    """What a deployer has started, however it did.

    Attributes:
        target: the service.
        side: which build it runs.
        port: on this machine.
        folder: for its raw files.
        socket: what its counter agent is told, as this machine sees it; see `jvm.agent_socket`.
        shown: what was started, secrets by the name of their variable.
        hooks: of the target, with this fork's environment.
        once_ready: commands to be run when it is up.
        reset: commands to be run at its end.
        moment: when, by the monotonic clock.
        java: home of the runtime that the service is to run on; None where any will do.
        dependencies: the processes that were started for it.
    """

    target: Target
    side: Side
    port: int
    folder: Path
    socket: Path
    shown: tuple[str, ...]
    hooks: Hooks
    once_ready: tuple[tuple[str, ...], ...]
    reset: tuple[tuple[str, ...], ...]
    moment: float
    java: Path | None = None
    dependencies: Dependencies = field(default_factory=Dependencies)


class Fork(ABC):
    """A fork that was started: a service with a JVM whose process is on this machine.

    Attributes:
        side: which build it runs.
        url: its address, `http://127.0.0.1:PORT`.
        socket: where the counter agent of its JVM listens, if it carries one. Settled by `await_ready`.
        jvm_id: the id that its JVM has where it runs, by which it is told from other JVMs; None before `await_ready`.
        cpus: the cores it is pinned to; empty while it is not.
        command: what was started, secrets by the name of their variable.
        ready_s: seconds from the start of its process, or of its container, to its first 2xx answer; 0 before.
        containers: the containers it runs in; None where it is a plain process.
        dependencies: the processes that were started for it; whoever started them ends them.
        struck: what is struck out of whatever it writes.
        made_address: address that was made for it alone, so that load may be sent there; None where it is on loopback.
        node: name of the machine it is on, where that is not ours; None where it is.
    """

    def __init__(self, launched: Launched) -> None:
        self.side: Side = launched.side
        self.url = f"http://127.0.0.1:{launched.port}"
        self.socket: Path = launched.socket
        self.jvm_id: int | None = None
        self.cpus: tuple[int, ...] = ()
        self.command: tuple[str, ...] = launched.shown
        self.ready_s = 0.0
        self.containers: Containers | None = None
        self.dependencies: Dependencies = launched.dependencies
        self.struck: Struck = launched.hooks.struck
        self.made_address: str | None = None
        self.node: str | None = None
        self._launched = launched
        self._service: psutil.Process | None = None
        self._jvm: Jvm | None = None
        self._stopped = False

    @property
    @abstractmethod
    def pid(self) -> int:
        """Process id of the service's JVM on this machine. Settled by `await_ready`."""

    @property
    @abstractmethod
    def gc_log(self) -> Path:
        """The log of the JVM's collections and safepoints."""

    @abstractmethod
    def await_ready(self) -> None:
        """Wait until the service answers with a 2xx status.

        Raises:
            DeployError: when it does not within the target's time, or ends; the hint holds its last lines.
        """

    def fill(self) -> None:
        """Run what the user wants done once it is ready. Raises DeployError when a command fails."""
        # Where a pod has an address of its own, that is known by now only.
        commands = ([text.replace("{url}", self.url) for text in command] for command in self._launched.once_ready)
        self._launched.hooks.run("ready", map(tuple, commands))

    @abstractmethod
    def check(self) -> None:
        """Raise ForkDied when the fork has ended, ForkLost when it was taken away, DeployError when something it
        depends on has ended.
        """

    def check_again(self) -> None:
        """`check`, when something says that a fork may be gone: waits until it is known how it ended."""
        self.check()

    @abstractmethod
    def _end(self) -> None:
        """End everything that came up for the fork, and keep its logs."""

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Keep the service, with threads it will have, on these cores; see `affinity.pin`."""
        affinity.pin(self.pid, cpus, compilers=compilers, yielding=yielding)
        self.cpus = cpus

    def alive(self) -> bool:
        """Whether the service was found and still runs."""
        return self._service is not None and runs(self._service)

    def watch(self, watched: Watched) -> Watch:
        """What reads the fork's counters from now on."""
        return LocalWatch(self, watched)

    def live_heap(self, timeout_s: float) -> LiveHeap | None:
        """Have the JVM collect its whole heap; returns what was left of it, where all that was told within `timeout_s`.

        Where the JVM cannot be asked nothing is collected.
        """
        if self._service is None or not self.alive():
            return None
        resources, folder = self._launched.hooks.resources, self._launched.folder
        return live_heap(self._service, socket=self.socket, resources=resources, folder=folder, timeout_s=timeout_s)

    def jvm(self) -> Jvm:
        """Flags and version of the JVM, asked once. Not while a window is measured: the JVM has to answer."""
        if self._jvm is None and self._service is not None and self.alive():
            self._jvm = self._describe(self._service)
        return self._jvm or Jvm()

    def record(self, *, died: str | None = None) -> ForkRecord:
        """What a pair keeps of this fork; `died` says how it ended before its time. Asks the JVM, see `jvm`."""
        jvm = self.jvm()
        return ForkRecord(
            side=self.side,
            command=self.command,
            jvm_flags=jvm.flags,
            jvm_version=jvm.version,
            ready_s=self.ready_s,
            cpus=self.cpus,
            node=self.node,
            clock=self.clock(),
            died=died,
            dependencies=self.dependencies.records,
        )

    def clock(self) -> ClockOffset | None:
        """How far the clock of its machine was ahead of ours; None where it is ours."""
        return None

    def stop(self) -> None:
        """End the fork, then run the reset. A second call does nothing.

        Raises:
            DeployError: when the reset fails; the fork is gone all the same.
            EngineError: when the engine it runs in cannot be reached any more.
        """
        if self._stopped:
            return
        self._stopped = True
        self._end()
        self._launched.hooks.run("reset", self._launched.reset)

    def _settle(self, service: psutil.Process) -> None:
        """That `service` is the one to be measured."""
        self._service = service
        self.jvm_id = pid_inside(service.pid)
        self.socket = agent_socket(self._launched.socket, service.pid)

    def _describe(self, service: psutil.Process) -> Jvm:
        return describe(service, resources=self._launched.hooks.resources, folder=self._launched.folder)

    def _name(self) -> str:
        return f"The {self.side.value} of {self._launched.target.name}"


class Deployer(Protocol):
    """A way of deploying forks of one target."""

    def make(self, request: BuildRequest, *, source: SourceTree | None, log_dir: Path) -> Artifact:
        """What forks of `request` are made of: a jar, a folder or images.

        Raises:
            BuildError: when there is no such build, or it cannot be built.
            EngineError: when an engine is needed and there is none.
        """

    def why_not_both(self) -> str | None:
        """Why two forks cannot be up at once, in half a sentence; None when they can."""

    def machine(self) -> str | None:
        """Where forks run, as in "the nodes of a cluster"; None where they run on this machine."""

    def injectors(self) -> InjectorPods | None:
        """Where load generators run, if that is in pods; None where they run on this machine."""

    def struck(self) -> Struck:
        """Secrets that only the deployment knows of, beside those in the settings of target and builds.

        Raises:
            EngineError: when the file that holds them is wrong.
        """

    def dependencies(self, order: ForkOrder) -> Dependencies:
        """The processes that the fork of `order` needs, none of them started yet. To be ended by who asks for them."""

    def deploy(self, order: ForkOrder, attach: Attach) -> Fork:
        """Run the setup and start one fork; does not wait until it is ready. Raises DeployError."""
