from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.single_requests import SpanGroup, slow_requests
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, Window
from support import recordings
from support.single_requests import ENDPOINT, Request, recorded

WINDOW = Window(index=0, side=Side.BASELINE, start_ns=10**12, end_ns=10**12 + 60 * 10**9)


def _fork(*requests: Request, side: Side = Side.BASELINE, **tables: pd.DataFrame) -> MeasuredFork:
    pair = recordings.pair(1)
    data = replace(pair.forks[side], tables=pair.forks[side].tables | recorded(requests) | tables)
    record = replace(pair.record, windows=(replace(WINDOW, side=side),))
    return MeasuredFork.of(Pair(record=record, forks={side: data}), side)


def _request(number: int, took_ms: float, *, in_database_ms: float = 1.0, samples: tuple[float, ...] = ()) -> Request:
    return Request(
        number=number,
        window=0,
        sent_ns=WINDOW.start_ns + number * 10**9,
        took_ms=took_ms,
        in_database_ms=in_database_ms,
        samples=samples,
    )


BEFORE = _fork(*(_request(number, took) for number, took in enumerate((5.0, 6.0, 7.0, 90.0), start=1)))


def test_the_slowest_of_the_candidate_stands_beside_a_usual_one_of_the_baseline() -> None:
    after = _fork(_request(1, 5.0), _request(2, 80.0, in_database_ms=60.0), side=Side.CANDIDATE)
    other = _fork(_request(9, 40.0), side=Side.CANDIDATE)
    (found,) = slow_requests([(1, BEFORE)], [(1, other), (2, after)])
    assert (found.slowest.side, found.slowest.pair, found.slowest.took_ms) == (Side.CANDIDATE, 2, 80.0)
    # Of 5, 6, 7 and 90 ms the median is 6.5.
    assert (found.usual.side, found.usual.pair, found.usual.took_ms) == (Side.BASELINE, 1, 6.0)
    assert found.slowest.lag_ms == 0.5
    assert found.slowest.steps == (
        SpanGroup(
            name="GET /orders", count=1, kind="server", depth=0, failed=False, at_ms=0.2, until_ms=79.8, took_ms=79.6
        ),
        SpanGroup(
            name="SELECT orders.line",
            count=1,
            kind="client",
            depth=1,
            failed=False,
            at_ms=3.0,
            until_ms=63.0,
            took_ms=60.0,
        ),
    )


def test_many_spans_alike_are_told_together() -> None:
    after = _fork(_request(2, 80.0), side=Side.CANDIDATE)
    spans = after.data.tables["spans"]
    begins_ns = spans["start_ns"].iloc[1]
    asked = [
        spans.iloc[[1]].assign(span=100 + place, name=name, start_ns=begins_ns + place * 1_000_000, failed=place == 6)
        for place, name in enumerate(["SELECT a", "SELECT b"] * 5 + ["COMMIT"] * 3)
    ]
    more = pd.concat([spans.iloc[[0]], *asked])
    (found,) = slow_requests([(1, BEFORE)], [(1, _fork(_request(2, 80.0), side=Side.CANDIDATE, spans=more))])
    told = [(step.name, step.count, step.failed, step.took_ms) for step in found.slowest.steps]
    assert told == [
        ("GET /orders", 1, False, 79.6),
        ("SELECT a", 5, True, 5.0),
        ("SELECT b", 5, False, 5.0),
        *[("COMMIT", 1, False, 1.0)] * 3,
    ]
    assert (found.slowest.steps[1].at_ms, found.slowest.steps[1].until_ms) == (3.0, 12.0)


def test_what_the_profiler_saw_is_told_in_stretches() -> None:
    samples = (1.0, 2.0, 10.0, 30.0, 50.0, 70.0)
    after = _fork(_request(2, 80.0, in_database_ms=50.0, samples=samples), side=Side.CANDIDATE)
    (found,) = slow_requests([(1, BEFORE)], [(1, after)], application=("shop.",))
    seen = [(each.doing, each.frame, each.samples, each.at_ms, each.until_ms) for each in found.slowest.stretches]
    assert seen == [
        ("on a CPU", "shop.orders.JacksonEncoder.encode", 2, 1.0, 2.0),
        ("waiting for a database", "shop.orders.OrderRepository.page", 3, 10.0, 50.0),
        ("on a CPU", "shop.orders.JacksonEncoder.encode", 1, 70.0, 70.0),
    ]
    (innermost,) = slow_requests([(1, BEFORE)], [(1, after)])
    assert {each.frame for each in innermost.slowest.stretches} == {
        "java.lang.String.valueOf",
        "sun.nio.ch.NioSocketImpl.read",
    }


