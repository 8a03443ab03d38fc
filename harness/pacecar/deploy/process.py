"""One fork: a fresh process of the target, from its setup to its reset.

fork = deploy(target, artifact=…, request=…, side=…, folder=…, scratch=…, custody=…)
try:
    fork.await_ready()
    …
    fork.check()      # raises ForkDied when it is gone
    …
    record = fork.record()
finally:
    fork.stop()
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from pacecar.custody import Child, Custody
from pacecar.deploy import DeployError, ForkDied, affinity, death, ports, readiness
from pacecar.deploy.advice import advice
from pacecar.deploy.fork import Attach, Containers, ForkOrder, Ground, record_of
from pacecar.deploy.hooks import Hooks
from pacecar.deploy.jvm import (
    LASTING_COMPILERS,
    Jvm,
    collect,
    describe,
    find_service,
    gc_log,
    gc_log_option,
    listening,
)
from pacecar.deploy.launch import Launch, Placeholders, launch
from pacecar.deploy.room import why_not_both
from pacecar.experiment import BuildRequest, Side, Target
from pacecar.recording import ForkRecord
from pacecar.units import format_duration

_POLL_S = 0.1
_GRACE_S = 5.0


def counters_socket(scratch: Path) -> Path:
    """Where a fork's counter agent listens, if it carries one: the path to give to that agent."""
    return scratch.resolve() / "counters.sock"


class ProcessWay:
    """Forks that are processes started by the target's command."""

    def __init__(self, target: Target, *, custody: Custody) -> None:
        self._target = target
        self._custody = custody

    def why_not_both(self) -> str:
        """See `fork.Way`."""
        return why_not_both(self._target)

    def deploy(self, order: ForkOrder, attach: Attach) -> Fork:
        """See `fork.Way`, and `deploy`."""
        if order.jar is None:
            raise DeployError("An image cannot be deployed as a process.", hint='Set target.deploy = "compose".')
        scratch = order.scratch.resolve()
        ground = Ground(host="127.0.0.1", scratch=str(scratch), counters=str(counters_socket(scratch)), seen=str)
        attached = attach(ground)
        return deploy(
            self._target,
            artifact=order.jar,
            request=order.request,
            side=order.side,
            folder=order.folder,
            scratch=scratch,
            custody=self._custody,
            processors=len(order.cpus) or None,
            agents=attached.agents,
            agent_env={**attached.env, **attached.secrets},
        )


def deploy(
    target: Target,
    *,
    artifact: Path,
    request: BuildRequest,
    side: Side,
    folder: Path,
    scratch: Path,
    custody: Custody,
    processors: int | None = None,
    agents: tuple[str, ...] = (),
    agent_env: Mapping[str, str] | None = None,
) -> Fork:
    """Run the setup and start one fork; does not wait until it is ready.

    Args:
        target: the service, and how it is started.
        artifact: the jar of this side.
        request: the build: its JVM arguments and environment.
        side: which side the fork is of.
        folder: for its raw files: service log, GC log, logs of the hooks.
        scratch: `{fork}`: a folder of its own, with a path short enough for a socket in it.
        custody: of its processes.
        processors: how many cores the JVM is to arrange itself for, as it will be pinned to so many later (`Fork.pin`);
            None lets it count them.
        agents: Java agents, each what follows `-javaagent:`, in the order in which they start.
        agent_env: their settings.

    Raises:
        DeployError: when the fixed port is in use, a secret is not set, or the setup fails.
        UsageError: when the command's program does not exist.
    """
    port = ports.free_port() if target.port is None else ports.require_free(target.port)
    # Absolute, because the service has a working directory of its own.
    folder, scratch = folder.resolve(), scratch.resolve()
    placeholders = Placeholders(artifact=artifact.resolve(), port=port, fork=scratch)
    arranged = () if processors is None else (f"-XX:ActiveProcessorCount={processors}",)
    options = (*(f"-javaagent:{agent}" for agent in agents), gc_log_option(folder), LASTING_COMPILERS, *arranged)
    plan = launch(target, request, placeholders, jvm_options=options, agent_env=agent_env or {})
    hooks = Hooks(custody=custody, directory=target.directory, env=plan.hook_env, folder=folder)
    reset = tuple(placeholders.fill_all(command) for command in target.reset)
    try:
        hooks.run("setup", [placeholders.fill_all(command) for command in target.setup])
        oom_kills = death.oom_kills()
        started = time.monotonic()
        child = custody.spawn(
            plan.command,
            name=f"{target.name} ({side.value})",
            log=folder / "service.log",
            cwd=target.directory,
            env=plan.env,
        )
    except BaseException:
        with contextlib.suppress(DeployError):
            hooks.run("reset", reset)
        raise
    start = _Start(plan=plan, child=child, hooks=hooks, reset=reset, moment=started, oom_kills=oom_kills)
    return Fork(target, side=side, port=port, folder=folder, socket=counters_socket(scratch), start=start)


@dataclass(frozen=True, kw_only=True)
class _Start:
    plan: Launch
    child: Child
    hooks: Hooks
    reset: tuple[tuple[str, ...], ...]
    moment: float
    oom_kills: int


