"""A fork in containers, from the moment that Compose was told to bring it up until nothing of it is left."""

from __future__ import annotations

import contextlib
import shutil
import stat
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from pacecar import engine
from pacecar.custody import Child, Custody
from pacecar.deploy import DeployError, ForkDied, affinity, death, readiness
from pacecar.deploy.compose import container as containers
from pacecar.deploy.compose.complaints import complaint_of
from pacecar.deploy.compose.facts import Facts
from pacecar.deploy.fork import Containers, record_of
from pacecar.deploy.hooks import Hooks
from pacecar.deploy.jvm import Jvm, collect, describe, find_service, gc_log, version_in
from pacecar.engine.removal import remove
from pacecar.experiment import Side, Target
from pacecar.recording import ForkRecord
from pacecar.units import format_duration

_POLL_S = 0.1
_GRACE_S = 5.0
#: The engine needs a moment to note how a container ended.
_NOTED_S = 2.0
_TAIL_LINES = 15
_MOST_LOG = 256 << 20


@dataclass(frozen=True, kw_only=True)
class Started:
    """What `way` has started.

    Attributes:
        project: name of the fork's project.
        facts: of the service.
        up: the `docker compose up` that brings it up.
        custody: of its processes.
        hooks: of the target.
        reset: commands to be run at its end.
        port: on this machine.
        folder: for its raw files.
        logs: where its JVM logs its collections.
        socket: where its counter agent listens, as this machine sees it.
        socket_inside: the same as the JVM sees it.
        shown: what was started, for the record.
        moment: when, by the monotonic clock.
    """

    project: str
    facts: Facts
    up: Child
    custody: Custody
    hooks: Hooks
    reset: tuple[tuple[str, ...], ...]
    port: int
    folder: Path
    logs: Path
    socket: Path
    socket_inside: Path
    shown: tuple[str, ...]
    moment: float


