"""Which cores the target runs on, and which the load generator.

Sharing a core, the generator sends late just when the service is busy, and takes from the service what it is being
measured for. One core in four is enough to generate load for the other three.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Cores:
    """Numbers of cores, ascending; both empty when nothing is pinned.

    Attributes:
        target: for the forks under test, which take turns under load.
        generator: for the load generator.
    """

    target: tuple[int, ...] = ()
    generator: tuple[int, ...] = ()


def siblings(core: int) -> frozenset[int]:
    """The logical cores that share one physical core with `core`, itself included."""
    try:
        text = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text()
        spans = [span.partition("-") for span in text.strip().split(",")]
        return frozenset(n for first, _, last in spans for n in range(int(first), int(last or first) + 1)) | {core}
    except (OSError, ValueError):
        return frozenset({core})


def split_cores(
    available: Iterable[int] | None = None,
    *,
    wanted: bool = True,
    siblings_of: Callable[[int], frozenset[int]] = siblings,
) -> Cores:
    """A quarter of the cores, at least one, for the generator, and the rest for the target.

    Logical cores of one physical core stay together, where there is more than one physical core to divide. With a
    single core there is nothing to divide and nothing is pinned.

    Args:
        available: cores we may use; None asks the kernel.
        wanted: False pins nothing.
        siblings_of: the logical cores that share a physical one.
    """
    cores = sorted(os.sched_getaffinity(0) if available is None else set(available))
    if not wanted or len(cores) < 2:
        return Cores()
    physical = sorted({tuple(sorted(siblings_of(core) & set(cores))) for core in cores})
    parts = physical if len(physical) > 1 else [(core,) for core in cores]
    generator: list[int] = []
    while len(parts) > 1 and len(generator) < max(1, len(cores) // 4):
        generator.extend(parts.pop())
    return Cores(target=tuple(sorted(core for part in parts for core in part)), generator=tuple(sorted(generator)))
