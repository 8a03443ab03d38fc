"""The containers of a fork, as the engine knows them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from pacecar.measurement.deploy.log_limit import LogLimit
from pacecar.system import engine, environment
from pacecar.system.engine import EngineError
from pacecar.system.resources import Resources
from pacecar.text.units import format_quantity

_PROJECT, _SERVICE = "com.docker.compose.project", "com.docker.compose.service"
_KEPT_LINES = 200_000
_LOG_S = 60.0
_CARRIER = "docker-proxy"


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container at one moment.

    Attributes:
        id: the engine's.
        pid: of its first process, on this machine; 0 when it has ended.
        began: it has run at all.
        status: exit status; meaningless while it runs.
        killed_for_memory: the kernel killed it, or a process in it, at its limit.
        memory_bytes: that limit; 0 for none.
    """

    id: str
    pid: int
    began: bool
    status: int
    killed_for_memory: bool
    memory_bytes: int

    @property
    def how_it_ended(self) -> str | None:
        """The end of a sentence; None when nothing but a status is known."""
        if not self.killed_for_memory:
            return None
        limit = f" at its limit of {format_quantity(self.memory_bytes, 'B')}" if self.memory_bytes else ""
        return f"was killed for lack of memory{limit}"


def containers_of(project: str) -> dict[str, str]:
    """Service -> id of its container, ended ones too. Raises EngineError."""
    form = f'{{{{.Label "{_SERVICE}"}}}} {{{{.ID}}}}'
    arguments = ["container", "ls", "--all", "--no-trunc", "--filter", f"label={_PROJECT}={project}", "--format", form]
    return dict(line.split(" ", 1) for line in engine.ask(arguments).splitlines() if " " in line)


def look_at(container: str) -> Container | None:
    """The container now; None when it is gone, or the engine is."""
    try:
        found = engine.inspect("container", container)
    except EngineError:
        return None
    if found is None:
        return None
    state: dict[str, Any] = found.get("State") or {}
    return Container(
        id=container,
        pid=int(state.get("Pid") or 0),
        began=not str(state.get("StartedAt", "")).startswith("0001-"),
        status=int(state.get("ExitCode") or 0),
        killed_for_memory=bool(state.get("OOMKilled")),
        memory_bytes=int((found.get("HostConfig") or {}).get("Memory") or 0),
    )


def last_lines(container: str, lines: int = 15) -> str:
    """What the container printed last, without control characters; "" when that is not known."""
    try:
        _, out, errors = engine.call(["container", "logs", "--tail", str(lines), container])
    except EngineError:
        return ""
    return engine.last_words(f"{out}\n{errors}", lines=lines)


def keep_log(container: str, path: Path, *, resources: Resources) -> None:
    """Write what the container has printed to `path`, from its last 200,000 lines."""
    command = [engine.PROGRAM, "container", "logs", "--tail", str(_KEPT_LINES), container]
    path.touch()
    with LogLimit(path):
        resources.run(command, name="docker logs", log=path, timeout_s=_LOG_S, env=environment.of_engine())


def carriers_of(port: int) -> tuple[int, ...]:
    """Processes of the engine that carry what comes in at `port` of this machine to a container."""
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        arguments: list[str] = process.info["cmdline"] or []
        if process.info["name"] == _CARRIER and ("-host-port", str(port)) in pairwise(arguments):
            found.append(process.pid)
    return tuple(found)
