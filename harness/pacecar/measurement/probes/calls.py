"""Calls of databases and of other services, by who made them, from the counter agent in the service's JVM.

They stand in the same answer as its other counters, where it was told to count them. The names in it are those of the
service's classes, which may hold nearly anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacecar.measurement.probes.counters import ask
from pacecar.measurement.probes.probe import ProbeFailed
from pacecar.model.calls import CallKind

#: The agent keeps 200 apart, and cuts their names at 300 characters.
_MOST_CALLERS = 1000
_LONGEST_NAME = 300
#: Up to here a float holds every count exactly.
_MOST = 2**53
_KINDS = tuple(CallKind)
_NO_COUNTS = "counts no calls"
#: Of the agent's second socket, behind the name of the first.
_OF_CALLS = ".calls"


class CallsMissing(ProbeFailed):
    """The agent in the service's JVM gave no usable counts of calls."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method that made calls, by its names in the JVM; without names, all those that have no count of their own."""

    type_name: str | None = None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class CallCounts:
    """One reading; cumulative since the JVM started.

    Attributes:
        counts: kind and caller -> how many, where there were any; the caller is None within no method of the
            application.
        failed: classes of drivers or clients whose calls could not be counted.
    """

    counts: Mapping[tuple[CallKind, Method | None], int] = field(default_factory=dict)
    failed: int = 0


def read_calls(socket_path: Path, timeout_s: float = 1.0) -> CallCounts:
    """Ask the agent at `socket_path`, which counts from when it is first asked; it takes at most `timeout_s`.

    Raises:
        CallsMissing: it counts none, answers too late, or with something else.
    """
    try:
        answer = ask(socket_path.with_name(socket_path.name + _OF_CALLS), timeout_s)
    except OSError as error:
        reason = f"did not answer within {timeout_s:g} s" if isinstance(error, TimeoutError) else f"failed: {error}"
        raise _missing(socket_path, reason) from error
    return parsed(answer, socket_path)


def parsed(answer: bytes, socket_path: Path) -> CallCounts:
    """The calls in the `answer` of the agent at `socket_path`. Raises CallsMissing when there are none."""
    try:
        content = json.loads(answer)
        found = content.get("calls") if isinstance(content, dict) else None
        if found is None:
            raise _missing(socket_path, _NO_COUNTS)
        return _read(found)
    except (ValueError, RecursionError) as error:
        raise _missing(socket_path, f"answered something other than counts of calls: {answer[:80]!r}") from error


def _read(found: Any) -> CallCounts:
    if not isinstance(found, dict):
        raise ValueError("not an object")
    callers = found.get("callers")
    if not isinstance(callers, list) or len(callers) > _MOST_CALLERS:
        raise ValueError("callers")
    named = ((None, _columns(found.get("unknown"))), (Method(), _columns(found.get("others"))))
    counts: dict[tuple[CallKind, Method | None], int] = {}
    for caller, columns in (*named, *map(_caller, callers)):
        for kind, count in zip(_KINDS, columns, strict=True):
            if count:
                counts[kind, caller] = counts.get((kind, caller), 0) + count
    return CallCounts(counts=counts, failed=_count(found.get("failed")))


def _caller(row: Any) -> tuple[Method, tuple[int, ...]]:
    if not isinstance(row, list) or len(row) != 2 + len(_KINDS):
        raise ValueError("a caller")
    return Method(type_name=_name(row[0]), name=_name(row[1])), _columns(row[2:])


def _name(found: Any) -> str:
    if not isinstance(found, str) or not 0 < len(found) <= _LONGEST_NAME:
        raise ValueError("a caller's name")
    return found.encode("utf-8", "replace").decode()  # half a character may stand in a class file, and in no table


def _columns(found: Any) -> tuple[int, ...]:
    if not isinstance(found, list) or len(found) != len(_KINDS):
        raise ValueError("counts")
    return tuple(map(_count, found))


def _count(found: Any) -> int:
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < _MOST:
        raise ValueError("a count")
    return found


def _missing(path: Path, reason: str) -> CallsMissing:
    return CallsMissing(
        f"The counter agent at {path} {reason}.",
        hint="See the service's log for the agent's reason, or set target.calls = false to do without these counts.",
    )
