"""A file of JFR chunks, folded like a recording."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzing import scratch
from fuzzing.limits import Limits
from pacecar.measurement.jfr import Intervals, fold
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from support.jfr_files import TYPES, Form, Frame, Sample, chunk

LIMITS = Limits(input_bytes=16_384, memory_mb=1024)

_WINDOWS = (
    Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=1_700_000_000_000_000_100),
    Window(index=1, side=Side.BASELINE, start_ns=1_700_000_000_000_000_200, end_ns=1 << 61),
)
INTERVALS = Intervals(cpu_ns=10e6, wall_ns=20e6, lock_ns=1e6, allocation_bytes=524_288)
_FEW = ("jdk.ExecutionSample", "profiler.WallClockSample", "jdk.ObjectAllocationInNewTLAB", "jdk.JavaMonitorEnter")


def parse(data: bytes) -> None:
    folded = fold([scratch.file(data, "0001.jfr")], _WINDOWS, INTERVALS)
    assert len(folded.counts.unreadable) <= 101
    assert folded.samples["stack"].isin(folded.stacks["stack"]).all()
    assert (folded.stacks["frames"].str.len() <= 301 * (folded.stacks["kinds"].str.len())).all()


def samples() -> list[Sample]:
    """One of each of a few kinds, with frames that names are made stable of."""
    frames = (Frame(), Frame(owner="shop/A$$Lambda$1/0x7f", method="lambda$b$1"), Frame(owner="", method="skipped"))
    return [
        Sample(type_name=name, at_ns=100 * at, frames=frames[at % 3 :], values={"samples": 3, "timeSpan": 50})
        for at, name in enumerate(_FEW)
    ]


def small(form: Form | None = None) -> bytes:
    """A chunk of few types, so that most of its bytes matter."""
    base = form or Form()
    unused = {name for name in TYPES if name[:4] in ("jdk.", "prof") and ".types." not in name} - set(_FEW)
    types = {name: fields for name, fields in base.types.items() if name not in unused}
    return chunk(samples(), form=Form(**{**vars(base), "types": types}))


def seeds() -> Iterator[bytes]:
    yield small()
    yield small(Form(string_encoding=2, pool_events=3, first_id=1 << 40))
    yield small(Form(string_encoding=4, wide_sizes=True)) + small(Form(string_encoding=5, ticks_per_s=1_000_000))
