"""Bodies of OTLP/HTTP uploads of traces (OpenTelemetry Protocol Specification, binary protobuf), read span by span."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pandas as pd
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from pacecar.measurement.jfr.frames import printable
from pacecar.measurement.receiver.spool import SPANS_BYTES
from pacecar.model.tables import TABLES
from pacecar.system.foreign import files

#: Spans of one fork that are looked at, and that are kept of one request.
_SPANS = 2_000_000
_OF_A_REQUEST = 200
_LONGEST_NAME = 200
_TRACE_BYTES, _SPAN_BYTES = 16, 8
_LATEST_NS = 1 << 62
_MS = 1e6
_THREAD = "thread.name"


class SpansUnreadable(ValueError):
    """A body is not what an agent exports; the message says why."""


def spans_of(bodies: Collection[Path], *, seed: int, numbers: Collection[float]) -> pd.DataFrame:
    """The spans of some requests in the columns of `TABLES["spans"]`, in the order of their starts.

    Args:
        bodies: of uploads, as they came.
        seed: of the pair, 64 bits: the upper half of the ids of its requests' traces.
        numbers: of the requests, the lower half.

    Returns:
        The table. A body that cannot be read is left out.
    """
    wanted = {_trace_id(seed, round(number)): number for number in numbers}
    kept = dict.fromkeys(wanted.values(), 0)
    rows: list[tuple[object, ...]] = []
    for span in itertools.islice(_read(bodies), _SPANS):
        number = wanted.get(span.trace_id)
        if number is not None and kept[number] < _OF_A_REQUEST and (row := _row(number, span)) is not None:
            kept[number] += 1
            rows.append(row)
    table = pd.DataFrame(rows, columns=list(TABLES["spans"])).astype(TABLES["spans"])
    return table.sort_values(["number", "start_ns"], kind="stable", ignore_index=True)


def parse(body: bytes) -> ExportTraceServiceRequest:
    """A body as what it stands for. Raises SpansUnreadable."""
    try:
        request: ExportTraceServiceRequest = ExportTraceServiceRequest.FromString(body)
        return request
    except DecodeError as error:
        raise SpansUnreadable("it is no export of traces") from error


def _read(bodies: Iterable[Path]) -> Iterator[Span]:
    for body in bodies:
        try:
            request = parse(files.content(body, most=SPANS_BYTES))
        except (OSError, SpansUnreadable):
            continue
        for of_resource in request.resource_spans:
            for of_scope in of_resource.scope_spans:
                yield from of_scope.spans


def _trace_id(seed: int, number: int) -> bytes:
    """As the kit's `Trace` makes it."""
    return (seed % 2**64).to_bytes(_TRACE_BYTES // 2, "big") + number.to_bytes(_TRACE_BYTES // 2, "big")


def _row(number: float, span: Span) -> tuple[object, ...] | None:
    """A span as a row; None for one whose times or ids make no sense."""
    start_ns, end_ns = span.start_time_unix_nano, span.end_time_unix_nano
    if not 0 < start_ns <= end_ns < _LATEST_NS or len(span.span_id) != _SPAN_BYTES:
        return None
    return (
        number,
        int.from_bytes(span.span_id, "big", signed=True),
        int.from_bytes(span.parent_span_id[:_SPAN_BYTES], "big", signed=True),
        printable(span.name, longest=_LONGEST_NAME),
        Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower() if span.kind in Span.SpanKind.values() else "",
        printable(_thread(span), longest=_LONGEST_NAME),
        span.status.code == Status.STATUS_CODE_ERROR,
        start_ns,
        (end_ns - start_ns) / _MS,
    )


def _thread(span: Span) -> str:
    return next((each.value.string_value for each in span.attributes if each.key == _THREAD), "")
