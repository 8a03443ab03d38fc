"""Resources of every process, container, worktree and temporary folder Pacecar starts, until each is gone.

Processes carry a mark in their environment, so that they and whatever they start in turn are found again
by anyone, even after Pacecar was killed; containers, their networks and volumes carry it as a label. Folders and
worktrees stand in a `ledger`, a file written before the thing it names exists; that there may be containers, too.
`owner` ends all of one Pacecar (`Resources.close`), `sweeping` what dead ones left behind; `clearing` is how. Who is
dead is proved by `locks` and by `identity`. `ownership` is the same for a run that is written, `machine` for the
machine that is measured on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pacecar.system.resources import locks
from pacecar.system.resources.child import Child
from pacecar.system.resources.clearing import PART, end_part, of_part
from pacecar.system.resources.owner import Resources
from pacecar.system.resources.sweeping import sweep

__all__ = ["PART", "Child", "Resources", "end_part", "lone", "of_part", "sweep"]


@contextlib.contextmanager
def lone(folder: Path) -> Iterator[bool]:
    """Whether no owner holds `folder`, nor can get hold of it while this lasts. Nobody waits."""
    descriptor = locks.alone(folder)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            locks.close(descriptor)
