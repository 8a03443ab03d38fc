"""A signal that raises while something is said does not have it said twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pacecar.system.streams  # noqa: F401  says where the package lies

#: Says a number a line while a signal comes and raises soon after each begins.
SCRIPT = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from pacecar.system import streams
def heard(*_):
    raise RuntimeError
streams.settle()
signal.signal(signal.SIGALRM, heard)
for number in range(5_000):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00002 + number % 50 * 0.000001)
        print(number, file=sys.stderr, flush=True)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except RuntimeError:
        pass
"""


@pytest.mark.hostile
def test_a_line_is_said_at_most_once() -> None:
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    done = subprocess.run([sys.executable, "-c", SCRIPT, harness], capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stderr.splitlines() if line.isdecimal()]
    assert len(lines) > 100
    assert len(lines) == len(set(lines))
