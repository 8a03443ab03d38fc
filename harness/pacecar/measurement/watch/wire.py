"""Readings on their way from the machine of a fork to ours.

They come from a pod beside a service that may be anybody's, so every field is held against its type and its limits.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pacecar.errors import MeasurementError
from pacecar.measurement.probes.calls import CallCounts, Method
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.probes.threads import ThreadTimes
from pacecar.measurement.watch.reading import CounterReading
from pacecar.model.calls import CallKind
from pacecar.text.plain import cleaned

#: Bytes of an answer: a metrics page is at most 16 MiB, a third more in base64.
MOST_BYTES = 32 << 20
_MOST_TABLES, _MOST_COLUMNS = 20, 50
_MOST_THREADS, _MOST_CALLS, _MOST_NOTES = 5_000, 4_000, 20
_COUNT = Annotated[int, Field(ge=0, lt=2**63)]
#: Of which the sum of all that may be in one answer is one, too. In nanoseconds it is thirteen days.
_SUMMAND = Annotated[int, Field(ge=0, lt=2**50)]
_NAME = Annotated[str, Field(max_length=64)]
_TEXT = Annotated[str, Field(max_length=1_000)]
_STRICT = ConfigDict(
    strict=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants"
)


class BadAnswer(MeasurementError):
    """What came is no reading."""


def _no_infinity(value: float) -> float:
    if math.isinf(value):
        raise ValueError("nothing is counted to infinity")
    return value


#: A counter; NaN where it is not known.
_COUNTER = Annotated[int, Field(ge=-(2**63), lt=2**63)] | Annotated[float, AfterValidator(_no_infinity)]


class _Page(BaseModel):
    model_config = _STRICT

    body: bytes
    time_ns: _COUNT
    duration_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    error: _TEXT


class _Thread(BaseModel):
    model_config = _STRICT

    name: _NAME
    ran_ns: _SUMMAND
    waited_ns: _SUMMAND


class _Call(BaseModel):
    model_config = _STRICT

    kind: CallKind
    method: tuple[_TEXT | None, _TEXT | None] | None
    count: _SUMMAND


class _Calls(BaseModel):
    model_config = _STRICT

    rows: Annotated[list[_Call], Field(max_length=_MOST_CALLS)]
    failed: _COUNT


class _Reading(BaseModel):
    """Of a fork in containers: it has neither peers nor dependencies of ours."""

    model_config = _STRICT

    time_ns: _COUNT
    rows: Annotated[
        dict[_NAME, Annotated[dict[_NAME, _COUNTER], Field(max_length=_MOST_COLUMNS)]],
        Field(max_length=_MOST_TABLES),
    ]
    threads: Annotated[dict[_COUNT, _Thread], Field(max_length=_MOST_THREADS)]
    calls: _Calls | None
    page: _Page | None
    notes: Annotated[list[_TEXT], Field(max_length=_MOST_NOTES)]


_READING = TypeAdapter(_Reading)
_PAGE = TypeAdapter(_Page | None)


def packed(reading: CounterReading) -> bytes:
    """`reading` as JSON."""
    return _READING.dump_json(
        _Reading(
            time_ns=reading.time_ns,
            rows={name: dict(row) for name, row in reading.rows.items()},
            threads={tid: _Thread(**vars(each)) for tid, each in reading.threads.items()},
            calls=None if reading.calls is None else _packed_calls(reading.calls),
            page=None if reading.page is None else _Page(**vars(reading.page)),
            notes=[note[:1_000] for note in reading.notes[:_MOST_NOTES]],
        )
    )


def unpacked(answer: bytes) -> CounterReading:
    """The reading in `answer`. Raises BadAnswer when there is none."""
    found: _Reading = _valid(_READING, answer)
    return CounterReading(
        time_ns=found.time_ns,
        rows=found.rows,
        threads={
            tid: ThreadTimes(name=cleaned(each.name), ran_ns=each.ran_ns, waited_ns=each.waited_ns)
            for tid, each in found.threads.items()
        },
        calls=None if found.calls is None else _unpacked_calls(found.calls),
        page=None if found.page is None else _scrape(found.page),
        notes=tuple(found.notes),
    )


def packed_page(page: Scrape | None) -> bytes:
    """`page` as JSON."""
    return _PAGE.dump_json(None if page is None else _Page(**vars(page)))


def unpacked_page(answer: bytes) -> Scrape | None:
    """The page in `answer`. Raises BadAnswer when it is something else."""
    found: _Page | None = _valid(_PAGE, answer)
    return None if found is None else _scrape(found)


def _valid(kind: TypeAdapter[Any], answer: bytes) -> Any:
    try:
        return kind.validate_json(answer)
    except (ValidationError, RecursionError) as error:
        raise BadAnswer(f"The sidecar of a fork answered something other than a reading: {answer[:80]!r}.") from error


def _scrape(page: _Page) -> Scrape:
    return Scrape(body=page.body, time_ns=page.time_ns, duration_ms=page.duration_ms, error=page.error)


def _packed_calls(calls: CallCounts) -> _Calls:
    rows = [
        _Call(kind=kind, method=None if method is None else (method.type_name, method.name), count=count)
        for (kind, method), count in calls.counts.items()
    ]
    return _Calls(rows=rows, failed=calls.failed)


def _unpacked_calls(calls: _Calls) -> CallCounts:
    counts = {
        (each.kind, None if each.method is None else Method(type_name=each.method[0], name=each.method[1])): each.count
        for each in calls.rows
    }
    return CallCounts(counts=counts, failed=calls.failed)
