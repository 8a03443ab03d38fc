"""Large JFR files: synthetic chunks of a busy service, or the committed chunk of the real agent many times."""

from __future__ import annotations

import random
from pathlib import Path

from support.jfr_files import START_NS, Frame, Sample, chunk

__all__ = ["KINDS", "START_NS", "write"]

KINDS = ("busy", "real")

_REAL = Path(__file__).resolve().parents[2] / "tests" / "unit" / "measurement" / "jfr" / "data" / "agent-2.9.2.jfr"
#: Samples in the real chunk; its other events are stepped over.
_REAL_EVENTS = 1_768
_BUSY_EVENTS = 100_000
_STACKS = 3_000
_THREADS = 200
_CHUNK_NS = 5_000_000_000


def write(path: Path, kind: str, events: int) -> int:
    """Write about `events` events, a whole number of chunks of one of `KINDS`, and return how many there are."""
    size = min(events, _BUSY_EVENTS) if kind == "busy" else _REAL_EVENTS
    content = _busy(size) if kind == "busy" else _REAL.read_bytes()
    count = max(1, round(events / size))
    with path.open("wb") as file:
        for _ in range(count):
            file.write(content)
    return count * size


def _busy(events: int) -> bytes:
    """A chunk of a busy service: deep stacks that share their lower halves, many threads, all kinds of samples."""
    draw = random.Random(1)
    frames = [Frame(owner=f"shop/part{i % 40}/Class{i % 400}", method=f"method{i}") for i in range(4_000)]
    roots = [tuple(draw.choices(frames, k=30)) for _ in range(50)]
    stacks = [(*draw.choices(frames, k=draw.randint(5, 60)), *draw.choice(roots)) for _ in range(_STACKS)]
    return chunk([_sample(draw, stacks, at) for at in range(events)], duration_ns=_CHUNK_NS)


def _sample(draw: random.Random, stacks: list[tuple[Frame, ...]], number: int) -> Sample:
    type_name, values = draw.choice(
        (
            ("jdk.ExecutionSample", {}),
            ("profiler.WallClockSample", {"samples": 1}),
            ("profiler.WallClockSample", {"samples": 20, "timeSpan": 380_000_000}),
            ("jdk.ObjectAllocationInNewTLAB", {"allocationSize": 48, "tlabSize": 524_288}),
            ("jdk.JavaMonitorEnter", {"duration": 2_000_000, "address": 1 << 45}),
        )
    )
    return Sample(
        type_name=type_name,
        at_ns=number * 40_000,
        thread=f"http-worker-{draw.randrange(_THREADS)}",
        frames=draw.choice(stacks),
        values=values,
    )
