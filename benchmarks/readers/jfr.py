"""How fast JFR chunks are read and folded, and in how much memory, compared with a plain reader on the same file.

    PYTHONPATH=tests python -m benchmarks.readers.jfr --events 10000 100000 1000000 10000000
    PYTHONPATH=tests python -m benchmarks.readers.jfr --files .pacecar/runs/RUN/pairs/01/baseline/raw/profile

Writes files of these sizes to a temporary folder, from synthetic busy chunks (all kinds of samples on 3,000 stacks) and
by repeating the committed chunk of the real agent; or takes the chunks of a recorded fork. A fresh process folds each
file, and another reads it with `plain_jfr.py`. Prints a table and writes `results/jfr.json` (with `--files`,
`results/jfr_recorded.json`) beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.readers import plain_jfr
from benchmarks.readers.jfr_generator import KINDS, START_NS, write
from pacecar.measurement.jfr import Intervals, fold
from pacecar.model.experiment import Profiler, Side
from pacecar.model.recording import Window

_RESULTS = Path(__file__).resolve().parent / "results"
#: Events of the largest file that the plain reader reads.
_MOST_PLAIN = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmark of the reader of JFR chunks.")
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--chunks", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--files", type=Path, help="folder with the chunks of a recorded fork, in place of made ones")
    parser.add_argument("--results", type=Path, default=_RESULTS, help="folder for the JSON file")
    parser.add_argument("--read", type=Path, nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps((_plainly if arguments.plain else _fold)(arguments.read)))
        return
    if arguments.files:
        name, rows = "jfr_recorded.json", [_row("recorded", None, sorted(arguments.files.rglob("*.jfr")))]
    else:
        name = "jfr.json"
        rows = [_made(kind, events) for kind in arguments.chunks for events in sorted(arguments.events)]
    arguments.results.mkdir(parents=True, exist_ok=True)
    (arguments.results / name).write_text(json.dumps(rows, indent=2) + "\n")
    _print(rows)


def _made(kind: str, events: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        path = Path(folder) / "recording.jfr"
        return _row(kind, write(path, kind, events), [path])


def _row(kind: str, events: int | None, paths: list[Path]) -> dict[str, object]:
    """One row; without `events`, as many as the plain reader finds."""
    folded = _in_a_fresh_process(paths)
    plain = _in_a_fresh_process(paths, "--plain") if (events or 0) <= _MOST_PLAIN else None
    if events is None:
        assert plain is not None
        events = round(plain["events"])
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    return {
        "chunks": kind,
        "file_records": events,
        "megabytes": round(megabytes, 3),
        **folded,
        "records_per_second": round(events / folded["seconds"]),
        "megabytes_per_second": round(megabytes / folded["seconds"], 1),
        "plain_seconds": plain["seconds"] if plain else None,
        "times_as_fast": round(plain["seconds"] / folded["seconds"], 1) if plain else None,
    }


def _in_a_fresh_process(paths: list[Path], *options: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.readers.jfr", *options, "--read", *map(str, paths)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _plainly(paths: list[Path]) -> dict[str, float]:
    start = time.perf_counter()
    events = sum(plain_jfr.read(path)[1] for path in paths)
    return {"seconds": round(time.perf_counter() - start, 4), "events": events}


def _fold(paths: list[Path]) -> dict[str, float]:
    """Fold `paths` in this process. Only that is measured, not the start of Python."""
    windows = [
        Window(index=i, side=Side.BASELINE, start_ns=START_NS + i * 10**9, end_ns=START_NS + (i + 1) * 10**9)
        for i in range(5)
    ]
    # Real chunks were recorded at another time.
    windows.append(Window(index=5, side=Side.BASELINE, start_ns=START_NS + 10**16, end_ns=1 << 61))
    wall, cpu = time.perf_counter(), time.process_time()
    folded = fold(paths, windows, Intervals.of(Profiler()))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if folded.counts.unreadable or not len(folded.samples):
        raise SystemExit(f"The reader could not read its input: {folded.counts.unreadable}")
    return {"seconds": round(wall, 4), "cpu_seconds": round(cpu, 4), "peak_rss_mb": round(_peak_mb(), 1)}


def _peak_mb() -> float:
    # Not resource.getrusage: its peak is inherited from the process that started this one.
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None, status
    return int(found[1]) * 1024 / 1e6


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
    "plain_seconds": ("plain s", ".2f"),
    "times_as_fast": ("times", ".1f"),
}


def _print(rows: list[dict[str, object]]) -> None:
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(" ".join(f"{heading:>10}" for heading, _ in _COLUMNS.values()))
    for row in rows:
        print(
            " ".join(
                f"{row[column]:>10{style}}" if row[column] is not None else f"{'':>10}"
                for column, (_, style) in _COLUMNS.items()
            )
        )


if __name__ == "__main__":
    main()
