"""A JVM's log of collections and safepoints."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.deploy.jvm import version_in
from pacecar.measurement.probes.gc_log import read_pauses, read_stalls


def parse(data: bytes) -> None:
    log = scratch.file(data)
    assert len(read_pauses(log)) <= data.count(b"\n") + 1
    assert len(read_stalls(log)) <= data.count(b"\n") + 1
    version_in(log)


def seeds() -> Iterator[bytes]:
    stamp = b"[2026-11-21T02:51:22.623+0000][0.023s][info]"
    yield stamp + b"[gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->6M(64M) 3.18ms\n"
    yield stamp + b'[safepoint] Safepoint "ThreadDump", Time since last: 1 ns, Total: 61055 ns\n'
    yield stamp + b"[gc] Allocation Stall (pack-1) 3.339ms\n"
    yield stamp + b"[gc,init] Version: 17.0.9+9 (release)\n" + stamp + b"[gc] GC(7) y: Pause Mark End 0.006ms\n"
