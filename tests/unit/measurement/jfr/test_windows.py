"""Which window a sample counts in, against a count sample by sample."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pacecar.measurement.jfr import Folded
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES
from support.jfr_files import START_NS, Sample, chunk

MS = 1_000_000
WALL_NS = 20 * MS


def window(index: int, start_ms: int, end_ms: int) -> Window:
    return Window(index=index, side=Side.BASELINE, start_ns=START_NS + start_ms * MS, end_ns=START_NS + end_ms * MS)


WINDOWS = [window(0, 100, 300), window(2, 300, 310), window(4, 700, 1500)]


def batch(start_ms: int, samples: int) -> Sample:
    span_ns = (samples - 1) * WALL_NS
    return Sample(
        type_name="profiler.WallClockSample", at_ns=start_ms * MS, values={"samples": samples, "timeSpan": span_ns}
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(batches=st.lists(st.tuples(st.integers(0, 1600), st.integers(1, 90)), min_size=1, max_size=8))
@example(batches=[(100, 1), (299, 1), (300, 1), (310, 1), (0, 81)])
def test_batches_are_divided_sample_by_sample(
    batches: list[tuple[int, int]], fold_bytes: Callable[..., Folded]
) -> None:
    expected: Counter[int] = Counter()
    for start_ms, samples in batches:
        for tick in range(samples):
            at = START_NS + start_ms * MS + tick * WALL_NS
            expected.update(one.index for one in WINDOWS if one.start_ns <= at < one.end_ns)
    folded = fold_bytes(chunk([batch(*one) for one in batches]), WINDOWS)
    assert folded.samples.set_index("window")["samples"].to_dict() == dict(expected)
    assert folded.samples["weight"].tolist() == pytest.approx((folded.samples["samples"] * WALL_NS).tolist())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(waits=st.lists(st.tuples(st.integers(0, 1600), st.integers(2, 900)), min_size=1, max_size=8))
@example(waits=[(250, 600)])
def test_waits_are_divided_by_time(waits: list[tuple[int, int]], fold_bytes: Callable[..., Folded]) -> None:
    content = chunk(
        [
            Sample(type_name="jdk.JavaMonitorEnter", at_ns=start * MS, values={"duration": length * MS})
            for start, length in waits
        ]
    )
    folded = fold_bytes(content, WINDOWS)
    waited, begun = folded.samples.set_index("window")["weight"], folded.samples.set_index("window")["samples"]
    for one in WINDOWS:
        low, high = (one.start_ns - START_NS) // MS, (one.end_ns - START_NS) // MS
        overlap = sum(max(0, min(start + length, high) - max(start, low)) for start, length in waits)
        assert abs(waited.get(one.index, 0.0) - overlap * MS) < 1
        assert begun.get(one.index, 0) == sum(low <= start < high for start, _ in waits)


def test_chunks_of_the_warm_up_are_counted_and_not_read(fold_bytes: Callable[..., Folded]) -> None:
    minute = 60_000 * MS
    early = chunk([Sample(at_ns=1)], duration_ns=minute)
    unfinished = chunk([Sample(at_ns=2 * minute)], duration_ns=0)
    windows = [Window(index=1, side=Side.BASELINE, start_ns=START_NS + 2 * minute, end_ns=START_NS + 3 * minute)]
    folded = fold_bytes(early + unfinished, windows)
    assert folded.counts.chunks == 2
    assert len(folded.stacks) == 1, "the stack of the early one is not even known"
    assert folded.samples["samples"].tolist() == [1]


def test_columns_are_those_of_a_recording(fold_bytes: Callable[..., Folded]) -> None:
    for content in (chunk([Sample(at_ns=150 * MS)]), chunk([]), b""):
        folded = fold_bytes(content, WINDOWS)
        for name in ("samples", "moments", "stacks"):
            table = getattr(folded, name)
            assert {column: str(dtype) for column, dtype in table.dtypes.items()} == TABLES[name]


def test_counts_by_window(fold_bytes: Callable[..., Folded]) -> None:
    samples = [Sample(at_ns=at * MS) for at in (50, 100, 250, 305, 1600)]
    counts = fold_bytes(chunk(samples), WINDOWS).counts
    assert counts.windows["window"].tolist() == [0, 2, 4]
    assert counts.windows["samples"].tolist() == [2, 1, 0]
    assert counts.samples == 3
    assert counts.sampled_cpu_ns == 30 * MS


def test_times_and_traces_of_samples_are_kept(fold_bytes: Callable[..., Folded]) -> None:
    traced = {"spanId": 7, "traceIdHi": 2**63 + 5, "traceIdLo": 11}
    samples = [
        Sample(at_ns=150 * MS + 3, thread="worker-1", values=traced),
        batch(200, 9),  # 200 to 360 ms: five samples in one window, one in the next
        Sample(type_name="jdk.JavaMonitorEnter", at_ns=705 * MS, values={"duration": 2 * MS, "spanId": 9}),
        Sample(type_name="jdk.ObjectAllocationOutsideTLAB", at_ns=800 * MS, values={"allocationSize": 10}),
        Sample(at_ns=600 * MS),
    ]
    moments = fold_bytes(chunk(samples), WINDOWS).moments
    assert (moments["time_ns"] - START_NS).tolist() == [150 * MS + 3, 200 * MS, 200 * MS, 705 * MS]
    assert moments["event"].tolist() == ["cpu", "wall", "wall", "lock"]
    assert moments["window"].tolist() == [0, 0, 2, 4]
    assert moments["samples"].tolist() == [1, 5, 1, 1]
    assert moments["span_ns"].tolist() == [0, 160 * MS, 160 * MS, 2 * MS]
    assert moments["span"].tolist() == [7, 0, 0, 9]
    assert moments[["trace_hi", "trace_lo"]].iloc[0].tolist() == [5 - 2**63, 11]


def test_times_are_kept_of_so_many_samples_and_no_more(
    fold_bytes: Callable[..., Folded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["pacecar.measurement.jfr.fold"], "_MOMENTS", 3)
    content = chunk([Sample(at_ns=at * MS) for at in (100, 120, 305, 306, 800)])
    folded = fold_bytes(content, WINDOWS)
    assert (folded.moments["time_ns"] - START_NS).tolist() == [100 * MS, 120 * MS, 305 * MS]
    assert folded.samples["samples"].sum() == 5, "sums hold all of them"
