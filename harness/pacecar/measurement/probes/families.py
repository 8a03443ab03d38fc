"""Processes together with all that they have started, and what these use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping

import psutil

from pacecar.measurement.probes.process import ProcessGone, cpu_ns


def process_tree(roots: Iterable[int]) -> dict[int, psutil.Process]:
    """Those of `roots` that run, with all they have started, by id; of one that has started us, itself alone."""
    found: dict[int, psutil.Process] = {}
    for pid in sorted(roots):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            started = process.children(recursive=True)
            ours = any(each.pid == os.getpid() for each in started)
            found |= {each.pid: each for each in (process, *([] if ours else started))}
    return found


def used_ns(process: psutil.Process) -> int:
    """CPU time of a process so far, in user and kernel mode, of children too that it has waited for.

    Raises:
        ProcessGone: when it has ended.
    """
    try:
        times = process.cpu_times()
    except psutil.Error as error:
        raise ProcessGone(process.pid) from error
    return cpu_ns(process.pid) + int((times.children_user + times.children_system) * 1e9)


def used_by(members: Mapping[int, psutil.Process]) -> int:
    """CPU time of several processes so far, in ns; of one that has just ended, what its parent knows."""
    total = 0
    for process in members.values():
        with contextlib.suppress(ProcessGone):
            total += used_ns(process)
    return total
