"""Accounts of containers, from files as kernels write them."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from pacecar.measurement.probes.cgroup import read_account

PID = 4711
ID = "1fadc4f843ef89d33a478eb752ee5a1571f04ce529931c07ba376c2a99c071e5"

#: Linux 5.10 with version 1, Docker 20.10: a busy container with 0.2 cores and 300 MiB, after three seconds.
PROC_1 = f"""9:name=systemd:/docker/{ID}
8:pids:/docker/{ID}
4:memory:/docker/{ID}
3:cpuset:/docker/{ID}
2:cpu,cpuacct:/docker/{ID}
0::/docker/{ID}
"""
FILES_1 = {
    "cpu/cpu.stat": "nr_periods 32\nnr_throttled 30\nthrottled_time 1743124438\nnr_bursts 0\nburst_time 0\n",
    "cpu/cpu.cfs_quota_us": "20000\n",
    "cpu/cpu.cfs_period_us": "100000\n",
    "cpuacct/cpuacct.usage": "635900743\n",
    "memory/memory.limit_in_bytes": "314572800\n",
    "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "memory/memory.stat": "cache 159744\nrss 110592\nmapped_file 135168\nhierarchical_memory_limit 314572800\n"
    "total_cache 159744\ntotal_rss 110592\ntotal_rss_huge 0\ntotal_mapped_file 135168\ntotal_unevictable 0\n",
}
#: Linux 6.1 with version 2 alone, below systemd: 1.5 cores and 512 MiB.
PROC_2 = f"0::/system.slice/docker-{ID}.scope\n"
FILES_2 = {
    "cpu.stat": "usage_usec 4812345\nuser_usec 4000000\nsystem_usec 812345\nnr_periods 210\nnr_throttled 17\n"
    "throttled_usec 352113\nnr_bursts 0\nburst_usec 0\n",
    "cpu.max": "150000 100000\n",
    "memory.stat": "anon 201326592\nfile 52428800\nkernel 3145728\nkernel_stack 983040\npagetables 1245184\n"
    "sock 4096\nshmem 0\nfile_mapped 20971520\nfile_dirty 0\n",
    "memory.max": "536870912\n",
    "memory.events": "low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n",
}
#: Its columns stand further apart in a kernel's own.
NET = """Inter-| Receive | Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
    lo:    5000  20 0 0 0 0 0 0     5000  20 0 0 0 0 0 0
  eth0:     736   8 0 0 0 0 0 0      264   4 0 0 0 0 0 0
  eth1:    1000  10 0 0 0 0 0 0     2000  10 0 0 0 0 0 0
"""


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, Path]:
    proc = tmp_path / "proc"
    (proc / str(PID) / "net").mkdir(parents=True)
    (proc / str(PID) / "net" / "dev").write_text(NET)
    return proc, tmp_path / "cgroup"


def write(root: Path, files: dict[str, str], folder: str) -> None:
    for name, text in files.items():
        controller, _, file = name.rpartition("/")
        path = root / controller / folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_version_1(machine: tuple[Path, Path]) -> None:
    proc, cgroups = machine
    (proc / str(PID) / "cgroup").write_text(PROC_1)
    write(cgroups, FILES_1, f"docker/{ID}")
    account = read_account(PID, proc=proc, cgroups=cgroups)
    assert account.used_cpu_ns == 635_900_743
    assert account.cpu_limit == pytest.approx(0.2)
    assert (account.periods, account.throttled_periods, account.throttled_ns) == (32, 30, 1_743_124_438)
    assert account.memory_bytes == 110_592 + 135_168
    assert account.memory_limit_bytes == 300 << 20
    assert account.oom_kills == 2
    assert account.network_bytes == 736 + 264 + 1000 + 2000


def test_version_2(machine: tuple[Path, Path]) -> None:
    proc, cgroups = machine
    (proc / str(PID) / "cgroup").write_text(PROC_2)
    write(cgroups, FILES_2, f"system.slice/docker-{ID}.scope")
    (cgroups / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    account = read_account(PID, proc=proc, cgroups=cgroups)
    assert account.used_cpu_ns == 4_812_345_000
    assert account.cpu_limit == pytest.approx(1.5)
    assert (account.periods, account.throttled_periods, account.throttled_ns) == (210, 17, 352_113_000)
    assert account.memory_bytes == 201_326_592 + 20_971_520
    assert account.memory_limit_bytes == 512 << 20
    assert account.oom_kills == 1


@pytest.mark.parametrize("version", [1, 2])
def test_from_within_a_container_beside_it(machine: tuple[Path, Path], version: int) -> None:
    """Whatever path the kernel names, the container's own groups are at the top of what it has mounted."""
    proc, _ = machine
    (proc / str(PID) / "cgroup").write_text(PROC_1 if version == 1 else "0::/../other\n")
    mounted = proc / str(PID) / "root" / "sys" / "fs" / "cgroup"
    write(mounted, FILES_1 if version == 1 else FILES_2, "")
    if version == 2:
        (mounted / "cgroup.controllers").touch()
    account = read_account(PID, from_inside=True, proc=proc)
    assert account.used_cpu_ns == (635_900_743 if version == 1 else 4_812_345_000)
    assert account.memory_limit_bytes == (300 << 20 if version == 1 else 512 << 20)
    assert account.throttled_periods == (30 if version == 1 else 17)


