"""The machine: what all of it did until now, and what it is."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

from pacecar.measurement.probes.probe import Probe, Probed
from pacecar.model.recording import Fingerprint
from pacecar.system.resources import Resources

_PROC = Path("/proc")
_JAVA_TIMEOUT_S = 60.0


@dataclass(frozen=True, kw_only=True)
class HostReading:
    """Columns of the table "host": seconds since the machine started, added up over all cores.

    Attributes:
        time_ns: when it was read.
        user_s: in user mode, niced processes included.
        system_s: in the kernel, interrupts included.
        idle_s: doing nothing.
        iowait_s: doing nothing while a disk was waited for.
        steal_s: ready to run, while the hypervisor ran somebody else.
        load1: mean number of runnable tasks over the last minute.
        context_switches: since the machine started.
    """

    time_ns: int
    user_s: float
    system_s: float
    idle_s: float
    iowait_s: float
    steal_s: float
    load1: float
    context_switches: int


def read_host(proc: Path = _PROC) -> HostReading:
    """Read /proc/stat and /proc/loadavg; fields are explained in proc(5)."""
    lines = (proc / "stat").read_text().splitlines()
    fields = {name: rest.split() for name, _, rest in (line.partition(" ") for line in lines)}
    per_second = os.sysconf("SC_CLK_TCK")
    user, nice, system, idle, iowait, irq, softirq, steal = (int(ticks) / per_second for ticks in fields["cpu"][:8])
    return HostReading(
        time_ns=time.time_ns(),
        user_s=user + nice,
        system_s=system + irq + softirq,
        idle_s=idle,
        iowait_s=iowait,
        steal_s=steal,
        load1=float((proc / "loadavg").read_text().split()[0]),
        context_switches=int(fields["ctxt"][0]),
    )


def fingerprint(java: Path | str = "java") -> Fingerprint:
    """The machine and the JVM that `java` starts.

    Raises:
        UsageError: `java` cannot be started.
    """
    return Fingerprint(
        cpu_model=_cpu_model((_PROC / "cpuinfo").read_text()),
        cores=os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        kernel=platform.release(),
        jvm=_java_version(java),
        os=_os_name(),
    )


def _cpu_model(cpuinfo: str) -> str:
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()  # ARM kernels name no model


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _java_version(java: Path | str) -> str:
    with Resources() as resources:
        log = resources.folder("java-version") / "output"
        resources.run([str(java), "-version"], name="java -version", log=log, timeout_s=_JAVA_TIMEOUT_S)
        lines = log.read_text(errors="replace").splitlines()
    # The JVM reports options from the environment before it answers.
    return next((line.strip() for line in lines if line and not line.startswith("Picked up ")), "")


class HostProbe:
    """The machine that the fork is on, with a time of its own: it is read last."""

    name = "host"
    columns = tuple(each.name for each in fields(HostReading))
    order = 6

    def read(self, fork: Probed) -> Mapping[str, float]:  # noqa: ARG002  every fork is on this one
        """See `Probe`."""
        return vars(read_host())


PROBE: Probe = HostProbe()
