"""What real processes use together."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from pacecar.measurement.probes.families import process_tree, used_by, used_ns
from pacecar.measurement.probes.process import ProcessGone
from support.watchdogs import line_of

#: Works for half a second in a child that it waits for, then in one that it keeps; says so each time it is told to.
PARENT = """
import os, sys, time
def child(keep):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        begun = time.process_time()
        while time.process_time() - begun < 0.5:
            pass
        os.write(write, b"x")
        if keep:
            time.sleep(60)
        os._exit(0)
    os.read(read, 1)
    if not keep:
        os.waitpid(pid, 0)
    print(pid, flush=True)
for line in sys.stdin:
    child(line.strip() == "keep")
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        for each in process_tree([process.pid]).values():
            each.kill()


def told(process: subprocess.Popen[str], line: str) -> int:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return int(line_of(process))


def test_children_count_while_they_run_and_once_they_have_ended(parent: subprocess.Popen[str]) -> None:
    first = used_by(process_tree([parent.pid]))
    told(parent, "end")
    second = used_by(process_tree([parent.pid]))
    kept = told(parent, "keep")
    members = process_tree([parent.pid])
    assert members.keys() == {parent.pid, kept}
    third = used_by(members)
    assert 0.45 <= (second - first) / 1e9 < 5
    assert 0.45 <= (third - second) / 1e9 < 5


def test_a_process_that_is_gone_has_used_what_its_parent_knows(parent: subprocess.Popen[str]) -> None:
    kept = told(parent, "keep")
    members = process_tree([parent.pid])
    members[kept].kill()
    parent.kill()
    parent.wait()
    with pytest.raises(ProcessGone):
        used_ns(members[parent.pid])
    assert used_by({parent.pid: members[parent.pid]}) == 0
    assert process_tree([parent.pid]) == {}


def test_whoever_has_started_us_counts_alone() -> None:
    parent = psutil.Process().parent()
    assert parent is not None
    assert os.getpid() not in process_tree([parent.pid])
