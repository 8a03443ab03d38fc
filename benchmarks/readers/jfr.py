"""How fast, and in how much memory, JFR chunks are read and folded.

    python benchmarks/readers/jfr.py --events 10000 100000 1000000 10000000

Makes files of these sizes in a temporary folder, out of busy chunks (a mix of all kinds of samples on 3,000 stacks) or
by repeating the committed chunk of the real agent; folds each in a fresh process, prints a table and writes
`results/jfr.json` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pacecar.experiment import Profiler, Side
from pacecar.jfr import Intervals, fold
from pacecar.recording import Window

_REPOSITORY = Path(__file__).resolve().parents[2]
# The writer of the reader's tests.
sys.path.insert(0, str(_REPOSITORY / "tests"))
from jfr_files import START_NS, Frame, Sample, chunk

_RESULTS = Path(__file__).resolve().parent / "results"
_REAL = _REPOSITORY / "tests" / "unit" / "jfr" / "data" / "agent-2.9.2.jfr"
#: Samples in the real chunk; its other events are stepped over.
_REAL_EVENTS = 1_768
_BUSY_EVENTS = 100_000
_STACKS = 3_000
_THREADS = 200
_CHUNK_NS = 5_000_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmark of the reader of JFR chunks.")
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--chunks", nargs="+", choices=("busy", "real"), default=["busy", "real"])
    parser.add_argument("--results", type=Path, default=_RESULTS, help="folder for the JSON file")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(_measure(arguments.read)))
        return
    rows = [_one(kind, events) for kind in arguments.chunks for events in sorted(arguments.events)]
    arguments.results.mkdir(parents=True, exist_ok=True)
    (arguments.results / "jfr.json").write_text(json.dumps(rows, indent=2) + "\n")
    _print(rows)


def _one(kind: str, events: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        path = Path(folder) / "recording.jfr"
        written = _write(path, kind, events)
        command = [sys.executable, __file__, "--read", str(path)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        megabytes = path.stat().st_size / 1e6
    return {
        "chunks": kind,
        "file_records": written,
        "megabytes": round(megabytes, 3),
        **answer,
        "records_per_second": round(written / answer["seconds"]),
        "megabytes_per_second": round(megabytes / answer["seconds"], 1),
    }


def _write(path: Path, kind: str, events: int) -> int:
    """Write about `events` events (a whole number of chunks) and return how many there are."""
    size = min(events, _BUSY_EVENTS) if kind == "busy" else _REAL_EVENTS
    content = _busy(size) if kind == "busy" else _REAL.read_bytes()
    count = max(1, round(events / size))
    with path.open("wb") as file:
        for _ in range(count):
            file.write(content)
    return count * size


def _busy(events: int) -> bytes:
    """A chunk of a busy service: deep stacks that share their lower halves, many threads, all kinds of samples."""
    draw = random.Random(1)  # noqa: S311
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


def _measure(path: Path) -> dict[str, float]:
    """Fold `path` in this process; only that counts, not the start of Python."""
    windows = [
        Window(index=i, side=Side.BASELINE, start_ns=START_NS + i * 10**9, end_ns=START_NS + (i + 1) * 10**9)
        for i in range(5)
    ]
    # The real chunk was recorded at another time.
    windows.append(Window(index=5, side=Side.BASELINE, start_ns=START_NS + 10**16, end_ns=1 << 61))
    wall, cpu = time.perf_counter(), time.process_time()
    folded = fold([path], windows, Intervals.of(Profiler()))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if folded.counts.unreadable or not len(folded.samples):
        raise SystemExit(f"The reader could not read its input: {folded.counts.unreadable}")
    return {"seconds": round(wall, 4), "cpu_seconds": round(cpu, 4), "peak_rss_mb": round(_peak_mb(), 1)}


def _peak_mb() -> float:
    # Not resource.getrusage: its peak is inherited from the process that started this one.
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 1e6


#: Column of the table -> its heading and format.
_COLUMNS = {
    "chunks": ("chunks", "s"),
    "file_records": ("events", "d"),
    "megabytes": ("MB", ".1f"),
    "seconds": ("seconds", ".3f"),
    "cpu_seconds": ("CPU s", ".3f"),
    "records_per_second": ("events/s", "d"),
    "megabytes_per_second": ("MB/s", ".1f"),
    "peak_rss_mb": ("peak MB", ".1f"),
}


def _print(rows: list[dict[str, object]]) -> None:
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(" ".join(f"{heading:>10}" for heading, _ in _COLUMNS.values()))
    for row in rows:
        print(" ".join(f"{row[column]:>10{style}}" for column, (_, style) in _COLUMNS.items()))


if __name__ == "__main__":
    main()
