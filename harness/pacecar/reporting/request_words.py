"""The slowest request of an endpoint in one sentence: what took most of its time."""

from __future__ import annotations

from pacecar.reporting.document.profile_shapes import EventRow, EventSource, RequestPairRow
from pacecar.text.units import format_quantity

#: Parts that are named: those that took longest.
_PARTS = 2
#: Share of the request below which a part is not worth a word.
_LEAST = 0.05


def slowest(both: RequestPairRow) -> str | None:
    """`The slowest GET /orders took 14 ms, usually 1.6 ms: a pause of 5.4 ms, 50 × SELECT orders 1.6 ms.`

    The span that stands for the whole request says nothing new. None where the request has no time.
    """
    took_ms = both.slowest.took_ms
    if took_ms is None or both.usual.took_ms is None:
        return None
    told = [event for event in both.slowest.events if _is_part(event) and (event.took_ms or 0.0) >= _LEAST * took_ms]
    parts = ", ".join(map(_part, sorted(told, key=lambda event: -(event.took_ms or 0.0))[:_PARTS]))
    whole = (
        f"The slowest {both.endpoint} took {format_quantity(took_ms, 'ms')}, "
        f"usually {format_quantity(both.usual.took_ms, 'ms')}"
    )
    return f"{whole}: {parts}." if parts else f"{whole}."


def _is_part(event: EventRow) -> bool:
    return event.source is EventSource.PAUSE or (event.source is EventSource.SPAN and event.depth > 0)


def _part(event: EventRow) -> str:
    took = format_quantity(event.took_ms or 0.0, "ms")
    if event.source is EventSource.PAUSE:
        who = "the load generator" if event.place == "generator" else "the service"
        return f"a {took} pause of {who}"
    return f"{f'{event.count} × ' if event.count > 1 else ''}{event.text} {took}"
