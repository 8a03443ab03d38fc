"""What a process reads and writes, of a real one."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pacecar.measurement.probes.input_output import read_input_output
from pacecar.measurement.probes.process import ProcessGone

#: Writes 1,000 bytes in ten calls to a socket pair and reads them back, each time it is sent a line.
_PROGRAM = """
import os, socket
here, there = socket.socketpair()
for _ in iter(lambda: os.read(0, 1), b""):
    for _ in range(10):
        os.write(here.fileno(), b"x" * 100)
        os.read(there.fileno(), 100)
    os.write(1, b"!")
"""


def test_sockets_are_counted_call_by_call() -> None:
    child = subprocess.Popen([sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin
    assert child.stdout
    try:
        seen = []
        for _ in range(3):
            child.stdin.write(b"\n")
            child.stdin.flush()
            assert child.stdout.read(1) == b"!"
            seen.append(read_input_output(child.pid))
        # Eleven calls each way: ten on the sockets, and the byte that asks or answers.
        assert seen[2].writes - seen[1].writes == 11
        assert seen[2].written_bytes - seen[1].written_bytes == 1_001
        assert seen[2].reads - seen[1].reads == 11
        assert seen[2].read_bytes - seen[1].read_bytes == 1_001
    finally:
        child.stdin.close()
        child.wait(timeout=30)
        child.stdout.close()


def test_of_a_kernel_that_does_not_tell_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    assert math.isnan(read_input_output(7, proc=tmp_path).reads)
    (tmp_path / "7" / "io").write_text("rchar: 12\nwchar: x\nsyscr: 3\n")
    assert read_input_output(7, proc=tmp_path).read_bytes == 12
    assert math.isnan(read_input_output(7, proc=tmp_path).written_bytes)


def test_a_process_that_has_ended_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(timeout=30)
    with pytest.raises(ProcessGone):
        read_input_output(child.pid)
    assert os.getpid() != child.pid
