"""Links to the diff view of a Pyroscope server that has the profiles, baseline left and candidate right."""

from __future__ import annotations

from urllib.parse import urlencode

from pacecar.report.document.shapes import Elsewhere, ForwardedSide

#: event -> name the server gives this type of profile.
_TYPES = {
    "cpu": "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    "wall": "wall:wall:nanoseconds:wall:nanoseconds",
    "alloc": "memory:alloc_space:bytes:space:bytes",
    "lock": "mutex:delay:nanoseconds:mutex:count",
}
EVENTS = tuple(_TYPES)


def diff_view(elsewhere: Elsewhere, event: str) -> str:
    """The address of the diff of one kind of profile: cpu, wall, alloc or lock."""
    left, right = elsewhere.baseline, elsewhere.candidate
    query = {
        "query": _query(elsewhere, right, event),
        "from": min(left.from_ms, right.from_ms),
        "until": max(left.until_ms, right.until_ms),
        "leftQuery": _query(elsewhere, left, event),
        "leftFrom": left.from_ms,
        "leftUntil": left.until_ms,
        "rightQuery": _query(elsewhere, right, event),
        "rightFrom": right.from_ms,
        "rightUntil": right.until_ms,
    }
    return f"{elsewhere.url}/comparison-diff?{urlencode(query)}"


def _query(elsewhere: Elsewhere, side: ForwardedSide, event: str) -> str:
    labels = {"service_name": elsewhere.service, "run": side.run_id, "side": side.side.value}
    return f"{_TYPES[event]}{{{','.join(f'{name}={_quoted(value)}' for name, value in labels.items())}}}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
