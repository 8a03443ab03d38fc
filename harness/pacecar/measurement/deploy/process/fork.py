"""A fork that is a process of its own, from its start to its reset."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psutil

from pacecar.measurement.deploy import DeployError, ForkDied, death, readiness
from pacecar.measurement.deploy.advice import advice
from pacecar.measurement.deploy.fork import Fork, Launched
from pacecar.measurement.deploy.jvm import find_service, gc_log, is_jvm, listening, runs
from pacecar.measurement.deploy.log_limit import LogLimit
from pacecar.system.resources import Child
from pacecar.text.units import format_duration

_POLL_S = 0.1
#: A service that is ready in half a second must not wait a tenth of one to be asked.
_READY_POLL_S = 0.02
_GRACE_S = 5.0


class ProcessFork(Fork):
    """A fork whose command was started.

    Args:
        launched: what every fork has.
        child: the command: the service itself, or a script that starts it.
        limit: keeps its log from growing without end.
        oom_kills: `death.oom_kills()` when it was started.
    """

    def __init__(self, launched: Launched, *, child: Child, limit: LogLimit, oom_kills: int) -> None:
        super().__init__(launched)
        self._child = child
        self._limit = limit
        self._oom_kills = oom_kills

    @property
    def pid(self) -> int:
        """Process id of the service: its JVM, even where the command is a script. Settled by `await_ready`."""
        return self._service.pid if self._service else self._child.pid

    @property
    def log(self) -> Path:
        """What the service has printed."""
        return self._child.log

    @property
    def gc_log(self) -> Path:
        """See `Fork`."""
        return gc_log(self._launched.folder, self.pid)

    def await_ready(self) -> None:
        """See `Fork`."""
        ready, port = self._launched.target.ready, self._launched.port
        answers = readiness.Answers()
        while (answer := readiness.ask(port, ready.path)) is not None:
            waited = time.monotonic() - self._launched.moment
            self.dependencies.check(when="before the service was ready")
            if self._child.poll() is not None:
                raise self._not_ready(f"{self._how_it_ended()} before it was ready")
            if waited > ready.timeout_s or answers.lasts(answer):
                raise self._not_ready(
                    f"was not ready after {format_duration(waited)}: GET {ready.path}: {answer}", answer=answer
                )
            time.sleep(_READY_POLL_S)
        self.ready_s = time.monotonic() - self._launched.moment
        try:
            service = find_service(self._child.pid, port=port, socket=self._launched.socket)
        except psutil.Error as error:
            raise self._not_ready(f"{self._how_it_ended()} as soon as it was ready") from error
        self._settle(service)
        self._check_runtime(service)

    def _check_runtime(self, service: psutil.Process) -> None:
        """A command that starts a `java` of its own would have both sides run on the same."""
        home = self._launched.java
        try:
            runs_on = Path(service.exe()).resolve()
        except (psutil.Error, OSError):
            return
        if home is not None and is_jvm(service) and not runs_on.is_relative_to(home.resolve()):
            raise DeployError(
                f"{self._name()} must run on {home}, but its command started {runs_on}.",
                side=self.side,
                hint="Make target.command start {java}, or a script that follows JAVA_HOME or PATH.",
            )

    def alive(self) -> bool:
        """Whether the command and the service it started still run."""
        return self._child.poll() is None and (self._service is None or super().alive())

    def check(self) -> None:
        """See `Fork`; the message says how, the hint what it printed last.

        A service whose database has ended may end for it, hardly a database for its service: so that is told first.
        """
        self.dependencies.check()
        if not self.alive():
            raise ForkDied(f"{self._name()} {self._how_it_ended()}.", side=self.side, hint=self._last_lines())

    def _end(self) -> None:
        self._launched.hooks.resources.release(self._child, _GRACE_S)
        if self._service is not None:
            _end(self._service)
        self._limit.end()

    def _how_it_ended(self) -> str:
        status = self._child.wait(_GRACE_S)  # a script outlives its service by a moment, and then says how it ended
        return death.how(status, log_tail=self._child.tail(100), oom_kills_before=self._oom_kills)

    def _last_lines(self) -> str:
        return f"It printed last:\n{self.struck.out_of(self._child.tail()) or '(nothing)'}"

    def _not_ready(self, how: str, *, answer: str | None = None) -> DeployError:
        help_ = advice(
            answer=answer,
            path=self._launched.target.ready.path,
            port=self._launched.port,
            listening=listening(self._child.pid) if answer is not None else (),
            printed=self._child.tail(100),
        )
        hint = "\n".join(part for part in (help_, self._last_lines()) if part)
        return DeployError(f"{self._name()} {how}.", side=self.side, hint=hint)


def _end(process: psutil.Process) -> None:
    # A service that its script has put into a session of its own did not end with the script.
    with contextlib.suppress(psutil.Error):
        if runs(process):
            process.terminate()
        by_force = time.monotonic() + _GRACE_S
        while runs(process) and time.monotonic() < by_force:
            time.sleep(_POLL_S)
        if runs(process):
            process.kill()
