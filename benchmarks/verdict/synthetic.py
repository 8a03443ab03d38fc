"""False alarms, power and minutes of verdict rules on synthetic comparisons with known truth.

    python benchmarks/verdict/synthetic.py                          everything: about half an hour on two cores
    python benchmarks/verdict/synthetic.py --identical 500 --changed 100 --output /tmp/quick.json

Noise comes from `noise.json`, seeds are fixed, and every rule sees the same data. Results go to
`benchmarks/verdict/results/synthetic.json`; `README.md` explains them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from model import Change, draw, fork_metrics, parameters
from ours import GATED, MOST, remembered, told
from scipy import stats
from today import RULES

from pacecar.comparison import Verdict
from pacecar.stats.pairs import paired_effect

RESULTS = Path(__file__).parent / "results" / "synthetic.json"
#: Earlier runs, of identical builds, that Pacecar remembers; pairs of each.
_HISTORY = (5, 4)
_P99 = {("latency.p99", f"endpoint {number}") for number in range(5)} | {("latency.p99", "")}
_P50 = {(f"latency.p{quantile}", f"endpoint {number}") for quantile in (50, 90) for number in range(5)}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What the candidate does, and the metrics that this moves."""

    name: str
    change: Change
    moved: frozenset[tuple[str, str]]
    loudness: float = 1.0


def scenarios() -> list[Scenario]:
    """Identical builds, also on a loud day, and changes of 3 to 20 % of four kinds."""
    made = [
        Scenario(name="identical", change=Change(), moved=frozenset()),
        Scenario(name="identical, twice as loud as history", change=Change(), moved=frozenset(), loudness=2.0),
    ]
    for size in (3, 5, 10, 20):
        factor = 1 + size / 100
        made += [
            Scenario(name=f"cpu +{size} %", change=Change(cpu=factor), moved=frozenset({("cpu", "")})),
            Scenario(name=f"latency +{size} %", change=Change(latency=factor), moved=frozenset(_P50 | _P99)),
            Scenario(name=f"tail +{size} %", change=Change(tail=factor), moved=frozenset(_P99)),
        ]
    for size in (2, 4):
        factor = 1 + size / 100
        moved = frozenset({("allocation", "")})
        made.append(Scenario(name=f"allocation +{size} %", change=Change(allocation=factor), moved=moved))
    return made


def _carry_out(scenario: Scenario, place: int, numbers: tuple[int, ...]) -> Counter[str]:
    """Counts over the comparisons of these numbers."""
    noise, counts = parameters(), Counter[str]()
    for number in numbers:
        random = np.random.default_rng([20_261_121, place, number])
        runs, pairs = _HISTORY
        history = [remembered(draw(noise, random, pairs=pairs)) for _ in range(runs)]
        drawn = draw(noise, random, pairs=MOST, change=scenario.change, loudness=scenario.loudness)
        counts["comparisons"] += 1
        for rule in RULES:
            worse = rule.worse(drawn)
            counts[f"{rule.name}: any false"] += bool(worse - scenario.moved)
            counts[f"{rule.name}: found"] += bool(worse & scenario.moved)
        result = told(drawn, history=history)
        regressed = {j.metric.key for j in result.judgements if j.verdict is Verdict.REGRESSED}
        verdicts = {j.metric.key: j.verdict for j in result.judgements}
        counts["Pacecar: any false"] += bool(regressed - scenario.moved)
        counts["Pacecar: any false in the gate"] += bool((regressed & GATED) - scenario.moved)
        counts["Pacecar: found"] += bool(regressed & GATED & scenario.moved)
        counts["Pacecar: pairs"] += result.pairs
        counts[f"Pacecar: stopped after {result.pairs:02d}"] += 1
        for key in (("cpu", ""), ("allocation", ""), ("latency.p99", "endpoint 0")):
            counts[f"Pacecar: {' '.join(key).strip()} {verdicts[key].value}"] += 1
        if not scenario.moved:
            _cover(counts, drawn)
    return counts


def _cover(counts: Counter[str], drawn: Any) -> None:
    """Whether plain 95 % intervals of so many pairs hold the truth, which is no change."""
    values = fork_metrics(drawn)
    for key in (("cpu", ""), ("latency.p50", "endpoint 0"), ("latency.p99", "endpoint 0")):
        ratios = np.log(values[key][:, 1] / values[key][:, 0])
        for pairs in (4, 6, 12):
            low, high = paired_effect(ratios[:pairs].tolist()).interval()
            counts[f"covered: {key[0]} after {pairs}"] += low <= 0 <= high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--identical", type=int, default=10_000)
    parser.add_argument("--changed", type=int, default=1_000)
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    started, results = time.monotonic(), []
    with ProcessPoolExecutor(options.processes) as pool:
        for place, scenario in enumerate(scenarios()):
            total = options.changed if scenario.moved else options.identical
            parts = [tuple(range(start, min(start + 50, total))) for start in range(0, total, 50)]
            counts = sum(
                pool.map(_carry_out, [scenario] * len(parts), [place] * len(parts), parts), start=Counter[str]()
            )
            results.append(_summary(scenario.name, counts))
            print(json.dumps(results[-1]), flush=True)
    document = {"seconds": round(time.monotonic() - started), "scenarios": results}
    options.output.write_text(json.dumps(document, indent=2) + "\n")


def _summary(name: str, counts: Counter[str]) -> dict[str, Any]:
    total = counts.pop("comparisons")
    pairs = counts.pop("Pacecar: pairs") / total
    rates = {key: _rate(count, total) for key, count in sorted(counts.items())}
    return {"scenario": name, "comparisons": total, "mean_pairs": round(pairs, 2), "rates": rates}


def _rate(count: int, total: int) -> list[float]:
    """The share, and its 95 % interval (Clopper & Pearson, Biometrika 26, 1934)."""
    interval = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    return [round(value, 5) for value in (count / total, interval.low, interval.high)]


if __name__ == "__main__":
    main()
