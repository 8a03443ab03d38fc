"""The processes that a fork needs beside it (`target.dependencies`): up before it, ended after it, each fork its own.

They run on the cores of the load generator, so that those of the service stay the service's. What one of them starts
carries a mark, and ends with it wherever it has gone.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.builds.java_home import java_of
from pacecar.measurement.deploy import DeployError, death, ports, readiness
from pacecar.measurement.deploy.launch import Placeholders, secrets_of_dependency, struck_of_dependency
from pacecar.measurement.deploy.log_limit import LogLimit
from pacecar.model.deployment import Dependency, DependencyRecord
from pacecar.model.experiment import Side
from pacecar.system import environment
from pacecar.system.resources import PART, Child, Resources, end_part, of_part
from pacecar.text import hidden
from pacecar.text.hidden import Struck
from pacecar.text.units import format_duration

_POLL_S = 0.02
_ATTEMPT_S = 2.0
_GRACE_S = 5.0
#: Of a log, read at a time while a line is waited for.
_PIECE_BYTES = 1 << 20
_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The fork that dependencies are started for.

    Attributes:
        target: its name.
        side: whose fork it is.
        artifact: what it runs.
        folder: for raw files, logs among them.
        cpus: cores for the dependencies; empty means any.
        resources: of their processes and folders.
    """

    target: str
    side: Side
    artifact: Path
    folder: Path
    cpus: tuple[int, ...]
    resources: Resources


class Running:
    """One dependency from its start to its end. Starts it.

    Args:
        dependency: what is started.
        beside: for whom.
        known: what `{NAME.port}` and the like of those before it stand for.

    Raises:
        DeployError: when there is no free port, or a secret is not set.
        UsageError: when its program does not exist.
    """

    def __init__(self, dependency: Dependency, beside: Beside, known: Mapping[str, str]) -> None:
        self.name = dependency.name
        self._dependency = dependency
        self._beside = beside
        self._part = secrets.token_hex(8)
        self._struck: Struck = struck_of_dependency(dependency)
        self._port = ports.free_port()
        self._folder = beside.resources.folder(f"d{next(_numbers)}").resolve()
        filled = self._placeholders(known)
        command = filled.fill_all(dependency.command)
        self._shown = hidden.arguments(command)
        own = {name: filled.fill(value) for name, value in dependency.env.items()}
        self._oom_kills, self._began = death.oom_kills(), time.monotonic()
        self._child: Child = beside.resources.spawn(
            command,
            name=f"{dependency.name}, a dependency of {beside.target} ({beside.side.value})",
            log=beside.folder.resolve() / f"{dependency.name}.log",
            cwd=dependency.directory,
            env={**environment.of_fork(), **own, **secrets_of_dependency(dependency), PART: self._part},
            cpus=beside.cpus,
        )
        self._limit = LogLimit(self._child.log)
        self._roots: tuple[int, ...] = (self._child.pid,)
        self._ready_s = 0.0

    @property
    def places(self) -> dict[str, str]:
        """What `{NAME.port}` and `{NAME.folder}` stand for, by the words between the braces."""
        return {f"{self.name}.port": str(self._port), f"{self.name}.folder": str(self._folder)}

    @property
    def roots(self) -> tuple[int, ...]:
        """Ids of the processes that it and whatever it starts descend from. Settled by `await_ready`."""
        return self._roots

    @property
    def record(self) -> DependencyRecord:
        """What a pair keeps of it."""
        return DependencyRecord(name=self.name, command=self._shown, ready_s=self._ready_s)

    def await_ready(self) -> None:
        """Wait until it is up.

        Raises:
            DeployError: when it is not within its time, or ends; the hint holds its last lines.
        """
        line = _Line(self._child.log, self._dependency.ready_line or "")
        while (why_not := self._why_not(line)) is not None:
            self.check(when="before it was ready")
            waited = time.monotonic() - self._began
            if waited > self._dependency.timeout_s:
                raise self._failed(f"was not ready after {format_duration(waited)}: {why_not}")
            time.sleep(_POLL_S)
        self._ready_s = time.monotonic() - self._began
        self.check(when="before it was ready")  # somebody else may have answered on its port
        self._roots = tuple({self._child.pid, *(process.pid for process in of_part(self._part))})

    def check(self, *, when: str) -> None:
        """Raise DeployError when it has ended; `when` is the end of the sentence."""
        status = self._child.poll()
        if status is None:
            return
        how = death.how(status, log_tail=self._child.tail(100), oom_kills_before=self._oom_kills)
        away = None if status else self._in_the_background()
        raise self._failed(f"{how} {when}", help_=away)

    def end(self) -> None:
        """End it with all that it has started, and remove its folder. A second call does nothing."""
        self._beside.resources.release(self._child, _GRACE_S)
        end_part(self._part)
        self._limit.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _placeholders(self, known: Mapping[str, str]) -> Placeholders:
        # The JVM is the same on both sides, whatever the builds run on.
        return Placeholders(
            artifact=self._beside.artifact.resolve(),
            port=self._port,
            fork=self._folder,
            java=java_of(None),
            others={**known, "folder": str(self._folder)},
        )

    def _why_not(self, line: _Line) -> str | None:
        """In a few words, why it is not up yet; None when it is."""
        wanted = self._dependency
        if wanted.ready_line is not None:
            return None if line.came() else f'it has not printed "{wanted.ready_line}"'
        if wanted.ready_path is not None:
            answer = readiness.ask(self._port, wanted.ready_path)
            return None if answer is None else f"GET {wanted.ready_path}: {answer}"
        return None if _accepts(self._port) else f"nothing accepts connections on its port {self._port}"

    def _in_the_background(self) -> str | None:
        if not of_part(self._part):
            return None
        return "What it started keeps running in the background: make its command stay in the foreground."

    def _failed(self, how: str, *, help_: str | None = None) -> DeployError:
        beside = self._beside
        printed = self._struck.out_of(self._child.tail()) or "(nothing)"
        hint = "\n".join(part for part in (help_, f"It printed last:\n{printed}") if part)
        message = f"The dependency {self.name} of the {beside.side.value} of {beside.target} {how}."
        return DeployError(self._struck.out_of(message), hint=hint)