class ComposeFork:
    """A fork that was started; its attributes are those of `deploy.fork.Fork`."""

    def __init__(self, target: Target, *, side: Side, started: Started) -> None:
        self.side = side
        self.url = f"http://127.0.0.1:{started.port}"
        self.socket = started.socket
        self.cpus: tuple[int, ...] = ()
        self.command = started.shown
        self.ready_s = 0.0
        self.containers: Containers | None = None
        self._target = target
        self._started = started
        self._ids: dict[str, str] = {}
        self._service: psutil.Process | None = None
        self._others: dict[str, psutil.Process] = {}
        self._gc_log: Path | None = None
        self._jvm: Jvm | None = None
        self._stopped = False

    @property
    def pid(self) -> int:
        """Process id of the JVM on this machine; 0 until `await_ready` has found it."""
        return self._service.pid if self._service else 0

    @property
    def gc_log(self) -> Path:
        """The log of the JVM's collections and safepoints."""
        return self._gc_log or gc_log(self._started.logs, 1)

    def await_ready(self) -> None:
        """Wait until Compose calls every service healthy and the target answers with a 2xx status.

        Raises:
            DeployError: when that takes longer than the target's time, or something ends; the hint holds last lines.
        """
        ready, up = self._target.ready, self._started.up
        while (status := up.poll()) is None:
            self._require_time("Compose still waits for its services")
            time.sleep(_POLL_S)
        self._ids = containers.containers_of(self._started.project)
        if status != 0:
            raise self._not_up(up.tail(200))
        self._find_processes()
        while answer := readiness.ask(self._started.port, ready.path):
            if not self.alive():
                raise self._not_ready(f"{self._how_it_ended()} before it was ready")
            self._require_time(f"GET {ready.path}: {answer}")
            time.sleep(_POLL_S)
        self._find_processes()  # a script may have started the JVM only now
        self.ready_s = time.monotonic() - self._started.moment

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Keep the service on these cores: by its threads where we may, else its container as a whole."""
        try:
            affinity.pin(self.pid, cpus, compilers=compilers, yielding=yielding)
        except PermissionError:
            cores = ",".join(map(str, cpus))
            engine.ask(["container", "update", "--cpuset-cpus", cores, self._ids[self._started.facts.service]])
        self.cpus = cpus

    def alive(self) -> bool:
        """Whether the service still runs."""
        return self._service is not None and _runs(self._service)

    def check(self) -> None:
        """Raise ForkDied when the service has ended, DeployError when something that it depends on has."""
        if not self.alive():
            raise ForkDied(f"{self._name()} {self._how_it_ended()}.", side=self.side, hint=self._last_lines())
        for name, process in self._others.items():
            if not _runs(process):
                found = containers.look_at(self._ids[name])
                ended = found.how_it_ended if found else ""
                raise DeployError(
                    f"The service {name}, which the {self.side.value} of {self._target.name} depends on, "
                    f"{ended or 'ended'} while it was measured.",
                    hint=self._last_lines(name),
                )

    def collect(self, timeout_s: float) -> None:
        """See `deploy.fork.Fork`."""
        if self._service is not None and self.alive():
            custody, folder = self._started.custody, self._started.folder
            collect(self._service, custody=custody, folder=folder, timeout_s=timeout_s)

    def jvm(self) -> Jvm:
        """Flags and version of the JVM, asked once."""
        if self._jvm is None and self._service is not None and self.alive():
            described = describe(self._service, custody=self._started.custody, folder=self._started.folder)
            # One that can write to no folder of its own, or belongs to somebody else, cannot be asked.
            self._jvm = described if described.version else replace(described, version=version_in(self.gc_log))
        return self._jvm or Jvm()

    def record(self, *, died: str = "") -> ForkRecord:
        """See `deploy.fork.Fork`."""
        return record_of(self, self.jvm(), died=died)

    def stop(self) -> None:
        """Keep the logs, remove containers, networks and volumes, then run the reset.

        Raises:
            DeployError: when the reset fails; the fork is gone all the same.
            EngineError: when the engine cannot be reached any more.
        """
        if self._stopped:
            return
        self._stopped = True
        started = self._started
        unfinished = started.up.poll() is None
        started.custody.release(started.up, _GRACE_S)
        for name, container in (self._ids or containers.containers_of(started.project)).items():
            log = "service.log" if name == started.facts.service else f"{name}.log"
            containers.keep_log(container, started.folder / log, custody=started.custody)
        remove(f"{engine.FORK}={started.project}", settled=not unfinished)
        self._keep_gc_logs()
        started.hooks.run("reset", started.reset)

    def _keep_gc_logs(self) -> None:
        """Out of the folder that the container could write to, links left behind: they might lead anywhere."""
        for log in self._started.logs.glob("gc-*.log"):
            if stat.S_ISREG(log.lstat().st_mode) and log.lstat().st_size <= _MOST_LOG:
                shutil.copyfile(log, self._started.folder / log.name, follow_symlinks=False)
        self._gc_log = self._started.folder / self.gc_log.name

    def _find_processes(self) -> None:
        found = {name: containers.look_at(id_) for name, id_ in self._ids.items()}
        service, started = started_of(found, self._started.facts.service), self._started
        if service is None:
            raise self._not_ready(f"{self._how_it_ended()} as soon as it was up")
        with contextlib.suppress(psutil.Error):
            self._service = find_service(service.pid, port=started.facts.port, socket=started.socket_inside)
            self._gc_log = gc_log(started.logs, _pid_inside(self._service.pid))
        if self._service is None:
            raise self._not_ready(f"{self._how_it_ended()} as soon as it was up")
        for name, each in found.items():
            # One that has done its work and ended, such as a migration, is not missed.
            if name != started.facts.service and each is not None and each.pid and name not in self._others:
                with contextlib.suppress(psutil.Error):
                    self._others[name] = psutil.Process(each.pid)
        self.containers = Containers(
            service=self._service.pid,
            dependencies=tuple(process.pid for process in self._others.values()),
            carriers=containers.carriers_of(started.port),
        )

    def _require_time(self, what: str) -> None:
        waited = time.monotonic() - self._started.moment
        if waited > self._target.ready.timeout_s:
            self._ids = self._ids or containers.containers_of(self._started.project)
            raise self._not_ready(f"was not ready after {format_duration(waited)}: {what}")

    def _how_it_ended(self) -> str:
        id_ = self._ids.get(self._started.facts.service, "")
        noted = time.monotonic() + _NOTED_S
        while (found := containers.look_at(id_) if id_ else None) and found.pid and time.monotonic() < noted:
            time.sleep(_POLL_S)
        if found is None:
            return "is gone: somebody has removed its container"
        if found.killed_for_memory:
            return found.how_it_ended
        status = None if found.pid else found.status
        kills = death.oom_kills()  # of this container the engine has just told; what others suffered explains nothing
        return death.how(status, log_tail=containers.last_lines(id_, 100), oom_kills_before=kills)

    def _not_up(self, log: str) -> DeployError:
        service = containers.look_at(self._ids.get(self._started.facts.service, ""))
        if service is not None and service.began and not service.pid:
            return self._not_ready(f"{self._how_it_ended()} before it was ready")
        why, blamed = complaint_of(log, project=self._started.project)
        return DeployError(
            f"{self._name()} {why}.", hint=self._last_lines(blamed) if blamed else engine.last_words(log, lines=3)
        )

    def _not_ready(self, how: str) -> DeployError:
        return DeployError(f"{self._name()} {how}.", hint=self._last_lines())

    def _last_lines(self, service: str = "") -> str:
        id_ = self._ids.get(service or self._started.facts.service, "")
        printed = containers.last_lines(id_, _TAIL_LINES) if id_ else ""
        return f"{service or 'It'} printed last:\n{printed or '(nothing)'}"

    def _name(self) -> str:
        return f"The {self.side.value} of {self._target.name}"


def started_of(found: dict[str, containers.Container | None], service: str) -> containers.Container | None:
    """The container of `service` when it runs, else None."""
    container = found.get(service)
    return container if container is not None and container.pid else None


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _pid_inside(pid: int) -> int:
    """The id that a process has in its own namespace."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return pid
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), f"NSpid: {pid}")
    return int(line.split()[-1])
