"""Whether both sides of a pair can be up at the same time on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import psutil

from pacecar.model.experiment import Target
from pacecar.text.units import format_quantity

#: What a JVM needs beside its heap, and what the load generator and Pacecar itself need, in bytes.
_BESIDE_HEAP = 300 << 20
_GENERATOR = 1 << 30
#: Without -Xmx a JVM takes up to a quarter of the memory.
_DEFAULT_SHARE = 4
_LARGEST_HEAP = re.compile(r"-Xmx(\d+)([kKmMgGtT]?)")
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


#: Where it stands in a command, that starts a JVM.
_JAVA = "{java}"


def why_not_both(
    target: Target,
    command: tuple[str, ...],
    *,
    beside: Sequence[tuple[str, ...]] = (),
    available: int | None = None,
    total: int | None = None,
) -> str | None:
    """Why two forks of `target` cannot be up at once, in half a sentence; None when they can.

    Args:
        target: its port, and its environment, which may name the largest heap.
        command: its argument list; likewise.
        beside: argument lists of what each fork needs beside it. What is no JVM counts with nothing, for nobody knows.
        available: bytes of memory that are free; None asks the kernel.
        total: bytes of memory that there are; likewise.
    """
    whole = psutil.virtual_memory().total if total is None else total
    jvms = [(*command, *target.env.values()), *(each for each in beside if _starts_jvm(each))]
    most = sum(_heap(texts, total=whole) + _BESIDE_HEAP for texts in jvms)
    return why_not_both_of(port=target.port, each=most, available=available)


def why_not_both_of(*, port: int | None, each: int | None, available: int | None = None) -> str | None:
    """The same for forks of which it is known what they may take.

    Args:
        port: the only one that a fork can have, or None.
        each: most bytes of memory that a fork takes; None for as much as an unlimited JVM does.
        available: bytes of memory that are free; None asks the kernel.
    """
    if port is not None:
        return f"the port {port} is fixed, and only one fork can have it"
    memory = psutil.virtual_memory()
    free = memory.available if available is None else available
    most = memory.total // _DEFAULT_SHARE + _BESIDE_HEAP if each is None else each
    needed = 2 * most + _GENERATOR
    if needed <= free:
        return None
    return f"two of them may need {format_quantity(needed, 'B')} of memory, and {format_quantity(free, 'B')} are free"


def _starts_jvm(command: tuple[str, ...]) -> bool:
    return any(_JAVA in text or _LARGEST_HEAP.match(text) for text in command)


def _heap(texts: Iterable[str], *, total: int) -> int:
    # The last one counts, as for the JVM.
    found = _LARGEST_HEAP.findall(" ".join(texts))
    if not found:
        return total // _DEFAULT_SHARE
    number, unit = found[-1]
    return int(number) * _FACTORS[unit.lower()]
