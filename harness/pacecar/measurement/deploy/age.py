"""How long a process has run."""

from __future__ import annotations

import os
import time
from pathlib import Path

#: Which field of /proc/PID/stat, behind the name in parentheses, says when the process began (proc_pid_stat(5)).
_STARTED = 19


def age_s(pid: int) -> float:
    """Seconds for which process `pid` has run, to the kernel's tick of 10 ms; 0 of one that is gone.

    By the clock since the machine's start: the wall clock's beginning is known to a second only.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return 0.0
    started = int(stat.rpartition(")")[2].split()[_STARTED]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started
