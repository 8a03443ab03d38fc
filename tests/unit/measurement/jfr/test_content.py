"""What is in a chunk is what was written, in whatever form it was written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.jfr import Folded
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from support.jfr_files import START_NS, TYPES, Form, Frame, Sample, chunk

SHALLOW = (Frame(method="leaf", kind="Inlined"), Frame(method="work"), Frame(owner="java/lang/Thread", method="run"))
NATIVE = (
    Frame(owner="libc.so.6", method="read", kind="Native"),
    Frame(owner="libjvm.so", method="os::read", kind="C++"),
    Frame(owner="", method="sys_read", kind="Kernel"),
    Frame(owner="shop/Café$$Lambda$3/0x0000000800c03000", method="get", kind="C1 compiled"),
    Frame(owner="shop/Main", method="main", kind="Interpreted"),
)
SAMPLES = [
    Sample(at_ns=1_000_000, frames=SHALLOW, thread="worker-1"),
    Sample(at_ns=2_000_000, frames=NATIVE, thread="worker-2"),
    Sample(at_ns=3_000_000, frames=SHALLOW, thread="worker-1"),
    Sample(
        type_name="profiler.WallClockSample",
        at_ns=4_000_000,
        frames=SHALLOW,
        thread="GC Thread#0",
        native_thread=True,
        state="STATE_SLEEPING",
        values={"samples": 7, "timeSpan": 120_000_000, "traceIdHi": -1, "traceIdLo": 2**63},
    ),
]
OTHERS: list[tuple[str, Mapping[str, Any]]] = [
    ("jdk.CPULoad", {"jvmUser": 0.5}),
    ("jdk.ActiveSetting", {"name": "Größe", "value": None}),
]

FORMS = {
    "plain": Form(),
    "UTF-16 strings": Form(string_encoding=4),
    "Latin-1 strings": Form(string_encoding=5),
    "pooled strings": Form(string_encoding=2),
    "chained pools": Form(pool_events=4),
    "a chain with empty links": Form(pool_events=12),
    "wide sizes": Form(wide_sizes=True),
    "ids of five bytes": Form(first_id=2**34),
    "ids of nine bytes": Form(first_id=2**62),
    "a fast clock": Form(ticks_per_s=2_500_000_000),
    "fields in another order": Form(
        types={name: fields[::-1] if "Sample" in name else fields for name, fields in TYPES.items()}
    ),
    "types in another order": Form(types=dict(reversed(TYPES.items()))),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_says_the_same(form: Form, fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk(SAMPLES, form=form, others=OTHERS))
    assert folded.counts.unreadable == ()
    table = folded.samples.merge(folded.stacks, on="stack")
    rows = {(row.event, row.thread, row.state, row.samples, row.frames, row.kinds) for row in table.itertuples()}
    shallow = "java.lang.Thread.run\nshop.Cart.work\nshop.Cart.leaf"
    native = "shop.Main.main\nshop.Café$$Lambda.get\nsys_read\nlibjvm.so.os::read\nlibc.so.6.read"
    assert rows == {
        ("cpu", "worker-1", "STATE_DEFAULT", 2, shallow, "JJi"),
        ("cpu", "worker-2", "STATE_DEFAULT", 1, native, "I1KCN"),
        ("wall", "GC Thread#0", "STATE_SLEEPING", 7, shallow, "JJi"),
    }


def test_stacks_are_shared_between_chunks_whatever_their_ids(fold_bytes: Callable[..., Folded]) -> None:
    first = chunk([Sample(frames=SHALLOW)])
    second = chunk([Sample(frames=NATIVE), Sample(frames=SHALLOW)], form=Form(first_id=900))
    folded = fold_bytes(first + second)
    assert folded.counts.chunks == 2
    assert len(folded.stacks) == 2
    assert folded.samples.set_index("stack")["samples"].to_dict() == {0: 2, 1: 1}


def test_chunk_without_samples_or_pools(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([]) + chunk([], others=OTHERS))
    assert (folded.counts.chunks, folded.counts.unreadable, len(folded.samples)) == (2, (), 0)


def test_sample_without_a_stack_has_failed(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([Sample(frames=()), Sample(values={"stackTrace": None}), Sample()]))
    assert (folded.counts.samples, folded.counts.failed_stacks) == (3, 2)
    assert "" in folded.stacks["frames"].tolist()


@pytest.mark.parametrize(
    ("entry", "marked", "failed", "truncated"),
    [
        ("unknown_Java", False, 1, 0),
        ("break_compiled", False, 1, 0),
        ("truncated", False, 0, 1),
        ("start_thread", True, 0, 1),
        ("start_thread", False, 0, 0),
        ("__restore_rt", False, 1, 0),
    ],
)
def test_quality_of_stacks(
    entry: str, marked: bool, failed: int, truncated: int, fold_bytes: Callable[..., Folded]
) -> None:
    cut = Sample(frames=(Frame(), Frame(owner="", method=entry, kind="Native")), truncated=marked)
    wall = Sample(type_name="profiler.WallClockSample", frames=cut.frames, values={"samples": 5})
    counts = fold_bytes(chunk([cut, Sample(), wall])).counts
    assert (counts.samples, counts.failed_stacks, counts.truncated_stacks) == (2, failed, truncated)
    assert counts.windows[["failed_stacks", "truncated_stacks"]].to_numpy().tolist() == [[failed, truncated]]


def test_a_stack_that_begins_with_a_signal_handler_says_nothing(fold_bytes: Callable[..., Folded]) -> None:
    handler = Frame(owner="/tmp/libasyncProfiler.so", method="WallClock::signalHandler", kind="C++")
    returning = Frame(owner="/usr/lib/libc.so.6", method="__restore_rt", kind="Native")
    work = Frame(owner="shop/Cart", method="work", kind="JIT compiled")
    java = Frame(owner="shop/Cart", method="__restore_rt", kind="JIT compiled")
    samples = [Sample(frames=frames) for frames in [(handler, returning), (handler, returning, work), (work, java)]]
    assert fold_bytes(chunk(samples)).stacks["frames"].tolist() == [
        "[interrupted]",
        "shop.Cart.work\nlibc.so.6.__restore_rt\nlibasyncProfiler.so.WallClock::signalHandler",
        "shop.Cart.__restore_rt\nshop.Cart.work",
    ]


WEIGHTS = {
    "cpu": (Sample(), 10e6),
    "wall": (Sample(type_name="profiler.WallClockSample", values={"samples": 3}), 60e6),
    "alloc": (
        Sample(type_name="jdk.ObjectAllocationInNewTLAB", values={"allocationSize": 16, "tlabSize": 524_288}),
        524_296,
    ),
    "alloc as large as the interval": (
        Sample(type_name="jdk.ObjectAllocationInNewTLAB", values={"allocationSize": 524_288, "tlabSize": 524_288}),
        524_288 / (1 - math.exp(-1)),
    ),
    "alloc far larger than the interval": (
        Sample(type_name="jdk.ObjectAllocationInNewTLAB", values={"allocationSize": 1 << 30, "tlabSize": 1 << 30}),
        1 << 30,
    ),
    "alloc of a buffer that was filled": (
        Sample(type_name="jdk.ObjectAllocationInNewTLAB", values={"allocationSize": 16, "tlabSize": 90_000}),
        90_000,
    ),
    "alloc outside": (Sample(type_name="jdk.ObjectAllocationOutsideTLAB", values={"allocationSize": 900_000}), 900_000),
    "lock": (Sample(type_name="jdk.JavaMonitorEnter", values={"duration": 30_000_000}), 30e6),
    "lock shorter than the interval": (Sample(type_name="jdk.ThreadPark", values={"duration": 4_000}), 1e6),
}


@pytest.mark.parametrize(("sample", "weight"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights(sample: Sample, weight: float, fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([sample]))
    assert folded.samples["weight"].tolist() == [pytest.approx(weight)]
    assert folded.counts.sampled_cpu_ns == (weight if sample.type_name == "jdk.ExecutionSample" else 0)


def test_a_large_object_takes_nothing_from_the_small_ones_beside_it(fold_bytes: Callable[..., Folded]) -> None:
    """HotSpot's sampler, drawn: the weights of each of two methods add up to what it allocated."""
    random, interval = np.random.default_rng(5), 524_288
    large, small, between = 400_000, 64, 380_000
    samples, left = [], random.exponential(interval)
    for _ in range(5_000):
        for name, size, together in (("large", large, float(large)), ("small", small, float(between))):
            while together > 0 and left < together:
                values = {"allocationSize": size, "tlabSize": max(size, interval)}
                samples.append(
                    Sample(type_name="jdk.ObjectAllocationInNewTLAB", frames=(Frame(method=name),), values=values)
                )
                # The next distance is counted from the end of the object that was taken.
                together -= max(left, size)
                left = random.exponential(interval)
            left -= max(0, together)
    folded = fold_bytes(chunk(samples))
    found = folded.samples.merge(folded.stacks, on="stack").groupby("frames")["weight"].sum()
    assert found["shop.Cart.large"] == pytest.approx(5_000 * large, rel=0.05)
    assert found["shop.Cart.small"] == pytest.approx(5_000 * between, rel=0.05)


