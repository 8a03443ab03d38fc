"""CPU time and memory of another process."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from pacecar.errors import MeasurementError
from pacecar.measurement.probes.probe import Probe, Probed
from pacecar.measurement.probes.threads import threads_of
from pacecar.model.hotspot import Kind, kind_of

#: The kernel's number for "CPU time as the scheduler counts it" (CPUCLOCK_SCHED in linux/posix-timers.h).
_SCHEDULER = 2


class ProcessGone(MeasurementError):
    """A process that was to be measured has ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"Process {pid} ended while it was being measured.", hint="See its log for the reason.")


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


@dataclass(frozen=True, kw_only=True)
class OfThreads:
    """What the scheduler says of a JVM's living threads, in ns since each began; NaN where it says nothing.

    Attributes:
        compilers_ns: CPU time of its JIT compilers.
        delay_ns: how long its other threads but the JVM's own were ready to run and on no CPU.
    """

    compilers_ns: float = math.nan
    delay_ns: float = math.nan


def of_threads(pid: int) -> OfThreads:
    """Ask for the threads of JVM `pid`.

    Those that have ended are not counted: a JVM that keeps its compilers (`-XX:-UseDynamicNumberOfCompilerThreads`) is
    asked for.
    """
    threads = [(kind_of(each.name), each) for each in threads_of(pid).values()]
    compilers = [each.ran_ns for kind, each in threads if kind is Kind.JIT]
    delays = [each.waited_ns for kind, each in threads if kind is Kind.SERVICE]
    return OfThreads(
        compilers_ns=float(sum(compilers)) if compilers else math.nan,
        delay_ns=float(sum(delays)) if delays else math.nan,
    )


def rss_bytes(pid: int) -> int:
    """Bytes of memory that process `pid` holds resident. Raises ProcessGone."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.NoSuchProcess, ValueError) as error:
        raise ProcessGone(pid) from error


class ProcessProbe:
    """CPU time and memory of the service's process."""

    name = "counters"
    columns = ("cpu_ns", "jit_cpu_ns", "run_delay_ns", "rss_bytes")
    order = 1

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        pid = fork.pid
        used, threads = cpu_ns(pid), of_threads(pid)
        return {
            "cpu_ns": used,
            "jit_cpu_ns": threads.compilers_ns,
            "run_delay_ns": threads.delay_ns,
            "rss_bytes": rss_bytes(pid),
        }


PROBE: Probe = ProcessProbe()
