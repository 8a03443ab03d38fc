"""What a container has used of what it may use, as the kernel accounts for it in control groups of version 1 and 2.

Version 1 has a tree per controller, version 2 one for all; a machine may have both, then each controller is in one of
them. Files are explained in the kernel's Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst, the CPU's limit and its
throttling in scheduler/sched-bwc.rst.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from pacecar.measurement.probes.probe import Probe, Probed
from pacecar.measurement.probes.process import ProcessGone, cpu_ns
from pacecar.system.foreign import files

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")
#: Version 1 says "no limit" with the largest number of whole pages; no machine has an exbibyte.
_NO_LIMIT = 2.0**60
_MOST_BYTES = 256 << 10
_DIGITS = re.compile(r"-?[0-9]{1,20}")


@dataclass(frozen=True, kw_only=True)
class Account:
    """Columns of the table "containers", cumulative unless said otherwise; NaN for what the kernel does not tell.

    Attributes:
        used_cpu_ns: CPU time of everything in the container.
        cpu_limit: cores it may use; NaN for no limit. Now.
        periods: of the CPU's limit, in which something wanted to run.
        throttled_periods: of these, in which it had to wait for the next.
        throttled_ns: time it had to wait, added up over cores.
        memory_bytes: resident: its own pages, and those of files that it has mapped. Now.
        memory_limit_bytes: what it may use, caches of files included; NaN for no limit. Now.
        network_bytes: received and sent, its loopback interface left out.
        oom_kills: processes in it that were killed for want of memory.
        beside_cpu_ns: CPU time of what works for it: containers it depends on, and what carries its port to it.
    """

    used_cpu_ns: float = math.nan
    cpu_limit: float = math.nan
    periods: float = math.nan
    throttled_periods: float = math.nan
    throttled_ns: float = math.nan
    memory_bytes: float = math.nan
    memory_limit_bytes: float = math.nan
    network_bytes: float = math.nan
    oom_kills: float = math.nan
    beside_cpu_ns: float = math.nan


def read_account(
    pid: int,
    *,
    dependencies: Iterable[int] = (),
    carriers: Iterable[int] = (),
    from_inside: bool = False,
    proc: Path = _PROC,
    cgroups: Path = _CGROUPS,
) -> Account:
    """The account of the container that process `pid` is in; of one that is gone, NaN throughout.

    Args:
        pid: a process in it, by its id on this machine.
        dependencies: a process in each container that it depends on.
        carriers: processes on this machine that carry its traffic.
        from_inside: each container's control groups are what the container itself sees, not what this machine does.
        proc: where procfs is mounted.
        cgroups: below which folder the control groups are.
    """
    groups = functools.partial(_Inside if from_inside else _Groups, proc=proc, cgroups=cgroups)
    own = groups(pid)
    return Account(
        **own.cpu(),
        **own.memory(),
        network_bytes=_network_bytes(proc / str(pid) / "net" / "dev"),
        beside_cpu_ns=_beside(map(groups, dependencies), carriers),
    )


class _Groups:
    """The control groups of one process."""

    def __init__(self, pid: int, *, proc: Path, cgroups: Path) -> None:
        self._cgroups = cgroups
        self._one: dict[str, str] = {}
        self._two = ""
        for line in _text(proc / str(pid) / "cgroup").splitlines():
            number, _, rest = line.partition(":")
            controllers, _, path = rest.partition(":")
            if number == "0":
                self._two = path
            else:
                self._one |= dict.fromkeys(controllers.split(","), path)

    def cpu(self) -> dict[str, float]:
        """Columns on CPU time."""
        if "cpu" in self._one:
            stat = _pairs(self._file("cpu", "cpu.stat"))
            quota, period = (_number(self._file("cpu", f"cpu.cfs_{name}_us")) for name in ("quota", "period"))
            return {
                "used_cpu_ns": _number(self._file("cpuacct", "cpuacct.usage")),
                "cpu_limit": quota / period if quota > 0 and period > 0 else math.nan,
                "throttled_ns": stat.get("throttled_time", math.nan),
            } | _throttling(stat)
        stat = _pairs(self._file("", "cpu.stat"))
        most = self._file("", "cpu.max").split()
        quota, period = (_number(text) for text in most) if len(most) == 2 else (math.nan, math.nan)
        return {
            "used_cpu_ns": 1e3 * stat.get("usage_usec", math.nan),
            "cpu_limit": quota / period if quota > 0 and period > 0 else math.nan,
            "throttled_ns": 1e3 * stat.get("throttled_usec", math.nan),
        } | _throttling(stat)

    def memory(self) -> dict[str, float]:
        """Columns on memory."""
        if "memory" in self._one:
            stat = _pairs(self._file("memory", "memory.stat"))
            resident = stat.get("total_rss", math.nan) + stat.get("total_mapped_file", math.nan)
            limit = _number(self._file("memory", "memory.limit_in_bytes"))
            kills = _pairs(self._file("memory", "memory.oom_control"))
        else:
            stat = _pairs(self._file("", "memory.stat"))
            resident = stat.get("anon", math.nan) + stat.get("file_mapped", math.nan)
            limit = _number(self._file("", "memory.max"))
            kills = _pairs(self._file("", "memory.events"))
        return {
            "memory_bytes": resident,
            "memory_limit_bytes": limit if limit < _NO_LIMIT else math.nan,
            "oom_kills": kills.get("oom_kill", math.nan),
        }

    def _file(self, controller: str, name: str) -> str:
        if controller:
            return _text(self._cgroups / controller / self._one.get(controller, "").lstrip("/") / name)
        # Where version 1 has the controllers, an empty tree of version 2 may be mounted beside them.
        top = self._cgroups if (self._cgroups / "cgroup.controllers").exists() else self._cgroups / "unified"
        return _text(top / self._two.lstrip("/") / name) if self._two else ""


class _Inside(_Groups):
    """The same for a process of another container of our pod. Whatever path the kernel names, a container has its own
    groups mounted at the top.
    """

    def __init__(self, pid: int, *, proc: Path, cgroups: Path) -> None:
        super().__init__(pid, proc=proc, cgroups=proc / str(pid) / "root" / cgroups.relative_to("/"))
        self._one = dict.fromkeys(self._one, "")
        self._two = self._two and "/"


def _throttling(stat: dict[str, float]) -> dict[str, float]:
    return {
        "periods": stat.get("nr_periods", math.nan),
        "throttled_periods": stat.get("nr_throttled", math.nan),
    }


def _beside(dependencies: Iterable[_Groups], carriers: Iterable[int]) -> float:
    used = 0.0
    for groups in dependencies:
        cpu = groups.cpu()["used_cpu_ns"]
        used += 0.0 if math.isnan(cpu) else cpu  # one that has done its work and ended
    for pid in carriers:
        with contextlib.suppress(ProcessGone):
            used += cpu_ns(pid)
    return used


def _network_bytes(path: Path) -> float:
    total, found = 0.0, False
    for line in _text(path).splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        if name.strip() != "lo" and len(fields) >= 9:
            total += _number(fields[0]) + _number(fields[8])
            found = True
    return total if found else math.nan


def _pairs(text: str) -> dict[str, float]:
    """Lines of a name and a number."""
    parted = (line.split() for line in text.splitlines())
    return {fields[0]: _number(fields[1]) for fields in parted if len(fields) == 2}


def _number(text: str) -> float:
    # The kernel writes digits, "max" for no limit, and -1 where version 1 says the same.
    number = text.strip()
    return float(number) if _DIGITS.fullmatch(number) else math.nan


def _text(path: Path) -> str:
    try:
        return files.beginning(path, most=_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


class AccountProbe:
    """The account of the service's container."""

    name = "containers"
    columns = tuple(each.name for each in fields(Account))
    order = 5

    def read(self, fork: Probed) -> Mapping[str, float] | None:
        """See `Probe`. A plain process has no account."""
        around = fork.containers
        if around is None:
            return None
        return vars(
            read_account(
                around.service,
                dependencies=around.dependencies,
                carriers=around.carriers,
                from_inside=around.from_inside,
            )
        )


PROBE: Probe = AccountProbe()
