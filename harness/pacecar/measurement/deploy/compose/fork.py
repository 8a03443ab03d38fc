"""A fork in containers, from the moment that Compose was told to bring it up until nothing of it is left."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import psutil

from pacecar.measurement.deploy import DeployError, ForkDied, death, readiness
from pacecar.measurement.deploy.age import age_s
from pacecar.measurement.deploy.compose import container as containers
from pacecar.measurement.deploy.compose.complaints import complaint_of
from pacecar.measurement.deploy.compose.facts import Facts
from pacecar.measurement.deploy.fork import Containers, Fork, Launched
from pacecar.measurement.deploy.jvm import Jvm, find_service, gc_log, pid_inside, runs, version_in
from pacecar.system import engine
from pacecar.system.engine.removal import remove
from pacecar.system.foreign import files
from pacecar.system.resources import Child
from pacecar.text.units import format_duration

_POLL_S = 0.1
_GRACE_S = 5.0
#: The engine needs a moment to note how a container ended.
_NOTED_S = 2.0
_TAIL_LINES = 15
#: Bytes of a log of collections, and how many of them: a JVM is told to begin another long before, and keeps few.
_MOST_LOG = 64 << 20
_MOST_LOGS = 20


@dataclass(frozen=True, kw_only=True)
class Started:
    """What `deployer` has started, beside what every fork has.

    Attributes:
        project: name of the fork's project.
        facts: of the service.
        up: the `docker compose up` that brings it up.
        logs: where its JVM logs its collections.
        socket_inside: what its counter agent is told, as the JVM sees it.
    """

    project: str
    facts: Facts
    up: Child
    logs: Path
    socket_inside: Path


class ComposeFork(Fork):
    """A fork that Compose was told to bring up.

    Args:
        launched: what every fork has.
        started: what only one in containers has.
    """

    def __init__(self, launched: Launched, *, started: Started) -> None:
        super().__init__(launched)
        self._started = started
        self._ids: dict[str, str] = {}
        self._others: dict[str, psutil.Process] = {}
        self._gc_log: Path | None = None
        self._first_pid = 0

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

        It counts as ready from its first such answer on, and its time from the start of its own container: Compose
        looks after health every few seconds only, and starts first what the service depends on.

        Raises:
            DeployError: when that takes longer than the target's time, or something ends; the hint holds last lines.
        """
        ready, up = self._launched.target.ready, self._started.up
        answered = 0.0
        while (status := up.poll()) is None:
            self._require_time("Compose still waits for its services")
            if not answered and readiness.ask(self._launched.port, ready.path) is None:
                answered = time.monotonic()
            time.sleep(_POLL_S)
        self._ids = containers.containers_of(self._started.project)
        if status != 0:
            raise self._not_up(up.tail(200))
        self._find_processes()
        answers = readiness.Answers()
        while (answer := readiness.ask(self._launched.port, ready.path)) is not None:
            if not self.alive():
                raise self._not_ready(f"{self._how_it_ended()} before it was ready")
            self._require_time(f"GET {ready.path}: {answer}", hopeless=answers.lasts(answer))
            time.sleep(_POLL_S)
        now = time.monotonic()
        age = age_s(self._first_pid)
        # Nothing where the container was started anew after that answer.
        self.ready_s = max(0.0, age - (now - (answered or now)))
        self._find_processes()  # a script may have started the JVM only now

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Keep the service on these cores: by its threads where we may, else its container as a whole."""
        try:
            super().pin(cpus, compilers=compilers, yielding=yielding)
        except PermissionError:
            cores = ",".join(map(str, cpus))
            engine.ask(["container", "update", "--cpuset-cpus", cores, self._ids[self._started.facts.service]])
            self.cpus = cpus

    def check(self) -> None:
        """Raise ForkDied when the service has ended, DeployError when something that it depends on has."""
        if not self.alive():
            how, found = self._ended()
            at_limit = found is not None and found.killed_for_memory and found.memory_bytes > 0
            message = f"{self._name()} {how}."
            raise ForkDied(message, side=self.side, hint=self._last_lines(), at_limit=at_limit)
        for name, process in self._others.items():
            if not runs(process):
                found = containers.look_at(self._ids[name])
                ended = found.how_it_ended if found else None
                raise DeployError(
                    f"The service {name}, which the {self.side.value} of {self._launched.target.name} depends on, "
                    f"{ended or 'ended'} while it was measured.",
                    hint=self._last_lines(name),
                )

    def _describe(self, service: psutil.Process) -> Jvm:
        described = super()._describe(service)
        # One that can write to no folder of its own, or belongs to somebody else, cannot be asked.
        return described if described.version else replace(described, version=version_in(self.gc_log))

    def _end(self) -> None:
        """Keep the logs, remove containers, networks and volumes."""
        started, folder, resources = self._started, self._launched.folder, self._launched.hooks.resources
        unfinished = started.up.poll() is None
        resources.release(started.up, _GRACE_S)
        for name, container in (self._ids or containers.containers_of(started.project)).items():
            log = "service.log" if name == started.facts.service else f"{name}.log"
            containers.keep_log(container, folder / log, resources=resources)
        remove(f"{engine.FORK}={started.project}", settled=not unfinished)
        self._keep_gc_logs()

    def _keep_gc_logs(self) -> None:
        """Out of the folder that the container could write to, links left behind: they might lead anywhere."""
        for log in islice(self._started.logs.glob("gc-*.log*"), _MOST_LOGS):
            with contextlib.suppress(OSError), files.opened(log, most=_MOST_LOG, inside=self._started.logs) as found:
                (self._launched.folder / log.name).write_bytes(found.read(_MOST_LOG))
        self._gc_log = self._launched.folder / self.gc_log.name

    def _find_processes(self) -> None:
        found = {name: containers.look_at(id_) for name, id_ in self._ids.items()}
        service, started = started_of(found, self._started.facts.service), self._started
        if service is None:
            raise self._not_ready(f"{self._how_it_ended()} before it was ready")
        self._first_pid = service.pid
        with contextlib.suppress(psutil.Error):
            jvm = find_service(service.pid, port=started.facts.port, socket=started.socket_inside)
            self._settle(jvm)
            self._gc_log = gc_log(started.logs, pid_inside(jvm.pid))
        if self._service is None:
            raise self._not_ready(f"{self._how_it_ended()} before it was ready")
        for name, each in found.items():
            # One that has done its work and ended, such as a migration, is not missed.
            if name != started.facts.service and each is not None and each.pid and name not in self._others:
                with contextlib.suppress(psutil.Error):
                    self._others[name] = psutil.Process(each.pid)
        self.containers = Containers(
            service=self._service.pid,
            dependencies=tuple(process.pid for process in self._others.values()),
            carriers=containers.carriers_of(self._launched.port),
        )

    def _require_time(self, what: str, *, hopeless: bool = False) -> None:
        waited = time.monotonic() - self._launched.moment
        if hopeless or waited > self._launched.target.ready.timeout_s:
            self._ids = self._ids or containers.containers_of(self._started.project)
            raise self._not_ready(f"was not ready after {format_duration(waited)}: {what}")

    def _how_it_ended(self) -> str:
        return self._ended()[0]

    def _ended(self) -> tuple[str, containers.Container | None]:
        """How it ended, as the end of a sentence, and what is left of its container."""
        id_ = self._ids.get(self._started.facts.service)
        noted = time.monotonic() + _NOTED_S
        while (found := containers.look_at(id_) if id_ else None) and found.pid and time.monotonic() < noted:
            time.sleep(_POLL_S)
        if found is None:
            return "is gone: somebody has removed its container", None
        if (ended := found.how_it_ended) is not None:
            return ended, found
        status = None if found.pid else found.status
        kills = death.oom_kills()  # of this container the engine has just told; what others suffered explains nothing
        return death.how(status, log_tail=containers.last_lines(found.id, 100), oom_kills_before=kills), found

    def _not_up(self, log: str) -> DeployError:
        id_ = self._ids.get(self._started.facts.service)
        service = containers.look_at(id_) if id_ else None
        if service is not None and service.began and not service.pid:
            return self._not_ready(f"{self._how_it_ended()} before it was ready")
        why, blamed = complaint_of(log, project=self._started.project)
        return DeployError(f"{self._name()} {why}.", hint=self._last_lines(blamed) if blamed else self._said(log))

    def _said(self, log: str) -> str:
        return self.struck.out_of(engine.last_words(log, lines=3))

    def _not_ready(self, how: str) -> DeployError:
        return DeployError(f"{self._name()} {how}.", hint=self._last_lines())

    def _last_lines(self, service: str | None = None) -> str:
        id_ = self._ids.get(service or self._started.facts.service)
        printed = self.struck.out_of(containers.last_lines(id_, _TAIL_LINES) if id_ else "")
        return f"{service or 'It'} printed last:\n{printed or '(nothing)'}"


def started_of(found: dict[str, containers.Container | None], service: str) -> containers.Container | None:
    """The container of `service` when it runs, else None."""
    container = found.get(service)
    return container if container is not None and container.pid else None
