"""A chunk's samples as one table, with names in place of the chunk's ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pacecar.measurement.jfr.chunk import Chunk
from pacecar.measurement.jfr.events import LABELS, Events, Intervals
from pacecar.measurement.jfr.frames import printable
from pacecar.measurement.jfr.labels import Labels
from pacecar.measurement.jfr.numbers import Column, distinct_pairs
from pacecar.measurement.jfr.pools import Pools
from pacecar.measurement.jfr.stacks import StackTable
from pacecar.model.profiles import ProfileKind

_LONGEST_NAME = 200

#: What is believed of one event; async-profiler batches up to 1000 samples.
_SAMPLES = 100_000
_SPAN_NS = 86_400 * 10**9
_BYTES = float(1 << 50)

#: Fields of events whose meaning is in a pool or beside the chunk.
_IDS = ("stackTrace", "thread", "state", *LABELS)

_KINDS = [kind.value for kind in ProfileKind]


def sample_table(
    chunk: Chunk, pools: Pools, found: Sequence[Events], *, labels: Labels, stacks: StackTable, intervals: Intervals
) -> pd.DataFrame:
    """The table that `reader.FlightRecording.samples` describes. Raises Damaged."""
    parts = [_numeric(chunk, events, intervals) for events in found]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    label_codes, pairs = distinct_pairs(joined["contextId"], joined["spanName"])
    return pd.DataFrame(
        {
            "event": _categories(joined["event"], _KINDS),
            "time_ns": joined["time_ns"],
            "span_ns": joined["span_ns"],
            "stack": stacks.numbers(pools, joined["stackTrace"]).astype(np.int32),
            "thread": _texts(joined["thread"], _thread_names(pools)),
            "state": _texts(joined["state"], pools.texts("jdk.types.ThreadState", "name")),
            "label": _categories(
                label_codes, [labels.text(context=context, span_name=span_name) for context, span_name in pairs]
            ),
            "samples": joined["samples"],
            "weight": joined["weight"],
            "span": joined["spanId"],
            "trace_hi": joined["traceIdHi"],
            "trace_lo": joined["traceIdLo"],
        }
    )


def _numeric(chunk: Chunk, events: Events, intervals: Intervals) -> dict[str, NDArray[Any]]:
    """The columns of one source, believable events only; ids as they are."""
    source, columns = events.source, events.columns
    count = len(columns["startTime"])
    absent = np.zeros(count, dtype=np.int64)
    samples = _read(columns, source.samples, absent + 1)
    span_ns = chunk.spans_ns(_read(columns, source.span, absent))
    size = _read(columns, source.size, absent)
    table: dict[str, NDArray[Any]] = {
        "event": np.full(count, _KINDS.index(source.event), dtype=np.int8),
        "time_ns": chunk.times_ns(columns["startTime"]),
        "span_ns": span_ns,
        "samples": samples,
        "weight": _weights(
            source.event,
            intervals,
            samples=samples,
            span_ns=span_ns,
            size=size,
            sampled=_read(columns, source.object, absent),
        ),
        **{name: columns.get(source.thread if name == "thread" else name, absent) for name in _IDS},
    }
    sane = (samples > 0) & (samples <= _SAMPLES) & (span_ns >= 0) & (span_ns <= _SPAN_NS)
    return {name: values[sane] for name, values in table.items()}


def _read(columns: Mapping[str, Column], field: str | None, otherwise: Column) -> Column:
    """The column of `field`; `otherwise` where events have no such field, or this chunk does not write it."""
    return otherwise if field is None else columns.get(field, otherwise)


def _weights(
    event: str, intervals: Intervals, *, samples: Column, span_ns: Column, size: Column, sampled: Column
) -> NDArray[np.float64]:
    if event in (ProfileKind.CPU, ProfileKind.WALL):
        return samples.astype(np.float64) * (intervals.cpu_ns if event == ProfileKind.CPU else intervals.wall_ns)
    if event == ProfileKind.LOCK:
        # async-profiler adds up waits and records the one that passes the interval (`LockTracer`): a wait shorter
        # than the interval is recorded with probability wait / interval, and so stands for the whole of it.
        return np.maximum(span_ns.astype(np.float64), intervals.lock_ns)
    assert event == ProfileKind.ALLOCATION
    return np.clip(_allocated(size.astype(np.float64), sampled.astype(np.float64), intervals), 0.0, _BYTES)


def _allocated(size: NDArray[np.float64], sampled: NDArray[np.float64], intervals: Intervals) -> NDArray[np.float64]:
    """The bytes that samples of objects of `sampled` bytes stand for; what the event says itself where it is `size`.

    HotSpot draws the distance to the next sample from an exponential distribution (JEP 331,
    `ThreadHeapSampler::pick_next_geometric_sample`): of objects of s bytes it takes a share of 1 - exp(-s / interval),
    and each stands for its size over that share (Horvitz & Thompson, JASA 47, 1952).
    """
    interval = intervals.allocation_bytes
    by_hotspot = (sampled > 0) & (size == np.maximum(sampled, interval))
    believed = np.where(by_hotspot, sampled, 1.0)
    return np.where(by_hotspot, believed / -np.expm1(-believed / interval), size)


def _thread_names(pools: Pools) -> dict[int, str]:
    java, native = pools.texts("java.lang.Thread", "javaName"), pools.texts("java.lang.Thread", "osName")
    return native | {thread: name for thread, name in java.items() if name}


def _texts(ids: Column, texts: Mapping[int, str]) -> pd.Categorical[str]:
    codes, distinct = pd.factorize(ids)
    return _categories(codes, [printable(texts.get(number, ""), longest=_LONGEST_NAME) for number in distinct.tolist()])


def _categories(codes: NDArray[np.integer[Any]], texts: list[str]) -> pd.Categorical[str]:
    """Different ids may have one text, categories may not."""
    distinct = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    of_text = np.array([distinct[text] for text in texts], dtype=np.intp)
    merged: NDArray[np.intp] = of_text[codes]
    return pd.Categorical.from_codes(merged, categories=pd.Index(list(distinct), dtype=object))
