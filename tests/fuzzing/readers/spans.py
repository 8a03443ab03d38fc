"""An upload of spans, as OpenTelemetry's agent exports them."""

from __future__ import annotations

from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from fuzzing import scratch
from fuzzing.limits import Limits
from pacecar.measurement.spans.otlp import spans_of

LIMITS = Limits(input_bytes=8192)
#: The trace of a request whose number is 7, of the seed 1: what a mutation hits upon rarely.
_TRACE = bytes([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7])


def parse(data: bytes) -> None:
    table = spans_of([scratch.file(data, "00001.upload")], seed=1, numbers=[7.0])
    assert len(table) <= 200
    assert (table["duration_ms"] >= 0).all()


def seeds() -> Iterator[bytes]:
    span = Span(trace_id=_TRACE, span_id=b"12345678", start_time_unix_nano=1, end_time_unix_nano=10**18)
    for name in ("", "GET /orders", "\x1b[31m\n"):
        span.name, span.kind = name, Span.SPAN_KIND_CLIENT
        request = ExportTraceServiceRequest()
        request.resource_spans.add().scope_spans.add().spans.append(span)
        yield request.SerializeToString()