class Dependencies:
    """The dependencies of one fork, in the order of their start; none where it needs none.

    Args:
        wanted: what is to be started.
        beside: for whom; None where nothing is to be.
    """

    def __init__(self, wanted: Sequence[Dependency] = (), *, beside: Beside | None = None) -> None:
        self._wanted = list(wanted)
        self._beside = beside
        self._running: list[Running] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Of those that are not started yet."""
        return tuple(each.name for each in self._wanted)

    @property
    def places(self) -> dict[str, str]:
        """See `Running.places`; of all that were started."""
        return {word: value for each in self._running for word, value in each.places.items()}

    @property
    def roots(self) -> dict[str, tuple[int, ...]]:
        """Name -> see `Running.roots`."""
        return {each.name: each.roots for each in self._running}

    @property
    def records(self) -> tuple[DependencyRecord, ...]:
        """What a pair keeps of them."""
        return tuple(each.record for each in self._running)

    def start_next(self) -> Running | None:
        """Start the next one; does not wait until it is up. None where all are started. Raises like `Running`."""
        if not self._wanted or self._beside is None:
            return None
        self._running.append(Running(self._wanted[0], self._beside, self.places))
        del self._wanted[0]
        return self._running[-1]

    def check(self, *, when: str = "while it was measured") -> None:
        """Raise DeployError when one of them has ended; `when` is the end of the sentence."""
        for each in self._running:
            each.check(when=when)

    def end(self) -> None:
        """End all, the last one first, however the end of one goes."""
        with contextlib.ExitStack() as ends:
            while self._running:
                ends.callback(self._running.pop(0).end)


def bring_up(forks: Sequence[Dependencies]) -> None:
    """Start what several forks need, side by side: the first of each, once all of these are up the second.

    So the forks themselves can start at once afterwards, as their times to readiness want it. Raises like `Running` and
    `Running.await_ready`.
    """
    while started := [running for each in forks if (running := each.start_next()) is not None]:
        for running in started:
            running.await_ready()


class _Line:
    """Whether a log holds some text yet; what was looked at once is not read again."""

    def __init__(self, log: Path, text: str) -> None:
        self._log = log
        self._wanted = text.encode()
        self._at = 0
        self._end = b""

    def came(self) -> bool:
        """Whether it does by now, in what was written when it was asked; False where the log cannot be read."""
        with contextlib.suppress(OSError), self._log.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if self._at > size:  # it was cut, see `log_limit`
                self._at, self._end = 0, b""
            file.seek(self._at)
            while self._at < size and (piece := file.read(_PIECE_BYTES)):
                self._at += len(piece)
                seen = self._end + piece
                if self._wanted in seen:
                    return True
                self._end = seen[-len(self._wanted) :]
        return False


def _accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(_ATTEMPT_S)
        return probe.connect_ex(("127.0.0.1", port)) == 0
