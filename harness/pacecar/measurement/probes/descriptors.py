"""What a process has open: file descriptors, and its connections to others among them."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.probes.probe import Probe, Probed
from pacecar.measurement.probes.process import ProcessGone
from pacecar.system.foreign import files

_PROC = Path("/proc")
_SOCKET = "socket:["
#: Of a table of TCP connections; so many that more would take too long to read between two windows.
_MOST_BYTES = 4 << 20
_LISTENING = b"0A"  # TCP_LISTEN in net/tcp_states.h
#: Local port, state and inode in a row of such a table (proc_net(5)). Most rows are connections that a load generator
#: has closed: they are nobody's any more, their inode is 0, and they are left out without being looked at further.
_ROW = re.compile(rb"^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ ([1-9]\d*) ", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Descriptors:
    """Columns of the table "counters", both as of now; NaN where it cannot be told.

    Connections that it has accepted are in neither: how many there are is up to the load generator.

    Attributes:
        descriptors: open file descriptors.
        connections: those of them that are TCP connections which it has opened itself, closed by the other end or not.
    """

    descriptors: float = math.nan
    connections: float = math.nan


def read_descriptors(pid: int, *, proc: Path = _PROC) -> Descriptors:
    """What process `pid` has open. Of one that belongs to somebody else the kernel tells nobody but root.

    Raises:
        ProcessGone: there is no such process.
    """
    try:
        opened, sockets = open_sockets(pid, proc)
        own = [(port, listening) for port, listening, inode in _tcp(pid, proc) if inode in sockets]
    except PermissionError:
        return Descriptors()
    except OSError as error:
        if not (proc / str(pid)).exists():
            raise ProcessGone(pid) from error
        return Descriptors()
    ports = {port for port, listening in own if listening}
    connected = [port for port, listening in own if not listening]
    accepted = sum(port in ports for port in connected)
    return Descriptors(descriptors=opened - accepted, connections=len(connected) - accepted)


def open_sockets(pid: int, proc: Path) -> tuple[int, set[str]]:
    """How many descriptors are open, and the inodes of those that are sockets.

    Raises:
        OSError: they are not shown, or the process is gone.
    """
    opened, sockets = 0, set[str]()
    for link in (proc / str(pid) / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in between
            target = str(link.readlink())
            opened += 1
            if target.startswith(_SOCKET):
                sockets.add(target.removeprefix(_SOCKET).removesuffix("]"))
    return opened, sockets


def _tcp(pid: int, proc: Path) -> Iterator[tuple[str, bool, str]]:
    """Local port, whether it listens, and inode of the TCP sockets in the network of a process.

    Raises:
        OSError: they cannot be told, or are too many.
    """
    for table in tcp_tables(pid, proc):
        for port, state, inode in _ROW.findall(table):
            yield port.decode(), state == _LISTENING, inode.decode()


def tcp_tables(pid: int, proc: Path) -> Iterator[bytes]:
    """The tables of TCP sockets in the network of a process, as proc_net(5) tells them.

    Raises:
        OSError: they cannot be told, or are too many.
    """
    for name in ("tcp", "tcp6"):
        path = proc / str(pid) / "net" / name
        if name == "tcp6" and not path.exists():
            continue  # a kernel without IPv6
        yield files.content(path, most=_MOST_BYTES)


class DescriptorProbe:
    """Open files and connections of the service's process."""

    name = "counters"
    columns = ("descriptors", "connections")
    order = 4

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        return vars(read_descriptors(fork.pid))


PROBE: Probe = DescriptorProbe()
