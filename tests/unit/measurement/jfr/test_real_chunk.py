"""A chunk that the real agent wrote; what is in it: data/README.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.measurement.jfr import FlightRecording, Folded, Intervals

REAL = Path(__file__).parent / "data" / "agent-2.9.2.jfr"
#: Counted by `jfr summary`.
EVENTS = {"cpu": 151, "wall": 963, "alloc": 538, "lock": 116}
INTERVALS = Intervals(cpu_ns=10e6, wall_ns=20e6, lock_ns=1e6, allocation_bytes=524_288)


def test_events_are_those_that_the_jdk_counts() -> None:
    recording = FlightRecording(paths=[REAL], intervals=INTERVALS)
    (table,) = recording.samples()
    assert table["event"].value_counts().to_dict() == EVENTS
    assert (recording.chunks, recording.unreadable) == (1, [])
    assert set(table["state"]) == {"STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING"}


def test_stacks_and_threads(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(REAL.read_bytes())
    table = folded.samples.merge(folded.stacks, on="stack")
    burner = table[(table["event"] == "cpu") & (table["thread"] == "burner")]
    assert burner["samples"].sum() == 149
    hottest = burner.sort_values("samples").iloc[-1]
    assert hottest["frames"].split("\n") == [
        "java.lang.Thread.run",
        "Workload$$Lambda.run",
        "Workload.lambda$start",
        "Workload.repeat",
        "Workload$$Lambda.run",
        "Workload.burn",
        "Workload$$Lambda.applyAsLong",
        "Workload.lambda$burn",
        "Workload.hotMethod",
    ]
    assert (table["frames"].str.count("\n") + 1 == table["kinds"].str.len()).all()
    assert set(table.loc[table["event"] == "lock", "thread"]) == {"waiter"}
    assert not table["frames"].str.contains("0x").any()


def test_three_seconds_are_three_seconds(fold_bytes: Callable[..., Folded]) -> None:
    wall = fold_bytes(REAL.read_bytes()).samples.query("event == 'wall'")
    per_thread = wall.groupby("thread")["weight"].sum() / 1e9
    assert per_thread["sleeper"] == pytest.approx(3.0, abs=0.05)
    assert per_thread["burner"] == pytest.approx(3.0, abs=0.05)


def test_deep_stack_is_marked(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(REAL.read_bytes())
    deep = folded.stacks[folded.stacks["kinds"].str.len() >= 512]
    assert len(deep) > 0
    assert deep["frames"].str.startswith("[truncated]\nWorkload.dive\n").all()
    assert folded.counts.truncated_stacks == 1
