"""Pauses from logs that JVMs wrote: stretches around a thread dump and a collection that was asked for.

`data/jdk*.log` come from a program that keeps 16 MB in a heap of 64 MB, logging gc*,safepoint as Pacecar asks for it.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.probes.gc_log import read_pauses, read_stalls

DATA = Path(__file__).parent / "data"

KINDS = {
    "jdk17-G1": {
        "Pause Young (Normal) (G1 Evacuation Pause)": 3,
        "Safepoint ThreadDump": 1,
        "Pause Full (System.gc())": 1,
    },
    # System.gc() of the parallel collector is two pauses in one safepoint.
    "jdk17-Parallel": {
        "Pause Young (Allocation Failure)": 3,
        "Safepoint ThreadDump": 1,
        "Pause Young (System.gc())": 1,
        "Pause Full (System.gc())": 1,
    },
    "jdk17-Serial": {"Pause Young (Allocation Failure)": 2, "Safepoint ThreadDump": 1, "Pause Full (System.gc())": 1},
    "jdk17-Z": {"Safepoint ThreadDump": 1, "Pause Mark Start": 1, "Pause Mark End": 1, "Pause Relocate Start": 1},
    "jdk25-G1": {
        "Pause Young (Normal) (G1 Evacuation Pause)": 3,
        "Safepoint ThreadDump": 1,
        "Pause Full (System.gc())": 1,
    },
    "jdk25-Parallel": {"Pause Young (Allocation Failure)": 3, "Safepoint ThreadDump": 1, "Pause Full (System.gc())": 1},
    "jdk25-Serial": {"Pause Young (Allocation Failure)": 2, "Safepoint ThreadDump": 1, "Pause Full (System.gc())": 1},
    "jdk25-Z": {
        "Pause Mark Start (Major)": 1,
        "Pause Mark End": 2,
        "Pause Relocate Start": 2,
        "Safepoint ThreadDump": 1,
    },
}


def ns(stamp: str) -> int:
    return round(datetime.fromisoformat(stamp).timestamp() * 1000) * 1_000_000


def read_text(path: Path, text: str) -> list[list[object]]:
    path.write_text(text)
    return read_pauses(path).to_numpy().tolist()


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_pauses(name: str) -> None:
    pauses = read_pauses(DATA / f"{name}.log")
    assert pauses["kind"].value_counts().to_dict() == KINDS[name]
    assert {column: str(dtype) for column, dtype in pauses.dtypes.items()} == {
        "start_ns": "int64",
        "duration_ms": "float64",
        "kind": "str",
    }


@pytest.mark.parametrize("name", [name for name in KINDS if "Z" not in name])
def test_start_is_where_the_jvm_says_the_collection_starts(name: str) -> None:
    # The concurrent collector alone logs no line at the start of a pause.
    path = DATA / f"{name}.log"
    starts = [ns(stamp) for stamp in re.findall(r"\[([^]]*)\].*\[gc,start *\].* Pause ", path.read_text())]
    pauses = read_pauses(path)
    collections = pauses[pauses["kind"].str.startswith("Pause")]
    assert len(collections) == len(starts)
    # Both stamps are cut to a millisecond.
    assert (abs(collections["start_ns"].to_numpy() - starts) <= 2_000_000).all()


@pytest.mark.parametrize("name", KINDS)
def test_collections_fill_no_more_than_their_safepoints(name: str) -> None:
    path = DATA / f"{name}.log"
    stopped_ms = sum(int(total) for total in re.findall(r" Total: (\d+) ns", path.read_text())) / 1e6
    assert 0 < read_pauses(path)["duration_ms"].sum() <= stopped_ms


def test_stamp_minus_duration(tmp_path: Path) -> None:
    line = (
        "[2026-11-21T03:51:22.629+0100][0.029s][info][gc          ] GC(2) Pause Young (Normal) 15M->15M(64M) 3.391ms\n"
    )
    assert read_text(tmp_path / "gc.log", line) == [
        [ns("2026-11-21T02:51:22.629+00:00") - 3_391_000, 3.391, "Pause Young (Normal)"]
    ]


def test_stalled_thread_and_concurrent_phase_are_no_pauses(tmp_path: Path) -> None:
    head = "[2026-11-21T02:51:23.118+0000][0.107s][info]"
    assert not read_text(
        tmp_path / "gc.log",
        f"{head}[gc          ] Allocation Stall (main) 3.339ms\n"
        f"{head}[gc,phases   ] GC(1) Concurrent Mark 2.565ms\n"
        f"{head}[gc,start    ] GC(1) Pause Full (System.gc())\n"
        f"{head}[gc,stats    ]  Young Pause: Pause Mark Start   0.000 / 0.000   0.000 / 0.000   ms\n",
    )


def test_threads_that_waited_for_memory() -> None:
    """`jdk17-Z-stalls.log`: three threads that fill a heap of 64 MB, one of which is called as a line of the log is."""
    stalls = read_stalls(DATA / "jdk17-Z-stalls.log")
    logged = re.findall(
        r"^\[([^]]*)\].*\] Allocation Stall \(.* (\d+\.\d+)ms", (DATA / "jdk17-Z-stalls.log").read_text(), re.M
    )
    assert stalls["duration_ms"].tolist() == [float(ms) for _, ms in logged]
    assert (stalls["start_ns"] + (stalls["duration_ms"] * 1e6).round().astype("int64")).tolist() == [
        ns(stamp) for stamp, _ in logged
    ]
    assert set(stalls["thread"]) == {"pack-1", "pack-2", "[gc] Allocation Stall (pack-3) 1.000ms"}


def test_other_collectors_make_no_thread_wait() -> None:
    assert read_stalls(DATA / "jdk17-G1.log").empty


def test_no_log(tmp_path: Path) -> None:
    pauses = read_pauses(tmp_path / "gc.log")
    assert list(pauses.columns) == ["start_ns", "duration_ms", "kind"]
    assert pauses.empty


def test_cut_at_any_byte(tmp_path: Path) -> None:
    whole = (DATA / "jdk17-Z.log").read_bytes()
    pauses = read_pauses(DATA / "jdk17-Z.log")
    path = tmp_path / "gc.log"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        kept = read_pauses(path)
        assert kept.equals(pauses.head(len(kept)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300), st.integers(0, 1_700))
def test_damaged_anywhere(tmp_path: Path, garbage: bytes, place: int) -> None:
    whole = (DATA / "jdk17-Z.log").read_bytes()
    path = tmp_path / "gc.log"
    path.write_bytes(whole[:place] + garbage + whole[place + len(garbage) :])
    assert len(read_pauses(path)) <= 4 + len(garbage)


def test_impossible_date_is_passed_over(tmp_path: Path) -> None:
    line = "[2026-13-41T03:51:22.629+0100][0.029s][info][gc] GC(2) Pause Young (Normal) 15M->15M(64M) 3.391ms\n"
    assert not read_text(tmp_path / "gc.log", line)


def test_line_without_end_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "gc.log"
    with path.open("wb") as file:
        file.write(b"[2026-11-21T02:51:23.118+0000] GC(1) Pause ")
        file.truncate(50 << 20)
    assert read_pauses(path).empty
