"""Counts of calls at the edges of windows to what was called within them, by methods under names that stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from pacecar.measurement.jfr.frames import frame_text
from pacecar.measurement.probes.calls import CallCounts, Method
from pacecar.model.calls import NO_CALLER, OTHER_CALLERS, CallKind
from pacecar.model.tables import TABLES, empty_table


def table(edges: Mapping[int, tuple[CallCounts, CallCounts]]) -> pd.DataFrame:
    """The rows of "calls": by how much each count grew from one edge of a window to the other.

    A window in which any count fell belongs to more than one JVM, and is left out. Of others every kind has a row that
    may well be 0, so that nothing called is told from nothing counted.

    Args:
        edges: window -> what was read at its start and at its end.
    """
    rows = [
        {"window": window, "kind": kind.value, "caller": caller, "count": count}
        for window, (start, end) in edges.items()
        for (kind, caller), count in _grown(start, end).items()
    ]
    return pd.DataFrame(rows).astype(TABLES["calls"]) if rows else empty_table("calls")


def _grown(start: CallCounts, end: CallCounts) -> dict[tuple[CallKind, str], int]:
    if any(end.counts.get(key, 0) < count for key, count in start.counts.items()):
        return {}
    # What lambdas and proxies are called differs from run to run, and is one caller here.
    named: Counter[tuple[CallKind, str]] = Counter()
    for (kind, method), count in end.counts.items():
        named[kind, _name(method)] += count - start.counts.get((kind, method), 0)
    return {(kind, NO_CALLER): 0 for kind in CallKind} | {key: count for key, count in named.items() if count}


def _name(method: Method | None) -> str:
    if method is None:
        return NO_CALLER
    if method.type_name is None or method.name is None:
        return OTHER_CALLERS
    return frame_text(method.type_name.replace(".", "/").lstrip("/") or "?", method.name)
