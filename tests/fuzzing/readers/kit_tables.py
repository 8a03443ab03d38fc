"""The kit's files of planned and actual sending times and of its own hiccups, which a simulation may overwrite."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.session import tables
from pacecar.model.experiment import Side
from pacecar.model.recording import Window

_WINDOWS = (Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=10**9),)


def parse(data: bytes) -> None:
    arrivals = scratch.file(data)
    record = GatlingRecord(log=None, gc_log=arrivals, arrivals_file=arrivals)
    found = tables.arrivals([(record, 0)], _WINDOWS)[Side.BASELINE]
    assert len(found) <= data.count(b"\n") + data.count(b"\r") + 1
    hiccups = arrivals.with_name("hiccups.csv")
    hiccups.write_bytes(data)
    assert (tables.hiccups([record])["duration_ms"] >= 0).all()


def seeds() -> Iterator[bytes]:
    yield b'slice,side,endpoint,due_ms,sent_ms,answered_ms\n0,baseline,"GET /a",1700.000,1700.250,1702.125\n'
    yield b"start_ms,duration_ms\n1800000000001.234,5.000\n"
