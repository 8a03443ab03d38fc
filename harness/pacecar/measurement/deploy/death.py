"""How a process ended, in words."""

from __future__ import annotations

import re
import signal
from pathlib import Path

_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError(?:: [\w ()-]{1,80})?")


def oom_kills() -> int:
    """Processes that the kernel has killed for want of memory since it started, in containers or not."""
    try:
        text = Path("/proc/vmstat").read_text()
    except OSError:
        return 0
    match = re.search(r"^oom_kill (\d+)$", text, re.MULTILINE)
    return int(match.group(1)) if match else 0


def how(status: int | None, *, log_tail: str, oom_kills_before: int) -> str:
    """How a process ended, as the end of a sentence: `ended with status 1`.

    Args:
        status: its exit status; negative for a signal, above 128 for a signal that a shell reports; None for unknown.
        log_tail: the last lines it logged.
        oom_kills_before: `oom_kills()` when it started.
    """
    if status is None:
        ended = "is gone, though the command that started it still runs"
    elif (number := _signal(status)) is None:
        ended = f"ended with status {status}"
    else:
        ended = f"was killed by {number.name}"
        # The kernel tells only how often, not whom: so this says no more than that.
        if number is signal.SIGKILL and oom_kills() > oom_kills_before:
            ended += ", while the kernel was killing processes for lack of memory"
    match = _OUT_OF_MEMORY.search(log_tail)
    return f"{ended} after {match.group()}" if match else ended


def _signal(status: int) -> signal.Signals | None:
    number = -status if status < 0 else status - 128
    return signal.Signals(number) if number in {s.value for s in signal.Signals} else None
