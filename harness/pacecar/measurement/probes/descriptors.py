"""What a process has open: file descriptors, and sockets among them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.probes.probe import Probed
from pacecar.measurement.probes.process import ProcessGone

_PROC = Path("/proc")
_SOCKET = "socket:["


@dataclass(frozen=True, kw_only=True)
class Descriptors:
    """Columns of the table "counters", both as of now; NaN where we may not look into the process.

    Attributes:
        descriptors: open file descriptors.
        sockets: those of them that are sockets, listening ones included.
    """

    descriptors: float = math.nan
    sockets: float = math.nan


def read_descriptors(pid: int, *, proc: Path = _PROC) -> Descriptors:
    """What process `pid` has open. Of one that belongs to somebody else the kernel tells nobody but root.

    Counted by descriptor and not in the tables of /proc/PID/net: a load generator on this machine leaves tens of
    thousands of closed connections there, which take longer to read than there is time between two windows.

    Raises:
        ProcessGone: there is no such process.
    """
    opened = sockets = 0
    try:
        for link in (proc / str(pid) / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed in between
                sockets += str(link.readlink()).startswith(_SOCKET)
                opened += 1
    except PermissionError:
        return Descriptors()
    except OSError as error:
        raise ProcessGone(pid) from error
    return Descriptors(descriptors=opened, sockets=sockets)


class DescriptorProbe:
    """Open files and sockets of the service's process."""

    name = "counters"
    columns = ("descriptors", "sockets")

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        return vars(read_descriptors(fork.pid))