@pytest.mark.parametrize(
    "values",
    [{"samples": 0}, {"samples": 2**40}, {"samples": 3, "timeSpan": -5}, {"samples": 3, "timeSpan": 2**62}],
)
def test_batch_that_cannot_be_is_left_out(values: dict[str, int], fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([Sample(type_name="profiler.WallClockSample", values=values), Sample()]))
    assert folded.samples["event"].tolist() == ["cpu"]


def test_time_is_exact_over_long_recordings(fold_bytes: Callable[..., Folded]) -> None:
    late = 10 * 86_400 * 10**9 + 1
    window = Window(index=4, side=Side.CANDIDATE, start_ns=START_NS + late, end_ns=START_NS + late + 1)
    samples = [Sample(at_ns=late - 1), Sample(at_ns=late), Sample(at_ns=late + 1)]
    folded = fold_bytes(chunk(samples, duration_ns=late + 2), [window])
    assert folded.samples[["window", "samples"]].to_numpy().tolist() == [[4, 1]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    names=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5, unique=True),
    encoding=st.sampled_from([2, 3, 4]),
)
def test_any_thread_name(names: list[str], encoding: int, fold_bytes: Callable[..., Folded]) -> None:
    names = [name for name in names if name.isprintable() and not any("\ud800" <= c <= "\udfff" for c in name)]
    folded = fold_bytes(chunk([Sample(thread=name) for name in names], form=Form(string_encoding=encoding)))
    assert set(folded.samples["thread"]) == set(names)
