"""What one input of a reader may take."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Of one input.

    Attributes:
        input_bytes: the longest input that is tried.
        seconds: how long `parse` may take. Generous: a hang is looked for, not a delay.
        memory_mb: by how much the process may grow.
    """

    input_bytes: int = 4096
    seconds: int = 20
    memory_mb: int = 512


def confine(limits: Limits) -> None:
    """Let this process grow by no more than the limit from here on: what needs more gets a `MemoryError`."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (limits.memory_mb << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
