"""Signals that end a measurement."""

from __future__ import annotations

import signal
import subprocess
import sys

from support.watchdogs import WATCHDOG_S, line_of

#: Is told to end while a weak reference's callback runs, out of which Python lets no exception.
_IN_A_CALLBACK = """
import time, weakref
from pacecar.errors import Interrupted
from pacecar.system.interruption import answer_signals

class Thing:
    pass

def callback(_):
    print("in the callback", flush=True)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        pass

answer_signals()
thing = Thing()
reference = weakref.ref(thing, callback)
try:
    del thing
    while True:
        time.sleep(0.01)
except Interrupted as interrupted:
    print(interrupted.message, flush=True)
"""


def test_a_signal_that_comes_where_nothing_can_be_raised_is_not_lost() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _IN_A_CALLBACK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert line_of(process) == "in the callback\n"
        process.send_signal(signal.SIGINT)
        assert line_of(process) == "Interrupted by SIGINT.\n"
        assert process.wait(timeout=WATCHDOG_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


#: Is told to end inside somebody's code that goes on after any failure.
_IN_A_LIBRARY = """
import time
from pacecar.errors import Interrupted
from pacecar.system.interruption import answer_signals

def tries_again():
    while True:
        try:
            print("trying", flush=True)
            time.sleep(60)
        except Exception:
            pass

answer_signals()
try:
    tries_again()
except Interrupted as interrupted:
    print(interrupted.message, flush=True)
"""


def test_who_goes_on_after_a_failure_does_not_go_on_after_a_signal() -> None:
    with subprocess.Popen([sys.executable, "-c", _IN_A_LIBRARY], stdout=subprocess.PIPE, text=True) as process:
        assert line_of(process) == "trying\n"
        process.send_signal(signal.SIGTERM)
        assert line_of(process) == "Interrupted by SIGTERM.\n"
        assert process.wait(timeout=WATCHDOG_S) == 0
