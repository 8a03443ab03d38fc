"""Readings on their way: what arrives is what was sent, and nothing else arrives."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.probes.calls import CallCounts, Method
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.probes.threads import ThreadTimes
from pacecar.measurement.watch import wire
from pacecar.measurement.watch.reading import CounterReading
from pacecar.measurement.watch.watch import Watched
from pacecar.model.calls import CallKind
from support.watched_forks import ourselves

COUNTS = st.integers(min_value=0, max_value=2**63 - 1)
SUMMANDS = st.integers(min_value=0, max_value=2**50 - 1)
COUNTERS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(alphabet=st.characters(categories=("L", "N", "P")), max_size=30)
METHODS = st.none() | st.builds(Method) | st.builds(Method, type_name=NAMES, name=NAMES)
THREADS = st.builds(ThreadTimes, name=NAMES, ran_ns=SUMMANDS, waited_ns=SUMMANDS)
READINGS = st.builds(
    CounterReading,
    time_ns=COUNTS,
    rows=st.dictionaries(NAMES, st.dictionaries(NAMES, COUNTS | COUNTERS, max_size=5), max_size=3),
    threads=st.dictionaries(
        COUNTS, st.builds(ThreadTimes, name=NAMES, ran_ns=SUMMANDS, waited_ns=SUMMANDS), max_size=5
    ),
    calls=st.none()
    | st.builds(
        CallCounts,
        counts=st.dictionaries(st.tuples(st.sampled_from(CallKind), METHODS), SUMMANDS, max_size=5),
        failed=COUNTS,
    ),
    page=st.none()
    | st.builds(
        Scrape, body=st.binary(max_size=200), time_ns=COUNTS, duration_ms=st.floats(0, 1e9), error=st.text(max_size=50)
    ),
    notes=st.lists(st.text(max_size=50), max_size=3).map(tuple),
)


@given(READINGS)
def test_what_is_sent_arrives(reading: CounterReading) -> None:
    assert wire.unpacked(wire.packed(reading)) == reading
    assert wire.unpacked_page(wire.packed_page(reading.page)) == reading.page


def test_a_real_reading_arrives_with_what_is_missing_in_it(tmp_path: Path) -> None:
    sent = ourselves(tmp_path).watch(Watched()).at_edge("end", page_within_s=None)
    found = wire.unpacked(wire.packed(sent))
    assert math.isnan(found.rows["counters"]["gc_ms"])
    assert found.rows["host"] == sent.rows["host"]
    assert found.threads == sent.threads
    assert "counter agent" in found.notes[0]


VALID: dict[str, Any] = {"time_ns": 1, "rows": {}, "threads": {}, "calls": None, "page": None, "notes": []}


@pytest.mark.hostile
@pytest.mark.parametrize(
    "changes",
    [
        {"time_ns": -1},
        {"time_ns": 2**63},
        {"time_ns": "now"},
        {"rows": {str(number): {} for number in range(21)}},
        {"rows": {"counters": {str(number): 1 for number in range(51)}}},
        {"rows": {"counters": {"cpu_ns": "1"}}},
        {"rows": {"x" * 65: {}}},
        {"rows": {"counters": {"cpu_ns": 10**400}}},
        {"rows": {"counters": {"jit_ms": math.inf}}},
        {"calls": {"rows": [{"kind": "statements", "method": None, "count": 2**50}], "failed": 0}},
        {"threads": {"1": {"name": "a", "ran_ns": 2**50, "waited_ns": 1}}},
        {"page": {"body": "", "time_ns": 1, "duration_ms": math.nan, "error": ""}},
        {"threads": {str(number): {"name": "a", "ran_ns": 1, "waited_ns": 1} for number in range(5_001)}},
        {"threads": {"-1": {"name": "a", "ran_ns": 1, "waited_ns": 1}}},
        {"threads": {"1": {"name": "a" * 65, "ran_ns": 1, "waited_ns": 1}}},
        {"calls": {"rows": [{"kind": "flights", "method": None, "count": 1}], "failed": 0}},
        {"calls": {"rows": [], "failed": -1}},
        {"page": {"body": "%%%", "time_ns": 1, "duration_ms": 1, "error": ""}},
        {"page": {"body": "", "time_ns": 1, "duration_ms": -1, "error": ""}},
        {"notes": ["a" * 1_001]},
        {"notes": ["a"] * 21},
        {"more": 1},
    ],
)
def test_what_is_no_reading_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(wire.BadAnswer, match="something other than a reading"):
        wire.unpacked(json.dumps({**VALID, **changes}).encode())


@pytest.mark.hostile
@given(st.binary(max_size=300))
def test_any_bytes_are_a_reading_or_refused(answer: bytes) -> None:
    for read in (wire.unpacked, wire.unpacked_page):
        try:
            read(answer)
        except wire.BadAnswer:
            continue


def test_names_of_threads_are_fit_to_be_shown() -> None:
    threads = {"1": {"name": "a\x1b[31m", "ran_ns": 1, "waited_ns": 1}}
    (found,) = wire.unpacked(json.dumps({**VALID, "threads": threads}).encode()).threads.values()
    assert "\x1b" not in found.name
