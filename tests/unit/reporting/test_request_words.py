from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.reporting.document.profile_shapes import EventRow, EventSource, RequestPairRow, RequestRow
from pacecar.reporting.request_words import slowest
from support.documents import Run


@pytest.fixture
def both(example: Run) -> RequestPairRow:
    profiles = example.document().profiles
    assert profiles is not None
    return profiles.requests[0]


def event(text: str, took_ms: float | None, **fields: object) -> EventRow:
    known: dict[str, object] = {"source": EventSource.SPAN, "place": "client", "thread": None, "depth": 1}
    times: dict[str, object] = {"failed": False, "at_ms": 1.0, "until_ms": 2.0, "took_ms": took_ms, "count": 1}
    return EventRow(text=text, **(known | times | fields))  # type: ignore[arg-type]


def of(both: RequestPairRow, *events: EventRow, took_ms: float | None = 40.0) -> str | None:
    request: RequestRow = replace(both.slowest, events=events, took_ms=took_ms)
    return slowest(replace(both, slowest=request))


def test_what_took_longest_is_named(both: RequestPairRow) -> None:
    told = of(
        both,
        event("GET /orders", 39.0, depth=0),
        event("SELECT lines", 12.0, count=50),
        event("SELECT orders", 3.0),
        event("Pause Young", 20.0, source=EventSource.PAUSE, place="target", depth=0),
        event("on a CPU", None, source=EventSource.PROFILE, depth=0, count=9),
    )
    assert told == (
        "The slowest GET /orders took 40 ms, usually 6.3 ms: a 20 ms pause of the service, 50 × SELECT lines 12 ms."
    )


def test_what_took_next_to_nothing_is_not(both: RequestPairRow) -> None:
    assert of(both, event("SELECT orders", 1.0)) == "The slowest GET /orders took 40 ms, usually 6.3 ms."


def test_a_pause_of_the_load_generator_is_its_own(both: RequestPairRow) -> None:
    pause = event("Pause Young", 30.0, source=EventSource.PAUSE, place="generator", depth=0)
    assert str(of(both, pause)).endswith(": a 30 ms pause of the load generator.")


def test_a_request_without_a_time_is_not_told(both: RequestPairRow) -> None:
    assert of(both, took_ms=None) is None
