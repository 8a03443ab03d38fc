from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from pacecar.measurement.spans import told_spans
from pacecar.measurement.spans.otlp import SpansUnreadable, parse, spans_of
from pacecar.model.tables import TABLES, empty_table

SEED = 2**63 + 5
START_NS = 1_764_000_000_000_000_000


def span(number: int, *, span_id: int = 1, seed: int = SEED, name: str = "GET /orders", **fields: object) -> Span:
    told = Span(
        trace_id=seed.to_bytes(8, "big") + number.to_bytes(8, "big"),
        span_id=span_id.to_bytes(8, "big"),
        name=name,
        kind=Span.SPAN_KIND_SERVER,
        start_time_unix_nano=START_NS + span_id,
        end_time_unix_nano=START_NS + span_id + 2_500_000,
        **fields,  # type: ignore[arg-type]
    )
    told.attributes.add(key="thread.name").value.string_value = "http-1"
    return told


def body(*spans: Span) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return request.SerializeToString()


@pytest.fixture
def kept(tmp_path: Path):
    def keep(*bodies: bytes) -> list[Path]:
        paths = [tmp_path / f"{number:05d}.upload" for number in range(len(bodies))]
        for path, content in zip(paths, bodies, strict=True):
            path.write_bytes(content)
        return paths

    return keep


def test_spans_of_wanted_requests_become_rows(kept) -> None:
    inner = span(
        7, span_id=3, name="SELECT", parent_span_id=(2).to_bytes(8, "big"), status=Status(code=Status.STATUS_CODE_ERROR)
    )
    bodies = kept(body(inner, span(8)), body(span(7, span_id=2)), body(span(7, span_id=4, seed=6)))
    table = spans_of(bodies, seed=SEED, numbers=[7.0])
    assert dict(table.dtypes) == dict(empty_table("spans").dtypes)
    assert table.to_dict("records") == [
        {
            "number": 7.0,
            "span": 2,
            "parent": 0,
            "name": "GET /orders",
            "kind": "server",
            "thread": "http-1",
            "failed": False,
            "start_ns": START_NS + 2,
            "duration_ms": 2.5,
        },
        {
            "number": 7.0,
            "span": 3,
            "parent": 2,
            "name": "SELECT",
            "kind": "server",
            "thread": "http-1",
            "failed": True,
            "start_ns": START_NS + 3,
            "duration_ms": 2.5,
        },
    ]


def test_what_is_no_export_is_left_out_and_the_rest_is_read(kept) -> None:
    with pytest.raises(SpansUnreadable):
        parse(b"\xff\xff")
    assert len(spans_of(kept(b"\xff\xff", body(span(7))), seed=SEED, numbers=[7.0])) == 1


@pytest.mark.hostile
@pytest.mark.parametrize(
    "wrong",
    [
        {"start_time_unix_nano": 0},
        {"end_time_unix_nano": START_NS - 1},
        {"end_time_unix_nano": 2**64 - 1},
        {"span_id": b""},
        {"span_id": b"123456789"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_span_that_makes_no_sense_is_left_out(wrong: dict[str, object], kept) -> None:
    odd = span(7)
    for name, value in wrong.items():
        setattr(odd, name, value)
    assert spans_of(kept(body(odd)), seed=SEED, numbers=[7.0]).empty


@pytest.mark.hostile
def test_texts_are_one_short_line_and_a_request_has_some_hundred_spans_at_most(kept) -> None:
    many = [span(7, span_id=number, name="a\nb\x1b[31m" + "x" * 5000) for number in range(1, 400)]
    table = spans_of(kept(body(*many)), seed=SEED, numbers=[7.0])
    assert len(table) == 200
    assert table["name"].str.len().max() <= 200
    assert not table["name"].str.contains(r"[\n\x1b]", regex=True).any()


@pytest.mark.hostile
def test_an_unknown_kind_is_none(kept) -> None:
    odd = span(7)
    odd.kind = 99  # type: ignore[assignment]
    assert spans_of(kept(body(odd)), seed=SEED, numbers=[7.0])["kind"].tolist() == [""]


@pytest.mark.hostile
@given(st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    try:
        parse(content)
    except SpansUnreadable:
        return


def test_nothing_is_read_where_nothing_came() -> None:
    arrivals = pd.DataFrame(columns=list(TABLES["arrivals"])).astype(TABLES["arrivals"])
    assert told_spans((), seed=1, arrivals=arrivals).empty
    assert told_spans([Path("/nowhere")], seed=1, arrivals=None).empty
