"""Repeats whole comparisons of the sample service and keeps what each concluded.

    python benchmarks/sample/repeat.py slow-serializer --runs 5
    python benchmarks/sample/repeat.py identical --runs 5
    python benchmarks/sample/repeat.py agent-overhead --runs 1
    python benchmarks/sample/repeat.py spans-overhead --runs 1

Each run is `pacecar compare` with the sample's `pacecar.toml` as it is (the overhead of an agent: with steady forks
and eight pairs), and a seed of its own. Results are written after every run to `benchmarks/sample/results/NAME.json`;
runs that are already there are not repeated.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"

#: name -> the builds compared
COMPARISONS = {
    "slow-serializer": ("tree:targets/orders", "patch:targets/orders/builds/slow-serializer.patch"),
    "identical": ("tree:targets/orders", "tree:targets/orders"),
    "agent-overhead": ("no-agent", "tree:targets/orders"),
    "spans-overhead": ("no-spans", "tree:targets/orders"),
}

#: name -> options beside the builds and the seed
_FIXED = (
    *("--pairs", "8", "--set", "plan.stop_early=false"),
    *("--set", "plan.steady=true", "--set", "plan.warmup=90s", "--set", "plan.burst=85s"),
)
PLANS = {"agent-overhead": _FIXED, "spans-overhead": (*_FIXED, "--set", "profiler.spans=true")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=COMPARISONS)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{options.name}.json"
    results = json.loads(path.read_text()) if path.exists() else []
    for seed in range(len(results) + 1, options.runs + 1):
        document, wall_s = run_comparison(*COMPARISONS[options.name], seed=seed, more=PLANS.get(options.name, ()))
        results.append(_conclusion(document, seed=seed, wall_s=wall_s))
        path.write_text(json.dumps(results, indent=2) + "\n")
        print(json.dumps(results[-1]), flush=True)


def run_comparison(
    baseline: str, candidate: str, *, seed: int, more: Sequence[str] = ()
) -> tuple[dict[str, Any], float]:
    """The document of one comparison, and the seconds it took."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "pacecar", "compare", "--json", "--fail-on", "nothing", "--seed", str(seed)),
                *("--baseline", baseline, "--candidate", candidate),
                *more,
            ],
            cwd=ROOT,
            stdout=output,
            check=False,
        )
        output.seek(0)
        text = output.read()
    if ended.returncode not in (0, 3):
        sys.exit(f"pacecar ended with {ended.returncode}")
    return json.loads(text), time.monotonic() - started


def _conclusion(document: dict[str, Any], *, seed: int, wall_s: float) -> dict[str, Any]:
    overall = {"latency.p50", "latency.p99", "latency.mean"}
    kept = [row for row in document["judgements"] if row["gated"] or (row["endpoint"] == "" and row["name"] in overall)]
    frames = [frame for frame in document["frames"] if frame["application"] and frame["event"] == "cpu"]
    return {
        "seed": seed,
        "verdict": document["verdict"],
        "wall_s": round(wall_s, 1),
        "duration_s": round(document["provenance"]["duration_s"], 1),
        "harness_share": round(document["provenance"]["harness_share"], 4),
        "pairs_judged": document["pairs_judged"],
        "voided": [pair["voided"] for pair in document["pairs"] if pair["voided"]],
        "metrics": {f"{row['endpoint']} {row['name']}".strip(): _metric(row) for row in kept},
        "first_application_frames": [_frame(frame) for frame in frames[:3]],
    }


def _metric(row: dict[str, Any]) -> dict[str, Any]:
    estimate = row["estimate"] or {}
    figures = {name: estimate.get(name) for name in ("baseline", "candidate", "change", "low", "high")}
    return {"verdict": row["verdict"], "gated": row["gated"]} | {
        name: None if value is None else float(f"{value:.4g}") for name, value in figures.items()
    }


def _frame(frame: dict[str, Any]) -> dict[str, Any]:
    figures = {name: frame[name] for name in ("self_baseline", "self_candidate", "low", "high")}
    return {"frame": frame["frame"]} | {
        name: None if value is None else float(f"{value:.4g}") for name, value in figures.items()
    }


if __name__ == "__main__":
    main()
