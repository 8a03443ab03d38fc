"""The program that `pace` runs on a core: a short loop of fixed work, again and again, at idle priority.

    python pace_loop.py PARENT

It prints a line for each: when it began (ns since the epoch), and the CPU time that it took (ns). It is run as a file,
with nothing else loaded, and ends with the process PARENT that started it.
"""

import os
import sys
import time

#: Between two loops.
PAUSE_S = 0.02
_STEPS = 1500


def main() -> None:
    """Print until the process that started this one is gone."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    parent = int(sys.argv[1])
    while os.getppid() == parent:
        time.sleep(PAUSE_S)
        _work(_STEPS // 5)  # fetches what the service has pushed out of the caches, so that its memory plays no part
        began_ns, before_ns = time.time_ns(), time.thread_time_ns()
        _work(_STEPS)
        print(began_ns, time.thread_time_ns() - before_ns, flush=True)


def _work(steps: int) -> int:
    # A linear congruential generator: each step needs the one before, and all of it stays in registers and first cache.
    state = 1
    for _ in range(steps):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return state


if __name__ == "__main__":
    main()
