"""The service's JVM among the processes of a pod, and what else runs there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.deploy.fork import Containers
from pacecar.measurement.deploy.jvm import agent_socket, holds, is_jvm, likeliest, pid_inside

#: The first process of a pod whose containers share a PID namespace: it holds the namespace and does nothing.
_PAUSE = 1


@dataclass(frozen=True, kw_only=True)
class FoundService:
    """The service of the pod, as a watch sees a fork.

    Attributes:
        process: the JVM, or what comes nearest to one.
        first: id of the first process of its container.
        socket: where its counter agent listens.
        url: its address within the pod.
        containers: its own, and the others of the pod.
        dependencies: none of ours.
    """

    process: psutil.Process
    first: int
    socket: Path
    url: str
    containers: Containers
    dependencies: Dependencies = field(default_factory=Dependencies)

    @property
    def pid(self) -> int:
        """Its id within the pod."""
        return self.process.pid

    @property
    def jvm_id(self) -> int:
        """The id that it has where it runs, which its agents and its log go by."""
        return pid_inside(self.process.pid)


def find_service(*, port: int, socket: Path) -> FoundService | None:
    """The service that listens on `port` and whose agent was told `socket`; None while there is none.

    A JVM with our agent comes before any other process; without one, whoever listens on the port.
    """
    own = _mounts(os.getpid())
    containers: dict[str, list[psutil.Process]] = {}
    for process in psutil.process_iter():
        mounts = _mounts(process.pid)
        if process.pid != _PAUSE and mounts and mounts != own:
            containers.setdefault(mounts, []).append(process)
    others = [process for members in containers.values() for process in members]
    if not others:
        return None
    service = likeliest(others, port=port, socket=socket)
    if not is_jvm(service) and not holds(service, socket):
        return None
    firsts = {mounts: min(process.pid for process in members) for mounts, members in containers.items()}
    home = next(mounts for mounts, members in containers.items() if service in members)
    return FoundService(
        process=service,
        first=firsts[home],
        socket=agent_socket(socket, service.pid),
        url=f"http://127.0.0.1:{port}",
        containers=Containers(service=service.pid, dependencies=_without(firsts, home), from_inside=True),
    )


def _without(firsts: Mapping[str, int], home: str) -> tuple[int, ...]:
    return tuple(pid for mounts, pid in firsts.items() if mounts != home)


def _mounts(pid: int) -> str:
    """What tells the containers of a pod apart: each has a mount namespace of its own; "" of one that is gone."""
    with contextlib.suppress(OSError):
        return str(Path(f"/proc/{pid}/ns/mnt").readlink())
    return ""
