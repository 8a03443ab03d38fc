"""Counters of the service's JVM, from the agent that Pacecar loads into it.

Every connection to the agent's Unix socket is answered with one line of JSON. It comes out of the process
under test, so it is checked like anything foreign.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pacecar.measurement.probes.probe import Probe, Probed, ProbeFailed

#: Counts of calls, where it makes any, take up to 64 KiB of it (`probes.calls`).
_ANSWER_BYTES = 128 << 10
_SOURCES = ("total", "threads")


class CountersMissing(ProbeFailed):
    """The agent in the service's JVM gave no usable answer."""


@dataclass(frozen=True, kw_only=True)
class Counters:
    """One reading; cumulative since the JVM started, except `threads`, `heap_*` and `loaded_classes`.

    Attributes:
        uptime_ms: age of the JVM.
        allocated_bytes: on the heap, by all threads but the agent's own.
        allocation_source: "total": the JVM's own sum (JDK 21 and later). "threads": added up over living threads and
            the last value seen of ended ones, so a little may be missing.
        threads: living ones.
        threads_ended: threads that have ended.
        jit_ms: spent compiling.
        gc_count: collections.
        gc_ms: spent in collections.
        heap_used_bytes: now, garbage included.
        heap_after_gc_bytes: what each pool of the heap held when it was last collected; right after a full collection
            that is the live set. 0 where the JVM does not tell.
        loaded_classes: now.
    """

    uptime_ms: float
    allocated_bytes: float
    allocation_source: str
    threads: int
    threads_ended: int
    jit_ms: float
    gc_count: int
    gc_ms: float
    heap_used_bytes: int
    heap_after_gc_bytes: int
    loaded_classes: int


def read_counters(socket_path: Path, timeout_s: float = 1.0) -> Counters:
    """Ask the agent at `socket_path`; the whole exchange takes at most `timeout_s`.

    Raises:
        CountersMissing: nobody answers, too late, or with something else than counters.
    """
    try:
        answer = ask(socket_path, timeout_s)
    except OSError as error:
        reason = f"did not answer within {timeout_s:g} s" if isinstance(error, TimeoutError) else f"failed: {error}"
        raise _missing(socket_path, reason) from error
    return parsed(answer, socket_path)


def parsed(answer: bytes, socket_path: Path) -> Counters:
    """The counters in the `answer` of the agent at `socket_path`. Raises CountersMissing when they are not."""
    try:
        return _read(json.loads(answer))
    except (ValueError, RecursionError) as error:
        raise _missing(socket_path, f"answered something other than counters: {answer[:80]!r}") from error


def ask(path: Path, timeout_s: float) -> bytes:
    """The answer of the agent at `path`, or the beginning of one that is too long.

    Raises:
        OSError: nobody answers; TimeoutError when it takes longer than `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    answer = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(str(path))
        while len(answer) <= _ANSWER_BYTES:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
            received = connection.recv(_ANSWER_BYTES + 1 - len(answer))
            if not received:
                break
            answer += received
    return answer


def _read(answer: Any) -> Counters:
    if not isinstance(answer, dict):
        raise ValueError("not an object")
    if answer.get("allocationSource") not in _SOURCES:
        raise ValueError("no source of the allocation")
    return Counters(
        uptime_ms=_number(answer, "uptimeMs"),
        allocated_bytes=_number(answer, "allocatedBytes"),
        allocation_source=answer["allocationSource"],
        threads=int(_number(answer, "threads")),
        threads_ended=int(_number(answer, "threadsEnded")),
        jit_ms=_number(answer, "jitMs"),
        gc_count=int(_number(answer, "gcCount")),
        gc_ms=_number(answer, "gcMs"),
        heap_used_bytes=int(_number(answer, "heapUsedBytes")),
        heap_after_gc_bytes=int(_number(answer, "heapAfterGcBytes")),
        loaded_classes=int(_number(answer, "loadedClasses")),
    )


def _number(answer: dict[str, Any], name: str) -> float:
    value = answer.get(name)
    # Python takes a flag for an int, and NaN and Infinity for JSON; they fail the comparison, as do endless digits.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**63:
        raise ValueError(name)
    return float(value)


def _missing(path: Path, reason: str) -> CountersMissing:
    return CountersMissing(
        f"The counter agent at {path} {reason}.",
        hint="See the service's log: the agent says there why it gave up, if it was loaded at all.",
    )


class JvmProbe:
    """What only the JVM itself knows."""

    name = "counters"
    columns = ("allocated_bytes", "jit_ms", "gc_count", "gc_ms", "threads", "threads_ended", "classes")
    order = 2

    def read(self, fork: Probed) -> Mapping[str, float]:
        """See `Probe`."""
        counters = read_counters(fork.socket)
        named = {name: float(getattr(counters, name)) for name in self.columns if name != "classes"}
        return named | {"classes": float(counters.loaded_classes)}


PROBE: Probe = JvmProbe()
