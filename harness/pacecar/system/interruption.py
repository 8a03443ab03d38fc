"""How a signal ends a measurement: with whole pairs kept, and everything that was started ended."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

from pacecar.errors import Interrupted

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: After so many seconds a signal whose exception was lost is sent once more.
_AGAIN_S = 0.05


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
    sys.unraisablehook = _lost


def hear_no_more() -> None:
    """Ignore further signals: a second one must not cut short the ending of processes, which is bounded in time."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    hear_no_more()
    raise _Signalled(number)


class _Signalled(Interrupted):
    """Interrupted by the signal of this number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Interrupted by {signal.Signals(number).name}.")
        self.number = number


def _lost(unraisable: sys.UnraisableHookArgs) -> None:
    """Send a signal again that came while a finaliser or a weak reference called back: Python drops what they raise."""
    if not isinstance(unraisable.exc_value, _Signalled):
        sys.__unraisablehook__(unraisable)
        return
    answer_signals()
    again = threading.Timer(_AGAIN_S, os.kill, (os.getpid(), unraisable.exc_value.number))
    again.daemon = True
    again.start()
