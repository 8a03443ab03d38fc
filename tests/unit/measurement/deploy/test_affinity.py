"""Moving a running process onto some of the cores."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.measurement.deploy import affinity
from support.watchdogs import line_of

_THREADS = """
import threading, sys
start = threading.Event()
def later():
    start.wait()
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    print("started", flush=True)
    threading.Event().wait()
for _ in range(3):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
def compiler():
    with open("/proc/thread-self/comm", "w") as comm: comm.write("C1 CompilerThread0")
    named.set()
    threading.Event().wait()
named = threading.Event()
threading.Thread(target=later, daemon=True).start()
threading.Thread(target=compiler, daemon=True).start()
named.wait()
print("ready", flush=True)
sys.stdin.readline()
start.set()
sys.stdin.readline()
"""


@pytest.fixture
def threads() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", _THREADS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def _cores_of(pid: int) -> set[frozenset[int]]:
    return {frozenset(os.sched_getaffinity(int(task.name))) for task in Path(f"/proc/{pid}/task").iterdir()}


def test_every_thread_moves_and_later_ones_follow(threads: subprocess.Popen[str]) -> None:
    assert threads.stdin is not None
    assert line_of(threads) == "ready\n"
    core = min(os.sched_getaffinity(0))
    affinity.pin(threads.pid, [core])
    assert _cores_of(threads.pid) == {frozenset({core})}
    threads.stdin.write("go\n")
    threads.stdin.flush()
    assert line_of(threads) == "started\n"
    assert _cores_of(threads.pid) == {frozenset({core})}


def test_compilers_go_elsewhere_and_yield(threads: subprocess.Popen[str]) -> None:
    assert line_of(threads) == "ready\n"
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("one core: there is no other place")
    tasks = list(Path(f"/proc/{threads.pid}/task").iterdir())
    compiler = next(int(task.name) for task in tasks if (task / "comm").read_text() == "C1 CompilerThre\n")
    usual = os.getpriority(os.PRIO_PROCESS, threads.pid)
    affinity.pin(threads.pid, cores[:1], compilers=cores)
    assert os.getpriority(os.PRIO_PROCESS, compiler) == usual
    affinity.pin(threads.pid, cores[:1], compilers=cores[1:], yielding=True)
    assert os.sched_getaffinity(compiler) == set(cores[1:])
    assert os.getpriority(os.PRIO_PROCESS, compiler) == 19
    assert os.sched_getaffinity(threads.pid) == set(cores[:1])
    assert os.getpriority(os.PRIO_PROCESS, threads.pid) == usual


def test_a_name_cut_within_a_character_is_no_error() -> None:
    code = "open('/proc/thread-self/comm', 'w').write('订单-处理线程'); print('up', flush=True); input()"
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("one core: there is no other place")
    command = [sys.executable, "-X", "utf8", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert line_of(process) == "up\n"
        affinity.pin(process.pid, cores[:1], compilers=cores[1:])
        assert _cores_of(process.pid) == {frozenset(cores[:1])}
        process.kill()


def test_a_process_that_is_gone_is_no_error(threads: subprocess.Popen[str]) -> None:
    threads.kill()
    threads.wait()
    affinity.pin(threads.pid, [0])
