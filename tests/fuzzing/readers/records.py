"""What a run keeps beside its manifest: pairs, stamps of baselines, noise, and what was forwarded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.archive import RunError, records
from pacecar.archive.forwarded import forwarded
from pacecar.archive.history import recall_run


def parse(data: bytes) -> None:
    run = scratch.path("run")
    run.mkdir(exist_ok=True)
    (run / "history" / "d").mkdir(parents=True, exist_ok=True)
    (run / "forwarded.json").write_bytes(data)
    (run / "history" / "d" / "a.json").write_bytes(data)
    for read in (
        lambda: records.read_pair(run / "forwarded.json"),
        lambda: forwarded(run),
        lambda: recall_run(run, "d", "a"),
    ):
        with contextlib.suppress(RunError):
            read()


def seeds() -> Iterator[bytes]:
    yield b'{"run_id": "a", "noise": [{"metric": "p99", "endpoint": "", "variance": 0.1, "degrees": 3.0}]}'
    yield b'{"servers": [{"url": "u", "service": "s", "windows": {"1": [0, 1]}, "from_ns": 1, "until_ns": 2}]}'
    yield b'{"number": 1, "first": "baseline", "windows": [], "forks": {}, "notes": []}'
