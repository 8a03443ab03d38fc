"""CPU time and memory of real processes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.measurement.probes.process import ProcessGone, cpu_ns, of_threads, rss_bytes
from support.watchdogs import line_of

#: Burns 0.2 s of CPU in a thread that ends, then says so and sleeps.
BURN = """
import os, threading, time
def burn():
    while time.thread_time() < 0.2: pass
thread = threading.Thread(target=burn)
thread.start(); thread.join()
while len(os.listdir("/proc/self/task")) > 1: time.sleep(0.001)  # join returns a little before the thread is gone
print("ended", flush=True)
input()
"""

#: Burns 0.1 s of CPU in a thread called like a compiler, and as much in another; both stay.
COMPILE = """
import threading, time
def burn(name):
    with open("/proc/thread-self/comm", "w") as comm: comm.write(name)
    while time.thread_time() < 0.1: pass
    done.release(); threading.Event().wait()
done = threading.Semaphore(0)
for name in ("C2 CompilerThread0", "http-exec-1"):
    threading.Thread(target=burn, args=(name,), daemon=True).start()
done.acquire(); done.acquire()
print("done", flush=True)
input()
"""


@pytest.fixture
def burnt() -> Iterator[int]:
    """The pid of a process whose only busy thread has ended."""
    command = [sys.executable, "-c", BURN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert line_of(process) == b"ended\n"
        yield process.pid
        process.kill()


@pytest.fixture
def gone() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_threads_that_ended_are_counted(burnt: int) -> None:
    living = sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{burnt}/task").iterdir())
    assert cpu_ns(burnt) >= living + 190_000_000


def test_own_process_agrees_with_its_own_clock() -> None:
    before = time.process_time_ns()
    asked = cpu_ns(os.getpid())
    assert before <= asked <= time.process_time_ns()


def test_rss_is_what_the_kernel_says(burnt: int) -> None:
    status = Path(f"/proc/{burnt}/status").read_text()
    resident_kb = int(status.partition("VmRSS:")[2].split()[0])
    assert rss_bytes(burnt) == pytest.approx(1024 * resident_kb, rel=0.1)


def test_only_threads_named_like_compilers_are_compilers() -> None:
    command = [sys.executable, "-c", COMPILE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert line_of(process) == b"done\n"
        used = of_threads(process.pid).compilers_ns
        process.kill()
    assert 100_000_000 <= used < 190_000_000


def test_without_compilers_their_time_is_not_known(burnt: int, gone: int) -> None:
    assert math.isnan(of_threads(burnt).compilers_ns)
    assert math.isnan(of_threads(gone).compilers_ns)
    assert math.isnan(of_threads(gone).delay_ns)


def test_two_that_share_a_cpu_wait_for_it_in_turn() -> None:
    cpu = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "--cpu-list", cpu, sys.executable, "-c", COMPILE]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other,
    ):
        assert line_of(one) == b"done\n"
        assert line_of(other) == b"done\n"
        # One burns 0.2 s, a half of it in its compiler, while the other is ready: how it is dealt out is the kernel's.
        delay_ns = of_threads(one.pid).delay_ns + of_threads(other.pid).delay_ns
        own_ns = [
            int((task / "schedstat").read_text().split()[1])
            for process in (one, other)
            for task in Path(f"/proc/{process.pid}/task").iterdir()
            if (task / "comm").read_text() != "C2 CompilerThre\n"
        ]
        one.kill()
        other.kill()
    assert delay_ns == sum(own_ns) > 20_000_000


@pytest.mark.parametrize("read", [cpu_ns, rss_bytes])
def test_process_gone(read, gone: int) -> None:
    with pytest.raises(ProcessGone, match=f"Process {gone} ended"):
        read(gone)


@pytest.mark.parametrize("pid", [0, -1])
def test_no_pid_is_nobodys_clock(pid: int) -> None:
    with pytest.raises(ProcessGone):
        cpu_ns(pid)
