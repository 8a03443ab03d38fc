"""How long a process has run."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pacecar.measurement.deploy.age import age_s
from support.watchdogs import line_of


def test_the_age_of_a_process_and_of_none() -> None:
    before = time.monotonic()
    # A name with blanks and parentheses stands in the same line as the numbers.
    # Cut to 15 bytes, this one ends within a character.
    code = "open('/proc/self/comm', 'w').write('a) b (c订单处理线程'); print('up', flush=True); input()"
    command = [sys.executable, "-X", "utf8", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        started = time.monotonic()
        assert line_of(process) == b"up\n"
        earliest = time.monotonic() - started
        assert earliest - 0.02 <= age_s(process.pid) <= time.monotonic() - before + 0.02
        process.kill()
        process.wait()
        assert age_s(process.pid) == 0


@pytest.mark.parametrize("pid", [0, -1])
def test_nobody_has_no_age(pid: int) -> None:
    assert age_s(pid) == 0