def test_samples_of_other_requests_are_not_its() -> None:
    after = _fork(
        _request(1, 20.0, samples=(5.0,)), _request(2, 80.0, samples=(1.0,)), _request(3, 2.0), side=Side.CANDIDATE
    )
    (found,) = slow_requests([(1, BEFORE)], [(1, after)])
    assert sum(each.samples for each in found.slowest.stretches) == 1


def test_pauses_that_it_met_are_told() -> None:
    sent_ns = WINDOW.start_ns + 2 * 10**9
    pauses = pd.DataFrame(
        {
            "process": ["target", "generator", "target", "target", "generator"],
            "start_ns": [
                *(sent_ns - 10_000_000, sent_ns + 70_000_000, sent_ns + 81_000_000, sent_ns - 9_000_000),
                sent_ns + 30_000_000,
            ],
            "duration_ms": [15.0, 3.0, 4.0, 1.0, 20.0],
            "kind": ["before and within", "within", "after", "before", "of the injector that did not send it"],
            "injector": [0, 0, 0, 0, 1],
        }
    )
    after = _fork(_request(2, 80.0), side=Side.CANDIDATE, pauses=pauses)
    (found,) = slow_requests([(1, BEFORE)], [(1, after)])
    assert [(each.kind, each.process, each.at_ms) for each in found.slowest.pauses] == [
        ("before and within", "target", -10.0),
        ("within", "generator", 70.0),
    ]


def test_without_spans_there_is_nothing_to_tell() -> None:
    none = recorded([])["spans"]
    assert slow_requests([(1, BEFORE)], [(1, _fork(_request(1, 5.0), side=Side.CANDIDATE, spans=none))]) == ()
    assert slow_requests([(1, _fork(_request(1, 5.0), spans=none))], [(1, BEFORE)]) == ()
    assert slow_requests([], []) == ()


def test_requests_that_were_not_answered_have_no_time() -> None:
    after = _fork(_request(1, 5.0), _request(2, math.nan), side=Side.CANDIDATE)
    (found,) = slow_requests([(1, BEFORE)], [(1, after)])
    assert found.slowest.took_ms == 5.0


@pytest.mark.parametrize("parent", [20, 21], ids=["of each other", "of itself"])
def test_spans_in_a_circle_end_somewhere(parent: int) -> None:
    after = _fork(_request(2, 80.0), side=Side.CANDIDATE)
    spans = after.data.tables["spans"].assign(parent=[21, parent])
    (found,) = slow_requests([(1, BEFORE)], [(1, _fork(_request(2, 80.0), side=Side.CANDIDATE, spans=spans))])
    assert max(step.depth for step in found.slowest.steps) <= 100


def test_what_readers_ask_for_comes_first() -> None:
    def _both(fork: MeasuredFork) -> dict[str, pd.DataFrame]:
        arrivals = fork.data.tables["arrivals"]
        more = arrivals.assign(endpoint="GET /price", number=arrivals["number"] + 100, took_ms=arrivals["took_ms"] / 2)
        spans = fork.data.tables["spans"]
        return {
            "arrivals": pd.concat([arrivals, more]),
            "spans": pd.concat([spans, spans.assign(number=spans["number"] + 100)]),
        }

    requests = [_request(1, 5.0), _request(2, 80.0)]
    forks = [_fork(*requests, side=side, **_both(_fork(*requests, side=side))) for side in Side]
    numbered = [[(1, fork)] for fork in forks]
    assert [each.slowest.endpoint for each in slow_requests(*numbered)] == [ENDPOINT, "GET /price"]
    told = slow_requests(*numbered, endpoints=["GET /nowhere", "GET /price"])
    assert [each.slowest.endpoint for each in told] == ["GET /price", ENDPOINT]
