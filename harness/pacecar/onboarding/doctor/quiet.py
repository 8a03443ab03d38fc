"""How quiet the machine is: what would be measured beside the builds."""

from __future__ import annotations

import os
from pathlib import Path

from pacecar.model.check import Check

#: Share of all CPU time taken by the hypervisor that is worth a note.
_STEAL_NOTED = 0.005
#: Runnable processes per core, of others, that would compete with the service.
_LOAD_NOTED = 0.3
_CPUS = Path("/sys/devices/system/cpu")


def checks() -> tuple[Check, ...]:
    """Steal, load and frequency scaling. None of them forbids a measurement; runs watch them, too."""
    return (steal(_text(Path("/proc/stat"))), load(os.getloadavg()[0], len(os.sched_getaffinity(0))), governor(_CPUS))


def steal(stat: str) -> Check:
    """CPU time taken away by the hypervisor since boot; `stat` is the text of /proc/stat."""
    share = steal_share(stat)
    if share is None:
        return Check(name="steal", ok=True, found="the kernel does not report it", required=False)
    noted = share > _STEAL_NOTED
    remedy = "neighbors on the same host slow this machine: measure at another time, or on a dedicated one"
    found = f"{100 * share:.2f}% of CPU time since boot"
    return Check(name="steal", ok=not noted, found=found, remedy=remedy if noted else None, required=False)


def steal_share(stat: str) -> float | None:
    """Stolen share of all CPU time, from the text of /proc/stat; None when it does not say.

    Columns as in proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time.
    """
    fields = next((line.split()[1:9] for line in stat.splitlines() if line.startswith("cpu ")), [])
    if len(fields) < 8 or not all(field.isdecimal() for field in fields):
        return None
    ticks = [int(field) for field in fields]
    return ticks[7] / sum(ticks) if sum(ticks) else None


def load(average: float, cores: int) -> Check:
    """Whether others are busy now; `average` is the load average over one minute."""
    busy = average > _LOAD_NOTED * cores
    remedy = "other processes would be measured too: find them with top, and stop them" if busy else None
    found = f"{average:.2f} on {cores} core{'' if cores == 1 else 's'} over the last minute"
    return Check(name="load", ok=not busy, found=found, remedy=remedy, required=False)


def governor(cpus: Path) -> Check:
    """How the cores choose their frequency; `cpus` is the kernel's folder of cores."""
    files = sorted(cpus.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    names = sorted({_text(file).strip()[:20] for file in files} - {""})
    if not names:
        return Check(name="governor", ok=True, found="not readable, as on most virtual machines", required=False)
    steady = names == ["performance"]
    remedy = None if steady else "frequencies follow the load: sudo cpupower frequency-set -g performance"
    return Check(name="governor", ok=steady, found=", ".join(names), remedy=remedy, required=False)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
