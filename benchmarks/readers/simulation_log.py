"""How fast Gatling's logs are read, and how much memory that takes.

    PYTHONPATH=tests python -m benchmarks.readers.simulation_log --records 10000 100000 1000000 10000000

Writes logs of these sizes in both formats to a temporary folder, reads each in a fresh process, prints a table and
writes `results/simulation_log_binary.json` and `results/simulation_log_text.json` beside this file.
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

from benchmarks.readers.gatling_generator import write_binary, write_text
from pacecar.measurement.load.gatling.simulation_log import read

_WRITERS = {"binary": write_binary, "text": write_text}
_RESULTS = Path(__file__).resolve().parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmark of the reader of Gatling's logs.")
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--formats", nargs="+", choices=list(_WRITERS), default=list(_WRITERS))
    parser.add_argument("--results", type=Path, default=_RESULTS, help="folder for the JSON files")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(_measure(arguments.read)))
        return
    arguments.results.mkdir(parents=True, exist_ok=True)
    for name in arguments.formats:
        rows = [_one(name, records) for records in sorted(arguments.records)]
        (arguments.results / f"simulation_log_{name}.json").write_text(json.dumps(rows, indent=2) + "\n")
        _print(name, rows)


def _one(name: str, records: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        path = Path(folder) / "simulation.log"
        _WRITERS[name](path, records)
        command = [sys.executable, "-m", "benchmarks.readers.simulation_log", "--read", str(path)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if answer.pop("rows") != records:
            raise SystemExit(f"The reader lost records of {records} in {name}.")
        megabytes = path.stat().st_size / 1e6
    grown = answer.pop("grown_mb")
    return {
        "file_records": records,
        "megabytes": round(megabytes, 3),
        **answer,
        "records_per_second": round(records / answer["seconds"]),
        "megabytes_per_second": round(megabytes / answer["seconds"], 1),
        "bytes_per_record": round(grown * 1e6 / records, 1),
    }


def _measure(path: Path) -> dict[str, float]:
    """Read `path` in this process. Only that is measured, not the start of Python."""
    before = memory_mb("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    log = read(path)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if log.truncated or log.unreadable:
        raise SystemExit(log.unreadable or "truncated")
    peak = memory_mb("VmHWM")
    return {
        "rows": len(log.requests) + len(log.users),
        "seconds": round(wall, 4),
        "cpu_seconds": round(cpu, 4),
        "peak_rss_mb": round(peak, 1),
        "grown_mb": peak - before,
    }


def memory_mb(field: str) -> float:
    # Not resource.getrusage: its peak is inherited from the process that started this one.
    status = Path("/proc/self/status").read_text()
    found = re.search(rf"{field}:\s+(\d+) kB", status)
    assert found is not None, status
    return int(found[1]) * 1024 / 1e6


#: Column of the table -> its heading and format.
_COLUMNS = {
    "file_records": ("records", "d"),
    "megabytes": ("MB", ".1f"),
    "seconds": ("seconds", ".3f"),
    "cpu_seconds": ("CPU s", ".3f"),
    "records_per_second": ("records/s", "d"),
    "megabytes_per_second": ("MB/s", ".1f"),
    "peak_rss_mb": ("peak MB", ".1f"),
    "bytes_per_record": ("B/record", ".1f"),
}


def _print(name: str, rows: list[dict[str, float]]) -> None:
    print(f"\n{name} ({os.cpu_count()} cores, Python {sys.version.split()[0]})")
    print(" ".join(f"{heading:>10}" for heading, _ in _COLUMNS.values()))
    for row in rows:
        print(" ".join(f"{row[column]:>10{style}}" for column, (_, style) in _COLUMNS.items()))
    first, last = rows[0], rows[-1]
    # By CPU time: other processes stretch the wall's.
    ratio = (last["cpu_seconds"] / last["file_records"]) / (first["cpu_seconds"] / first["file_records"])
    print(f"CPU time per record, largest log to smallest: {ratio:.2f}")


if __name__ == "__main__":
    main()
