"""What owning a process promises, with real ones."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.system.resources import Resources

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
LEADER = """
import subprocess, sys
member = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(member.pid, flush=True)
member.wait()
"""
#: Starts a process that leaves the session and the parent, then waits.
DESERTER = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
    os._exit(0)
os.wait()
time.sleep(60)
"""

#: Does not end as soon as it is asked, like a JVM with shutdown hooks.
ORDERLY = "trap 'sleep 0.3; echo bye > said; exit' TERM; echo up; while :; do sleep 0.05; done"
#: Leaves a process in its group that has ended, and whose parent, in another group, never asks how.
UNREAPED = """
import os, time
leader = os.getpid()
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        os.setpgid(0, leader)
        os._exit(0)
    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    print("up", flush=True)
time.sleep(60)
"""


def wait_for(log: Path) -> str:
    while not (log.exists() and log.read_text().endswith("\n")):
        time.sleep(0.01)
    return log.read_text()


def test_a_process_that_ignores_sigterm_is_killed(
    resources: Resources, tmp_path: Path, gone: Callable[[int], bool]
) -> None:
    child = resources.spawn([sys.executable, "-c", STUBBORN], name="stubborn", log=tmp_path / "log")
    wait_for(child.log)
    assert resources.release(child, grace_s=0.1) == -signal.SIGKILL
    assert gone(child.pid)


def test_a_whole_group_ends_with_its_leader(resources: Resources, tmp_path: Path, gone: Callable[[int], bool]) -> None:
    child = resources.spawn([sys.executable, "-c", LEADER, STUBBORN], name="leader", log=tmp_path / "log")
    while "up" not in wait_for(child.log):
        time.sleep(0.01)
    member = next(int(line) for line in child.log.read_text().split() if line.isdigit())
    resources.release(child, grace_s=0.2)
    while not gone(member):
        time.sleep(0.01)


def test_what_a_script_has_started_may_shut_down_in_order(resources: Resources, tmp_path: Path) -> None:
    script = ["sh", "-c", 'sh -c "$1"; :', "sh", ORDERLY]
    child = resources.spawn(script, name="script", log=tmp_path / "log", cwd=tmp_path)
    wait_for(child.log)
    assert resources.release(child, grace_s=20) == -signal.SIGTERM
    assert (tmp_path / "said").read_text() == "bye\n"


def test_nobody_waits_for_a_process_that_has_ended_already(resources: Resources, tmp_path: Path) -> None:
    child = resources.spawn([sys.executable, "-c", UNREAPED], name="leader", log=tmp_path / "log")
    wait_for(child.log)
    assert resources.release(child, grace_s=3600) == -signal.SIGTERM


def test_one_that_left_the_session_is_found_by_its_mark(tmp_path: Path, gone: Callable[[int], bool]) -> None:
    with Resources() as resources:
        child = resources.spawn([sys.executable, "-c", DESERTER], name="deserter", log=tmp_path / "log")
        deserter = int(wait_for(child.log))
        assert os.getsid(deserter) != os.getsid(child.pid)
        assert not gone(deserter)
    assert gone(child.pid)
    assert gone(deserter)


def test_two_custodies_do_not_end_each_others_processes(tmp_path: Path, gone: Callable[[int], bool]) -> None:
    with Resources() as other:
        kept = other.spawn(["sleep", "60"], name="kept", log=tmp_path / "kept")
        folder = other.folder("kept")
        with Resources() as resources:
            ended = resources.spawn(["sleep", "60"], name="ended", log=tmp_path / "ended")
        assert gone(ended.pid)
        assert kept.poll() is None
        assert folder.is_dir()
    assert gone(kept.pid)
    assert not folder.exists()


def test_closing_twice_is_closing_once(tmp_path: Path, gone: Callable[[int], bool]) -> None:
    resources = Resources()
    folder = resources.folder("x")
    resources.close()
    resources.close()
    assert not folder.exists()


def test_run_tells_a_timeout_from_an_exit_status(resources: Resources, tmp_path: Path) -> None:
    status, _ = resources.run(["false"], name="false", log=tmp_path / "a", timeout_s=20)
    late, child = resources.run(["sleep", "60"], name="sleep", log=tmp_path / "b", timeout_s=0.05)
    assert status == 1
    assert late is None
    assert child.poll() == -signal.SIGTERM


def test_a_program_that_does_not_exist_is_one_sentence(resources: Resources, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="service: cannot start 'no-such-program'"):
        resources.spawn(["no-such-program"], name="service", log=tmp_path / "log")


def test_the_tail_cannot_steer_a_terminal(resources: Resources, tmp_path: Path) -> None:
    script = r"print('\x1b[31;1mred\x1b[0m and \x1b]0;title\x07 tab\there \x9b2J')"
    _, child = resources.run([sys.executable, "-c", script], name="painter", log=tmp_path / "log", timeout_s=20)
    assert child.tail() == "red and ]0;title tab\there 2J"


def test_a_child_runs_on_the_cores_it_was_given_and_we_keep_ours(resources: Resources, tmp_path: Path) -> None:
    own = os.sched_getaffinity(0)
    core = max(own)
    child = resources.spawn(["sleep", "60"], name="pinned", log=tmp_path / "log", cpus=[core])
    assert os.sched_getaffinity(child.pid) == {core}
    assert os.sched_getaffinity(0) == own


def test_the_tail_is_the_end_of_a_large_log(resources: Resources, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "import os; os.write(1, b'\\xff' * 100_000); print(*(f'\\nline {i}' for i in range(9)))"
    _, child = resources.run([sys.executable, "-c", script], name="noisy", log=log, timeout_s=20)
    assert child.tail(2) == "line 7 \nline 8"
