"""What the machine is: cores, memory, its loopback interface, its clocks."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

from pacecar.measurement.probes.process import ProcessGone, cpu_ns
from pacecar.model.check import Check
from pacecar.system.resources import Resources
from pacecar.text.units import format_quantity

#: Two small JVMs and the load generator.
_LEAST_MEMORY = 1e9
_COMFORTABLE_MEMORY = 2.5e9
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_CGROUP = Path("/sys/fs/cgroup")


def checks() -> tuple[Check, ...]:
    """All of it, but for the clock of other processes, which needs another process."""
    return (_cores(), _affinity(), _memory(), _loopback(), perf_events(_PARANOID))


def clock_of_another_process(resources: Resources) -> Check:
    """Whether the kernel tells the CPU time of another process in nanoseconds; some sandboxes forbid it."""
    command = [sys.executable, "-c", "import time; time.sleep(30)"]
    child = resources.spawn(command, name="sleeper", log=resources.folder("clock") / "output.log")
    try:
        used_ns = cpu_ns(child.pid)
    except ProcessGone:
        remedy = "CPU per request cannot be measured in this sandbox: run outside of it"
        return Check(name="process clock", ok=False, found="refused by the kernel", remedy=remedy)
    finally:
        resources.release(child)
    return Check(name="process clock", ok=True, found=f"readable (another process used {used_ns / 1e6:.1f} ms)")


def cpu_quota(root: Path) -> float | None:
    """Cores that the control group of this process may use at most; None without a limit.

    Args:
        root: where the control groups are mounted; understands version 2 and version 1.
    """
    try:
        if (root / "cpu.max").is_file():
            quota, period = (root / "cpu.max").read_text().split()
        else:
            quota, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))
        return float(quota) / float(period) if float(quota) > 0 and float(period) > 0 else None
    except (OSError, ValueError):  # no such file, or "max"
        return None


def perf_events(setting: Path) -> Check:
    """A setting that profilers usually need, and this one does not."""
    try:
        value = setting.read_text().strip()[:10]
    except OSError:
        value = "not readable"
    found = f"{value}; this does not matter, because the agent samples with ctimer"
    return Check(name="perf_event_paranoid", ok=True, found=found, required=False)


def _cores() -> Check:
    allowed = sorted(os.sched_getaffinity(0))
    quota = cpu_quota(_CGROUP)
    usable = min(float(len(allowed)), quota or float("inf"))
    found = f"{len(allowed)} ({_ranges(allowed)})" + (f", limited to {quota:g} by a control group" if quota else "")
    remedy = None if usable >= 2 else "service and load generator will share a core: use a machine with at least two"
    return Check(name="cores", ok=usable >= 2, found=found, remedy=remedy, required=False)


def _affinity() -> Check:
    try:
        os.sched_setaffinity(0, os.sched_getaffinity(0))
    except OSError as error:
        remedy = "the sandbox forbids sched_setaffinity; set pin = false under [plan]"
        return Check(name="pinning", ok=False, found=f"refused: {error.strerror}", remedy=remedy, required=False)
    return Check(name="pinning", ok=True, found="processes can be pinned to a core", required=False)


def _memory() -> Check:
    memory = psutil.virtual_memory()
    found = f"{format_quantity(memory.available, 'B')} of {format_quantity(memory.total, 'B')} available"
    enough = memory.available >= _COMFORTABLE_MEMORY
    remedy = None if enough else "two services and the load generator run at once: end other programs"
    required = memory.available < _LEAST_MEMORY
    return Check(name="memory", ok=enough, found=found, remedy=remedy, required=required)


def _loopback() -> Check:
    try:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(1)
            with socket.create_connection(server.getsockname(), timeout=2):
                pass
    except OSError as error:
        remedy = "services and profiles are reached over 127.0.0.1: ip link set lo up"
        return Check(name="loopback", ok=False, found=f"127.0.0.1 cannot be used: {error}", remedy=remedy)
    return Check(name="loopback", ok=True, found="127.0.0.1 listens and answers")


def _ranges(cores: Iterable[int]) -> str:
    """`0-3,6` of 0, 1, 2, 3, 6."""
    runs: list[list[int]] = []
    for core in cores:
        if runs and core == runs[-1][-1] + 1:
            runs[-1].append(core)
        else:
            runs.append([core])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
