"""Where a cluster's only node runs: its own number on this machine, a folder, namespaces, control groups.

Everything that runs on the node is in one process namespace, and all its mounts are in one mount namespace. The kernel
ends both at once when their first process ends (`inside`). So no container, shim or volume outlives it, whatever
happens. Everything else has the node's number in its name. If nobody removes it, the next node with that number does.
"""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from support import cache
from support.watchdogs import line_within

#: The node's name in its cluster. Whichever machine it is, tests find the same.
NAME = "pacecar-node"

_NODES = 8
_NAMESPACES_S, _GONE_S = 30, 30
#: What `inside.py` says once it has covered what is the machine's.
_READY = b"ready\n"
_CONTROLLERS = {"cpu", "cpuset", "hugetlb", "memory", "pids"}
_INSIDE = Path(__file__).with_name("inside.py")


class NoCluster(Exception):
    """A cluster that was to be started does not start."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """What a node has for itself; everything is named by its number."""

    number: int
    folder: Path

    @property
    def address(self) -> str:
        """An address of the loopback interface: all of 127.0.0.0/8 is there without being set up."""
        return f"127.90.{self.number}.1"

    @property
    def services(self) -> str:
        """Addresses for services; the first one is that of the API, and of this node."""
        return f"127.90.{self.number}.0/24"

    @property
    def pods(self) -> str:
        """Addresses for pods, apart from those of the container engines of the tests."""
        return f"10.{240 + self.number}.0.0/24"

    @property
    def control_group(self) -> str:
        return f"pacecar-test-node-{self.number}"


@contextlib.contextmanager
def place() -> Iterator[Place]:
    """A place that no other node has, of this process or another. All that was in it is gone afterwards."""
    with contextlib.ExitStack() as stack:
        for number in range(_NODES):
            lock = stack.enter_context((cache.folder() / f"node-{number}.lock").open("a+"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield from _held(number, lock)
            return
        raise NoCluster(f"{_NODES} clusters of the tests run already")


def _held(number: int, lock: IO[str]) -> Iterator[Place]:
    """The place of this number; the lock's file names its folder while there is one."""
    lock.seek(0)
    if left := lock.read():
        _remove(Place(number=number, folder=Path(left)))
    found = Place(number=number, folder=Path(tempfile.mkdtemp(prefix="pacecar-node-")))
    lock.truncate(0)
    lock.write(str(found.folder))
    lock.flush()
    try:
        for hierarchy in _hierarchies():
            _hand_down(hierarchy)
            (hierarchy / found.control_group).mkdir(exist_ok=True)
        yield found
    finally:
        _remove(found)
        lock.truncate(0)


@dataclass(frozen=True, kw_only=True)
class Node:
    """A running first process, and what was started beside it."""

    place: Place
    first: int
    _parts: dict[str, subprocess.Popen[bytes]]

    def start(self, name: str, *command: str | Path, env: Mapping[str, str] | None = None) -> None:
        """Start a part of the node; what it says goes to a file of its name."""
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.place.folder), **(env or {})}
        with self.said(name).open("wb") as said:
            self._parts[name] = subprocess.Popen(
                ["nsenter", f"--target={self.first}", "--mount", "--pid", *command],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def said(self, name: str) -> Path:
        return self.place.folder / f"{name}.log"

    def require(self) -> None:
        """See that every part still runs.

        Raises:
            NoCluster: when one does not.
        """
        for name, process in self._parts.items():
            if process.poll() is not None:
                raise NoCluster(f"{name} has ended: {last_words(self.said(name))}")


@contextlib.contextmanager
def started(place: Place) -> Iterator[Node]:
    """The first process of a node, and namespaces for those to come."""
    apart = ("unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child")
    said = place.folder / "first.log"
    with said.open("wb") as errors:
        process = subprocess.Popen(
            [*apart, sys.executable, _INSIDE, place.folder, NAME, place.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    parts: dict[str, subprocess.Popen[bytes]] = {}
    try:
        if line_within(process.stdout, _NAMESPACES_S) != _READY:
            raise NoCluster(f"no namespaces for a node: {last_words(said)}")
        yield Node(place=place, first=psutil.Process(process.pid).children()[0].pid, _parts=parts)
    finally:
        process.stdin.close()
        for each in (process, *parts.values()):
            each.wait(_GONE_S)
        process.stdout.close()


def last_words(file: Path) -> str:
    """The end of a log as one line."""
    return " ".join(file.read_text(errors="replace").split())[-400:]


def _remove(place: Place) -> None:
    """Remove folder and control groups, once pods' interfaces are gone; what ran there has ended, or is about to.

    The kernel removes a network namespace some time after its last process has ended.
    """
    deadline = time.monotonic() + _GONE_S
    while not _removed(place.control_group):
        if time.monotonic() > deadline:
            raise NoCluster(f"a process stays in the control group {place.control_group}")
        time.sleep(0.05)
    while left := _interfaces(place.pods):
        if time.monotonic() > deadline:
            raise NoCluster(f"interfaces of pods stay: {', '.join(left)}")
        time.sleep(0.05)
    if place.folder.exists():
        shutil.rmtree(place.folder)


def _interfaces(network: str) -> list[str]:
    """Of this machine, those that have an address in a network of IPv4."""
    addresses = ipaddress.ip_network(network)
    return [
        name
        for name, found in psutil.net_if_addrs().items()
        if any(each.family == socket.AF_INET and ipaddress.ip_address(each.address) in addresses for each in found)
    ]


def _hand_down(hierarchy: Path) -> None:
    """Give groups the controllers that kubelet asks for: with version 2, they have what is handed down to them."""
    known = hierarchy / "cgroup.controllers"
    for controller in _CONTROLLERS.intersection(known.read_text().split() if known.exists() else ()):
        (hierarchy / "cgroup.subtree_control").write_text(f"+{controller}")


def _removed(control_group: str) -> bool:
    """Whether a control group is gone from every hierarchy, with those below it; they go while they are empty."""
    groups = [hierarchy / control_group for hierarchy in _hierarchies()]
    for group in groups:
        for folder, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
    return not any(group.exists() for group in groups)


def _hierarchies() -> list[Path]:
    """Where control groups are mounted: several places with version 1, one with version 2."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [Path(mount[1]) for mount in mounts if mount[2] in ("cgroup", "cgroup2")]
