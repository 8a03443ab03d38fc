"""Compares plans: with which one do pairs of identical builds differ least?

    python -m benchmarks.verdict.plans record --rounds 10          # continues where it stopped
    python -m benchmarks.verdict.plans compare

A round measures one pair of identical builds with each plan. The order rotates from round to round, so that whatever
happens on the machine affects all plans. `compare` compares the root mean square of each plan's log-ratios with that of
the plan `quarter core`, with the 95 % interval of the ratio of two variances (F distribution), and writes
`benchmarks/verdict/results/plans.json`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.verdict.kept import Kept, keep, kept
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.validity.pairs import sift
from pacecar.archive.runs import latest
from pacecar.model.experiment import Side

HERE = Path(__file__).parent
CONFIGURATION = HERE / "orders.toml"
ARCHIVE = HERE / ".pacecar"
RESULTS = HERE / "results" / "plans.json"
METRICS = ("latency.p50", "latency.tail", "latency.p99", "cpu", "allocation")
REFERENCE = "quarter core"
#: The seed of the first round: tells rounds apart from other pairs of identical builds.
_FIRST_SEED = 1_000
_QUARTER_CORE = ("scenario.rate=250/s", "plan.side=32500ms", "plan.warmup=75s", "plan.burst=73s")
#: plan -> settings besides those of `orders.toml`. At its 400/s, a plain plan cannot carry the load at all.
PLANS: dict[str, tuple[str, ...]] = {
    REFERENCE: _QUARTER_CORE,
    # The obvious plan: a short warm-up at the measured rate, one long slice after the other.
    "plain": (*_QUARTER_CORE, "plan.steady=false", "plan.warmup=15s", "plan.burst=0s", "plan.slice=16250ms"),
}
#: Recorded by an earlier harness, which asked for the service's metrics page for the first time at the first window; by
#: the plan of the reference (`cold page`), and by others.
EARLIER = ("cold page", "longer gaps", "shorter sides", "busier", "busier plain")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument("--rounds", type=int, required=True)
    record.add_argument("--plans", nargs="*", choices=PLANS, default=list(PLANS))
    commands.add_parser("compare")
    options = parser.parse_args()
    if options.command == "record":
        _record(options.rounds, options.plans)
    else:
        _compare()


def _record(rounds: int, names: list[str]) -> None:
    for turn in range(rounds):
        shifted = names[turn % len(names) :] + names[: turn % len(names)]
        for name in shifted:
            if len(_rounds(name)) > turn:
                continue
            settings = [part for setting in PLANS[name] for part in ("--set", setting)]
            ended = subprocess.run(
                [
                    *(sys.executable, "-m", "pacecar", "compare", "--config", str(CONFIGURATION)),
                    *("--pairs", "1", "--seed", str(_FIRST_SEED + turn), "--fail-on", "nothing", *settings),
                ],
                check=False,
            )
            if ended.returncode not in (0, 3):
                sys.exit(f"pacecar ended with {ended.returncode}")
            keep(_folder(name), [latest(ARCHIVE)])


def _compare() -> None:
    by_plan, minutes = {}, {}
    for name in (*PLANS, *EARLIER):
        rounds = _rounds(name)
        sound = sift([each.pair for each in rounds]).taking_part
        by_plan[name] = [changes(*(MeasuredFork.of(pair, side) for side in Side)) for pair in sound]
        minutes[name] = [each.minutes for each in rounds]
    results = {
        name: {"pairs": len(rows), "minutes_per_pair": round(float(np.mean(minutes[name])), 2)}
        | {metric: _beside_reference(metric, rows, by_plan[REFERENCE]) for metric in METRICS}
        for name, rows in by_plan.items()
        if len(rows) > 1
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))


def _beside_reference(metric: str, rows: list[dict[str, float]], reference: list[dict[str, float]]) -> dict[str, Any]:
    noise, usual = (np.array([row[metric] for row in of if metric in row]) for of in (rows, reference))
    if len(noise) < 2 or len(usual) < 2:
        return {}
    ratio = float(np.sqrt(np.mean(noise**2) / np.mean(usual**2)))
    # Identical builds: the mean is known to be zero, so every pair is a degree of freedom.
    low, high = (ratio / np.sqrt(stats.f.ppf(level, len(noise), len(usual))) for level in (0.975, 0.025))
    return {
        "noise": round(float(np.sqrt(np.mean(noise**2))), 4),
        "ratio": [round(float(v), 3) for v in (ratio, low, high)],
    }


def changes(before: MeasuredFork, after: MeasuredFork) -> dict[str, float]:
    """`METRICS` -> log-ratio of its values in one pair."""
    found = {}
    candidate = {metric.key: reading for metric, reading in readings(after, ()).items()}
    for metric, reading in readings(before, ()).items():
        other = candidate[metric.key]
        if metric.name in METRICS and isinstance(reading, Value) and isinstance(other, Value):
            found[metric.name] = float(np.log(other.amount / reading.amount))
    return found


def _rounds(name: str) -> list[Kept]:
    """Recorded pairs of a plan; those of the reference lie among other pairs of identical builds."""
    return [each for each in kept(_folder(name)) if name != REFERENCE or each.seed >= _FIRST_SEED]


def _folder(name: str) -> str:
    return name.replace(" ", "-")


if __name__ == "__main__":
    main()
