"""CPU time and memory of another process."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from pacecar.errors import MeasurementError
from pacecar.measurement.probes.probe import Probed
from pacecar.model.hotspot import Kind, kind_of

#: The kernel's number for "CPU time as the scheduler counts it" (CPUCLOCK_SCHED in linux/posix-timers.h).
_SCHEDULER = 2


class ProcessGone(MeasurementError):
    """A process that was to be measured has ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"Process {pid} has ended while it was measured.", hint="Look into its log for the reason.")


def cpu_ns(pid: int) -> int:
    """CPU nanoseconds that process `pid` has used so far, in user and kernel mode, over all its threads.

    Read from the clock that Linux keeps for each process, whose id is made from the pid as clock_getcpuclockid(3)
    makes it. Unlike /proc/PID/stat it counts nanoseconds, not jiffies of 10 ms; unlike the sum over
    /proc/PID/task it includes threads that have ended, which in a JVM are many.

    Raises:
        ProcessGone: there is no such process.
    """
    if pid <= 0:
        raise ProcessGone(pid)  # 0 would name the clock of the process that asks
    try:
        return time.clock_gettime_ns((~pid << 3) | _SCHEDULER)
    except OSError as error:
        raise ProcessGone(pid) from error


def compilers_cpu_ns(pid: int) -> float:
    """CPU nanoseconds that the JIT compilers of JVM `pid` have used so far; NaN where none can be told.

    HotSpot names their threads. Those that have ended are not counted: a JVM that keeps them
    (`-XX:-UseDynamicNumberOfCompilerThreads`) is asked for.
    """
    used = math.nan
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            # A thread may end while it is looked at.
            with contextlib.suppress(OSError, ValueError, IndexError):
                if kind_of((task / "comm").read_text()) is Kind.JIT:
                    own = int((task / "schedstat").read_text().split()[0])
                    used = own + (0.0 if math.isnan(used) else used)
    return used


def rss_bytes(pid: int) -> int:
    """Bytes of memory that process `pid` holds resident. Raises ProcessGone."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.NoSuchProcess, ValueError) as error:
        raise ProcessGone(pid) from error


class ProcessProbe:
    """CPU time and memory of the service's process."""

    name = "counters"
    columns = ("cpu_ns", "jit_cpu_ns", "rss_bytes")

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        pid = fork.pid
        return {"cpu_ns": cpu_ns(pid), "jit_cpu_ns": compilers_cpu_ns(pid), "rss_bytes": rss_bytes(pid)}