def test_without_limits(machine: tuple[Path, Path]) -> None:
    proc, cgroups = machine
    (proc / str(PID) / "cgroup").write_text(PROC_1)
    none = {"cpu/cpu.cfs_quota_us": "-1\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}
    write(cgroups, FILES_1 | none, f"docker/{ID}")
    one = read_account(PID, proc=proc, cgroups=cgroups)
    (proc / str(PID) / "cgroup").write_text(PROC_2)
    write(cgroups, FILES_2 | {"cpu.max": "max 100000\n", "memory.max": "max\n"}, f"system.slice/docker-{ID}.scope")
    (cgroups / "cgroup.controllers").touch()
    two = read_account(PID, proc=proc, cgroups=cgroups)
    for account in (one, two):
        assert math.isnan(account.cpu_limit)
        assert math.isnan(account.memory_limit_bytes)
        assert account.used_cpu_ns > 0


def test_controllers_of_version_1_beside_an_empty_tree_of_version_2(machine: tuple[Path, Path]) -> None:
    proc, cgroups = machine
    (proc / str(PID) / "cgroup").write_text(PROC_1.replace(f"4:memory:/docker/{ID}\n", ""))
    write(cgroups, {name: text for name, text in FILES_1.items() if not name.startswith("memory")}, f"docker/{ID}")
    write(cgroups / "unified", FILES_2, f"docker/{ID}")
    account = read_account(PID, proc=proc, cgroups=cgroups)
    assert account.used_cpu_ns == 635_900_743
    assert account.memory_limit_bytes == 512 << 20


def test_what_is_beside_is_added_up(machine: tuple[Path, Path]) -> None:
    proc, cgroups = machine
    for pid in (PID, PID + 1):
        (proc / str(pid)).mkdir(exist_ok=True)
        (proc / str(pid) / "cgroup").write_text(PROC_2)
    write(cgroups, FILES_2, f"system.slice/docker-{ID}.scope")
    (cgroups / "cgroup.controllers").touch()
    account = read_account(PID, dependencies=[PID + 1, PID + 2], carriers=[os.getpid()], proc=proc, cgroups=cgroups)
    assert account.beside_cpu_ns > 4_812_345_000


@pytest.mark.parametrize("text", ["", "0", "::::", "4:memory:/\n0::/gone\n", "\0\n", "2:cpu:/../../..\n"])
def test_nonsense_is_not_a_number(machine: tuple[Path, Path], text: str) -> None:
    proc, cgroups = machine
    (proc / str(PID) / "cgroup").write_text(text)
    write(cgroups, {"cpu.stat": "usage_usec\nnr_periods x\n", "cpu.max": "1", "memory.stat": "anon -"}, "")
    (cgroups / "cgroup.controllers").touch()
    account = read_account(PID, proc=proc, cgroups=cgroups)
    assert math.isnan(account.used_cpu_ns)
    assert math.isnan(account.memory_bytes)


def test_a_process_that_is_gone(tmp_path: Path) -> None:
    account = read_account(PID, proc=tmp_path / "proc", cgroups=tmp_path)
    assert all(math.isnan(value) for name, value in vars(account).items() if name != "beside_cpu_ns")
