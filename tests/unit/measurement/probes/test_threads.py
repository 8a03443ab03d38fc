"""The threads of a real process: this one."""

from __future__ import annotations

import ctypes
import os
import threading
import time

import pytest

from pacecar.measurement.probes import threads
from pacecar.measurement.probes.threads import threads_of


def test_each_thread_has_its_name_and_what_it_ran() -> None:
    over = threading.Event()

    def work() -> None:
        ctypes.CDLL(None).prctl(15, b"worker\x1b-7", 0, 0, 0)  # PR_SET_NAME
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        named.set()
        over.wait()

    named = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    named.wait(10)
    found = threads_of(os.getpid())
    over.set()
    thread.join()
    assert thread.native_id is not None
    assert found[thread.native_id].name == "worker\ufffd-7"
    assert found[thread.native_id].ran_ns >= 20_000_000
    assert thread.native_id not in threads_of(os.getpid())


def test_of_too_many_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_MOST", 0)
    assert threads_of(os.getpid()) == {}


def test_nobody_there() -> None:
    assert threads_of(2**22 + 1) == {}