class Fork:
    """A fork that was started; its attributes are those of `fork.Fork`."""

    def __init__(
        self,
        target: Target,
        *,
        side: Side,
        port: int,
        folder: Path,
        socket: Path,
        start: _Start,
    ) -> None:
        self.side = side
        self.url = f"http://127.0.0.1:{port}"
        self.socket = socket
        self.cpus: tuple[int, ...] = ()
        self.command = start.plan.shown
        self.ready_s = 0.0
        self.containers: Containers | None = None
        self._target = target
        self._port = port
        self._folder = folder
        self._start = start
        self._service: psutil.Process | None = None
        self._jvm: Jvm | None = None
        self._stopped = False

    @property
    def pid(self) -> int:
        """Process id of the service: its JVM, even where the command is a script. Settled by `await_ready`."""
        return self._service.pid if self._service else self._start.child.pid

    @property
    def log(self) -> Path:
        """What the service has printed."""
        return self._start.child.log

    @property
    def gc_log(self) -> Path:
        """The log of the JVM's collections and safepoints."""
        return gc_log(self._folder, self.pid)

    def await_ready(self) -> None:
        """Wait until the service answers with a 2xx status.

        Raises:
            DeployError: when it does not within the target's time, or ends; the hint holds its last lines.
        """
        ready = self._target.ready
        while answer := readiness.ask(self._port, ready.path):
            waited = time.monotonic() - self._start.moment
            if self._start.child.poll() is not None:
                raise self._not_ready(f"{self._how_it_ended()} before it was ready")
            if waited > ready.timeout_s:
                raise self._not_ready(
                    f"was not ready after {format_duration(waited)}: GET {ready.path}: {answer}", answer=answer
                )
            time.sleep(_POLL_S)
        try:
            self._service = find_service(self._start.child.pid, port=self._port, socket=self.socket)
        except psutil.Error as error:
            raise self._not_ready(f"{self._how_it_ended()} as soon as it was ready") from error
        self.ready_s = time.monotonic() - self._start.moment

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Keep the service, with threads it will have, on these cores; see `affinity.pin`."""
        affinity.pin(self.pid, cpus, compilers=compilers, yielding=yielding)
        self.cpus = cpus

    def collect(self, timeout_s: float) -> None:
        """See `deploy.fork.Fork`."""
        if self._service is not None and self.alive():
            custody = self._start.hooks.custody
            collect(self._service, custody=custody, folder=self._folder, timeout_s=timeout_s)

    def alive(self) -> bool:
        """Whether the command and the service it started still run."""
        return self._start.child.poll() is None and (self._service is None or _runs(self._service))

    def check(self) -> None:
        """Raise ForkDied when the fork has ended; the message says how, the hint what it printed last."""
        if not self.alive():
            raise ForkDied(f"{self._name()} {self._how_it_ended()}.", side=self.side, hint=self._last_lines())

    def jvm(self) -> Jvm:
        """Flags and version of the JVM, asked once. Not while a window is measured: the JVM has to answer."""
        if self._jvm is None and self._service is not None and self.alive():
            self._jvm = describe(self._service, custody=self._start.hooks.custody, folder=self._folder)
        return self._jvm or Jvm()

    def record(self, *, died: str = "") -> ForkRecord:
        """What a pair keeps of this fork; `died` says how it ended before its time. Asks the JVM, see `jvm`."""
        return record_of(self, self.jvm(), died=died)

    def stop(self) -> None:
        """End the fork, then run the reset. Once is enough; a second call does nothing.

        Raises:
            DeployError: when the reset fails; the fork is gone all the same.
        """
        if self._stopped:
            return
        self._stopped = True
        self._start.hooks.custody.release(self._start.child, _GRACE_S)
        if self._service is not None:
            _end(self._service)
        self._start.hooks.run("reset", self._start.reset)

    def _name(self) -> str:
        return f"The {self.side.value} of {self._target.name}"

    def _how_it_ended(self) -> str:
        child = self._start.child
        status = child.wait(_GRACE_S)  # a script outlives its service by a moment, and then says how it ended
        return death.how(status, log_tail=child.tail(100), oom_kills_before=self._start.oom_kills)

    def _last_lines(self) -> str:
        return f"It printed last:\n{self._start.child.tail() or '(nothing)'}"

    def _not_ready(self, how: str, *, answer: str = "") -> DeployError:
        help_ = advice(
            answer=answer,
            port=self._port,
            listening=listening(self._start.child.pid) if answer else (),
            printed=self._start.child.tail(100),
        )
        hint = "\n".join(part for part in (help_, self._last_lines()) if part)
        return DeployError(f"{self._name()} {how}.", side=self.side, hint=hint)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _end(process: psutil.Process) -> None:
    # A service that its script has put into a session of its own did not end with the script.
    with contextlib.suppress(psutil.Error):
        if _runs(process):
            process.terminate()
        by_force = time.monotonic() + _GRACE_S
        while _runs(process) and time.monotonic() < by_force:
            time.sleep(_POLL_S)
        if _runs(process):
            process.kill()
