"""What a process reads and writes, files and sockets alike, as the kernel counts it for each process (proc(5))."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.probes.probe import Probe, Probed
from pacecar.measurement.probes.process import ProcessGone

_PROC = Path("/proc")
_LINE = re.compile(r"^(rchar|wchar|syscr|syscw): (\d+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class InputOutput:
    """Columns of the table "counters", cumulative; NaN where the kernel does not tell.

    A statement or a call to another service is at least a write and a read, whatever driver or client makes it.

    Attributes:
        read_bytes: by all read calls.
        written_bytes: by all write calls.
        reads: calls.
        writes: calls.
    """

    read_bytes: float = math.nan
    written_bytes: float = math.nan
    reads: float = math.nan
    writes: float = math.nan


def read_input_output(pid: int, *, proc: Path = _PROC) -> InputOutput:
    """What process `pid` has read and written. Of one that belongs to somebody else the kernel tells nobody but root.

    Raises:
        ProcessGone: there is no such process.
    """
    try:
        found = {name: float(count) for name, count in _LINE.findall((proc / str(pid) / "io").read_text())}
    except PermissionError:
        return InputOutput()
    except OSError as error:
        if not (proc / str(pid)).exists():
            raise ProcessGone(pid) from error
        return InputOutput()  # a kernel that does not account for it
    return InputOutput(
        read_bytes=found.get("rchar", math.nan),
        written_bytes=found.get("wchar", math.nan),
        reads=found.get("syscr", math.nan),
        writes=found.get("syscw", math.nan),
    )


class InputOutputProbe:
    """Bytes and calls of the service's process."""

    name = "counters"
    columns = ("read_bytes", "written_bytes", "reads", "writes")
    order = 3

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        return vars(read_input_output(fork.pid))


PROBE: Probe = InputOutputProbe()
