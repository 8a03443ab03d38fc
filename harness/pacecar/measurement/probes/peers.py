"""Processes of this machine that the service is connected to, such as its database: what they use is for its requests.

The kernel tells who listens on the other end of a connection over the loopback interface: by the socket's inode among
the open files of a process, or, where those are somebody else's and hidden, by the user that the socket belongs to.
What such a process has started works for it: PostgreSQL serves every connection with a process of its own.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from pacecar.measurement.probes.descriptors import open_sockets, tcp_tables
from pacecar.measurement.probes.families import process_tree, used_ns
from pacecar.measurement.probes.process import ProcessGone
from pacecar.text.plain import cleaned

_PROC = Path("/proc")
_ROOT = 0
_LISTENING = b"0A"  # TCP_LISTEN in net/tcp_states.h
#: Of more than these only the first are looked at: this is read between two windows.
_PORTS = 50
_PROCESSES = 500
_NAME = 40
#: Local address and port, remote address and port, state, user and inode in a row (proc_net(5)).
_ROW = re.compile(
    rb"^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+) +\d+ ([1-9]\d*) ",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A row of the table "peers".

    Attributes:
        process: its id.
        name: as the kernel knows it.
        started_ns: since the epoch; tells two processes of one id apart.
        cpu_ns: CPU time so far, in user and kernel mode, of children too that it has waited for.
    """

    process: int
    name: str
    started_ns: int
    cpu_ns: int


class PeerReader:
    """Finds the peers of one service; who listens on a port is looked up once."""

    def __init__(self, proc: Path = _PROC) -> None:
        self._proc = proc
        self._listeners: dict[tuple[str, int], frozenset[int]] = {}

    def read(self, pid: int, *, known: Collection[int] = ()) -> tuple[Peer, ...]:
        """The peers of process `pid` now, without those of `known` ids; none where the kernel does not tell."""
        try:
            wanted = _listening(pid, self._proc)
        except OSError:
            return ()
        for each in wanted - self._listeners.keys():
            self._listeners[each] = self._found(*each)
        listeners = {listener for each in wanted for listener in self._listeners[each]}
        return tuple(_peers(listeners - {pid, os.getpid(), *known}, known))

    def _found(self, inode: str, user: int) -> frozenset[int]:
        holders, users = set[int](), set[int]()
        for each in self._proc.iterdir():
            if not each.name.isdecimal():
                continue
            with contextlib.suppress(OSError):
                if each.stat().st_uid == user:
                    users.add(int(each.name))
                if inode in open_sockets(int(each.name), self._proc)[1]:
                    holders.add(int(each.name))
        # What root or we ourselves run is too much to be one service.
        return frozenset(holders or (users if user not in (_ROOT, os.geteuid()) else ()))


def _listening(pid: int, proc: Path) -> set[tuple[str, int]]:
    """Inode and user of each socket that a connection of `pid` over the loopback interface has reached."""
    _, own = open_sockets(pid, proc)
    rows = [match for table in tcp_tables(pid, proc) for match in _ROW.findall(table)]
    listening = {port: (inode.decode(), int(user)) for _, port, _, _, state, user, inode in rows if state == _LISTENING}
    accepting = {port for _, port, _, _, state, _, inode in rows if state == _LISTENING and inode.decode() in own}
    reached = {
        remote_port
        for _, port, remote, remote_port, state, _, inode in rows
        if inode.decode() in own and state != _LISTENING and port not in accepting and _is_loopback(remote)
    }
    return {listening[port] for port in sorted(reached)[:_PORTS] if port in listening}


def _is_loopback(address: bytes) -> bool:
    """Whether an address is, written as the kernel writes it: words of four bytes, each in the machine's order."""
    words = bytes.fromhex(address.decode())
    plain = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    found = ipaddress.ip_address(plain)
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def _peers(listeners: Iterable[int], known: Collection[int]) -> Iterator[Peer]:
    """The processes that listen, and those they have started, but not if we are one of these."""
    found = {pid: process for pid, process in process_tree(listeners).items() if pid not in known}
    for pid, process in list(found.items())[:_PROCESSES]:
        with contextlib.suppress(psutil.Error, ProcessGone):
            yield Peer(
                process=pid,
                name=cleaned(process.name())[:_NAME],
                started_ns=int(process.create_time() * 1e9),
                cpu_ns=used_ns(process),
            )
