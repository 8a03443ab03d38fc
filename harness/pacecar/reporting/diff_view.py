"""Links to the diff view of a Pyroscope server that has the profiles, baseline left and candidate right."""

from __future__ import annotations

from urllib.parse import urlencode

from pacecar.model.profiles import ProfileKind
from pacecar.reporting.document.shapes import ForwardedSide, PyroscopeLinks

#: Kind of profile -> name the server gives this type of profile.
_TYPES = {
    ProfileKind.CPU: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    ProfileKind.WALL: "wall:wall:nanoseconds:wall:nanoseconds",
    ProfileKind.ALLOCATION: "memory:alloc_space:bytes:space:bytes",
    ProfileKind.LOCK: "mutex:delay:nanoseconds:mutex:count",
}


def diff_view(links: PyroscopeLinks, event: ProfileKind) -> str:
    """The address of the diff of one kind of profile."""
    left, right = links.baseline, links.candidate
    query = {
        "query": _query(links, right, event),
        "from": min(left.from_ms, right.from_ms),
        "until": max(left.until_ms, right.until_ms),
        "leftQuery": _query(links, left, event),
        "leftFrom": left.from_ms,
        "leftUntil": left.until_ms,
        "rightQuery": _query(links, right, event),
        "rightFrom": right.from_ms,
        "rightUntil": right.until_ms,
    }
    return f"{links.url}/comparison-diff?{urlencode(query)}"


def _query(links: PyroscopeLinks, side: ForwardedSide, event: ProfileKind) -> str:
    labels = {"service_name": links.service, "run": side.run_id, "side": side.side.value}
    return f"{_TYPES[event]}{{{','.join(f'{name}={_quoted(value)}' for name, value in labels.items())}}}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
