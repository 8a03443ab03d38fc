"""How long it takes to merge what the injectors of a pair have left behind, and how much memory.

    PYTHONPATH=tests python -m benchmarks.injectors.merging --injectors 1 4 16 64

Writes a log of requests and a table of arrivals for each injector to a temporary folder, with the same number of
requests each. Then a fresh process merges them into the tables of one fork, as the end of a pair does. Prints a table
and writes `results/merging.json` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.readers.simulation_log import memory_mb
from pacecar.measurement.load.gatling.plan import ARRIVALS_FILE
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.session import tables
from pacecar.measurement.session.loading import KeptRecord
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from support.gatling_logs import Request, Run, binary_log

_RESULTS = Path(__file__).resolve().parent / "results" / "merging.json"
_RUN = Run()
_ENDPOINTS = tuple(f"GET /items/{number}" for number in range(5))
#: Windows of a pair, their length and the silence between them.
_WINDOWS, _SECONDS, _GAP_S = 16, 2.5, 0.5


def main() -> None:
    """Merge what the injectors have left, for each number of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--injectors", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--requests", type=int, default=10_000, help="of each injector")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read:
        print(json.dumps(_measure(asked.read, asked.injectors[0])))
        return
    rows = [_one(injectors, asked.requests) for injectors in sorted(asked.injectors)]
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"{os.cpu_count()} cores, {asked.requests:,} requests an injector")
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))


def _one(injectors: int, requests: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        for index in range(injectors):
            _write(Path(folder) / str(index), index=index, of=injectors, requests=requests)
        command = [
            sys.executable,
            "-m",
            "benchmarks.injectors.merging",
            "--read",
            folder,
            "--injectors",
            str(injectors),
        ]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if answer.pop("rows") != injectors * requests:
        raise SystemExit(f"Requests of {injectors} injectors were lost.")
    return {
        "injectors": injectors,
        "requests": injectors * requests,
        **answer,
        "cpu_us_per_request": round(1e6 * answer["cpu_seconds"] / injectors / requests, 2),
    }


def _measure(folder: Path, injectors: int) -> dict[str, float]:
    """Write the tables in this process. Only that is measured, not the start of Python."""
    records = [
        GatlingRecord(
            log=folder / str(index) / "simulation.log",
            gc_log=folder / str(index) / "gc.log",
            arrivals_file=folder / str(index) / ARRIVALS_FILE,
            injector=index,
        )
        for index in range(injectors)
    ]
    wall, cpu = time.perf_counter(), time.process_time()
    logged = tables.requests([KeptRecord(record=record, window=None) for record in records], _windows())
    arrivals = tables.arrivals([(record, 0) for record in records], _windows())
    refined = tables.refined(logged.tables, arrivals)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    known = pd.concat(list(refined.values()))["latency_ms"]
    if (known % 1 == 0).mean() > 0.01:
        raise SystemExit("The kit's times were not found again.")
    return {
        "rows": len(known),
        "seconds": round(wall, 3),
        "cpu_seconds": round(cpu, 3),
        "peak_rss_mb": round(memory_mb("VmHWM"), 1),
    }


def _windows() -> Sequence[Window]:
    stride_ns = int((_SECONDS + _GAP_S) * 1e9)
    starts = [_RUN.start_ms * 1_000_000 + index * stride_ns for index in range(_WINDOWS)]
    return [
        Window(index=index, side=_side(index), start_ns=start, end_ns=start + int(_SECONDS * 1e9))
        for index, start in enumerate(starts)
    ]


def _side(index: int) -> Side:
    return (Side.BASELINE, Side.CANDIDATE)[index % 4 in (1, 2)]


def _write(folder: Path, *, index: int, of: int, requests: int) -> None:
    """The share of one injector: requests at random moments of all windows."""
    folder.mkdir()
    draw = np.random.default_rng(index)
    windows = np.sort(draw.integers(0, _WINDOWS, requests))
    due_ms = (windows * (_SECONDS + _GAP_S) + draw.uniform(0.01, _SECONDS - 0.01, requests)) * 1e3
    due_ms = due_ms[np.argsort(due_ms)]
    took_ms = draw.gamma(2.0, 4.0, requests) + 1.001
    endpoints = draw.integers(0, len(_ENDPOINTS), requests)
    log = [
        Request(
            groups=(_side(window).value,), name=_ENDPOINTS[endpoint], start=int(due), end=int(due) + int(took + 0.5)
        )
        for window, endpoint, due, took in zip(windows.tolist(), endpoints, due_ms, took_ms, strict=True)
    ]
    (folder / "simulation.log").write_bytes(binary_log(_RUN, log))
    sent_ms = _RUN.start_ms + due_ms
    pd.DataFrame(
        {
            "slice": windows,
            "side": [_side(window).value for window in windows.tolist()],
            "endpoint": [_ENDPOINTS[endpoint] for endpoint in endpoints],
            "due_ms": sent_ms.round(3),
            "sent_ms": sent_ms.round(3),
            "answered_ms": (sent_ms + took_ms).round(3),
            "number": 1 + index + of * np.arange(requests),
        }
    ).to_csv(folder / ARRIVALS_FILE, index=False)


if __name__ == "__main__":
    main()
