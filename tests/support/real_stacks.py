"""Stacks of sleeping threads from thread dumps of JDK 17, 21 and 25, one for each library.

The caller's frames are replaced by those of an application. Generated names are as Pacecar makes them stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_DATA = Path(__file__).parent.parent / "unit" / "analysis" / "profiles" / "data"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A thread within its work.

    Attributes:
        frames: from the entry point to the leaf.
        wait: what it waits for.
    """

    frames: tuple[str, ...]
    wait: str


def _read(name: str) -> dict[str, tuple[str, ...]]:
    """Head of a stack -> its frames."""
    parts = (_DATA / name).read_text(encoding="utf-8").split("== ")
    return {head: tuple(frames) for head, *frames in (part.splitlines() for part in parts if part)}


#: Thread -> frames of one that waits for work.
AT_REST = _read("threads-at-rest.txt")
#: Thread -> one that waits within its work.
AT_WORK = {
    head.partition(" | ")[0]: Waiting(frames=frames, wait=head.partition(" | ")[2])
    for head, frames in _read("threads-at-work.txt").items()
}
