"""Whether two injectors carry twice the rate of one, at the same errors and as punctually.

    PYTHONPATH=tests python -m benchmarks.injectors.rates --rate 50 --times 3 --unpinned

Records a one-class service under a rate with one injector, and under twice that rate with two, in turn. Prints a line
per recording and writes `results/rates.json` beside this file: what was sent per second of the windows, the share that
failed, and how late requests were sent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from pacecar.archive import runs
from support.small_service import SmallService

_RESULTS = Path(__file__).resolve().parent / "results" / "rates.json"
# Code that is not yet compiled sends late, with one injector as with two. So both are measured warm.
_WARMUP_S = 40
_PLAN = {
    "pairs = 6": "pairs = 2",
    'side = "2 s"': 'side = "20 s"',
    'slice = "1 s"': 'slice = "5 s"',
    'warmup = "2 s"': f'warmup = "{_WARMUP_S} s"',
    'burst = "2 s"': 'burst = "30 s"',
    'allocation = "64 KiB"\nupload_interval = "1 s"\n': "",
}
_INJECTORS = (1, 2)


def main() -> None:
    """Record both, so many times in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=50, help="requests per second and injector")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--unpinned", action="store_true", help="let injectors and service have all cores")
    asked = parser.parse_args()
    found: dict[int, list[dict[str, float]]] = {injectors: [] for injectors in _INJECTORS}
    for _ in range(asked.times):
        for injectors, of_these in found.items():
            of_these.append(_recorded(injectors, rate=injectors * asked.rate, pinned=not asked.unpinned))
            print(injectors, of_these[-1])
    rows = [
        {**_key(injectors, asked), "recordings": asked.times, **_median(of_these)}
        for injectors, of_these in found.items()
    ]
    before = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else []
    replaced = [_key(injectors, asked) for injectors in _INJECTORS]
    others = [row for row in before if {name: row[name] for name in replaced[0]} not in replaced]
    _RESULTS.write_text(json.dumps(others + rows, indent=2) + "\n")
    for row in rows:
        print(row)


def _key(injectors: int, asked: argparse.Namespace) -> dict[str, Any]:
    return {
        "injectors": injectors,
        "asked_per_s": injectors * asked.rate,
        "pinned": not asked.unpinned,
        "warmup_s": _WARMUP_S,
    }


def _recorded(injectors: int, *, rate: int, pinned: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name:
        folder = Path(name)
        SmallService(folder).commit("As it was at first")
        config = folder / "pacecar.toml"
        text = config.read_text().replace('rate = "100/s"', f'rate = "{rate}/s"\ninjectors = {injectors}')
        for before, after in _PLAN.items():
            text = text.replace(before, after)
        text = text.replace("[plan]\n", f"[plan]\npin = {str(pinned).lower()}\n")
        config.write_text(text)
        subprocess.run(
            [sys.executable, "-m", "pacecar", "record", "--build", "."],
            cwd=folder,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        pairs = list(runs.latest(folder / ".pacecar").pairs())
        forks = [(fork, pair.record.windows) for pair in pairs for fork in pair.forks.values()]
        seconds = sum(window.seconds for _, windows in forks for window in windows)
        requests = pd.concat([fork.tables["requests"] for fork, _ in forks])
        arrivals = pd.concat([fork.tables["arrivals"] for fork, _ in forks])
    lag_ms = arrivals["lag_ms"].dropna()
    return {
        "sent_per_s": round(len(requests) / seconds, 1),
        "failed": round(float((~requests["ok"]).mean()), 6),
        "lag_p50_ms": round(float(lag_ms.quantile(0.5)), 3),
        "lag_p99_ms": round(float(lag_ms.quantile(0.99)), 3),
    }


def _median(recordings: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(each[name] for each in recordings) for name in recordings[0]}


if __name__ == "__main__":
    main()
