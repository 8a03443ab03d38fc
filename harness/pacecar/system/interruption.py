"""How a signal ends a measurement: with whole pairs kept, and everything that was started ended."""

from __future__ import annotations

import signal
import threading
from types import FrameType

from pacecar.errors import Interrupted

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def answer_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP raise Interrupted in this thread, whatever whoever started us has set.

    A shell starts its background jobs with SIGINT ignored, and some service managers start theirs with signals blocked:
    a measurement that could not be ended would go on for an hour. SIGHUP stays ignored where it is: that is what
    `nohup` asks for. Does nothing outside the main thread, which alone may say what signals do.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _ENDING:
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def hear_no_more() -> None:
    """Ignore further signals: a second one must not cut short the ending of processes, which is bounded in time."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    hear_no_more()
    raise Interrupted(f"Interrupted by {signal.Signals(number).name}.")
