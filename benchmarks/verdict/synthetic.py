"""False alarms, power and minutes of verdict rules on synthetic comparisons with known truth.

    python -m benchmarks.verdict.synthetic                          everything: about an hour on two cores
    python -m benchmarks.verdict.synthetic --identical 500 --changed 100 --output /tmp/quick.json
    python -m benchmarks.verdict.synthetic --only identical         these scenarios anew; the rest stays as it was

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
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.verdict.counts import merged, numbered, rate
from benchmarks.verdict.model import Change, Drawn, draw, louder, parameters
from benchmarks.verdict.ours import GATED, MOST, Course, remembered
from benchmarks.verdict.today import RULES
from pacecar.analysis.stats.pairs import paired_effect
from pacecar.model.comparison import MetricKey, Noise, Verdict

RESULTS = Path(__file__).parent / "results" / "synthetic.json"
SEED = 20_261_125
#: Pairs for which there is time: in 8 minutes, in 15, and the whole plan.
PAIRS = (3, 6, MOST)
#: Earlier runs, of identical builds, that Pacecar remembers, and the pairs of each. They are drawn from a stock.
_HISTORY, _PAIRS_OF_HISTORY, _STOCK = 5, 4, 400
_P99 = frozenset({("latency.p99", f"endpoint {number}") for number in range(5)} | {("latency.p99", "")})
_P50 = frozenset((f"latency.p{quantile}", f"endpoint {number}") for quantile in (50, 90) for number in range(5))
_CPU, _ALLOCATION, _TAIL = ("cpu", ""), ("allocation", ""), ("latency.p99", "endpoint 0")
#: Metric -> the change that moves it by a factor; whether its smallest visible change is as printed.
_VISIBLE = {_CPU: "cpu", _ALLOCATION: "allocation", _TAIL: "latency"}
_VISIBLE_AFTER = (3, 6, 12)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What the candidate does, and the metrics that this moves."""

    name: str
    change: Change
    moved: frozenset[MetricKey]
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
            Scenario(name=f"cpu +{size} %", change=Change(cpu=factor), moved=frozenset({_CPU})),
            Scenario(name=f"latency +{size} %", change=Change(latency=factor), moved=_P50 | _P99),
            Scenario(name=f"tail +{size} %", change=Change(tail=factor), moved=_P99),
        ]
    for size in (1, 2, 4):
        factor = 1 + size / 100
        moved = frozenset({_ALLOCATION})
        made.append(Scenario(name=f"allocation +{size} %", change=Change(allocation=factor), moved=moved))
    return made


@cache
def _stock() -> list[Noise]:
    random = np.random.default_rng([SEED, 999_999])
    return [remembered(draw(parameters(), random, pairs=_PAIRS_OF_HISTORY)) for _ in range(_STOCK)]


def _history(random: np.random.Generator) -> list[Noise]:
    return [_stock()[place] for place in random.choice(_STOCK, size=_HISTORY, replace=False)]


def _carry_out(scenario: Scenario, place: int, numbers: tuple[int, ...]) -> Counter[str]:
    """Counts over the comparisons of these numbers."""
    counts = Counter[str]()
    for number in numbers:
        random = np.random.default_rng([SEED, place, number])
        history = _history(random)
        drawn = draw(parameters(), random, pairs=MOST, change=scenario.change)
        if scenario.loudness != 1.0:
            drawn = louder(drawn, scenario.loudness)
        counts["comparisons"] += 1
        for rule in RULES:
            worse = rule.worse(drawn)
            counts[f"{rule.name}: any false"] += bool(worse - scenario.moved)
            counts[f"{rule.name}: found"] += bool(worse & scenario.moved)
        _ours(counts, scenario, Course(drawn, history=history))
        if not scenario.moved:
            _cover(counts, drawn)
    return counts


def _ours(counts: Counter[str], scenario: Scenario, course: Course) -> None:
    for most in PAIRS:
        told = course.told(most)
        who = f"Pacecar, {most} pairs"
        regressed = {key for key, judgement in told.judgements.items() if judgement.verdict is Verdict.REGRESSED}
        counts[f"{who}: any false"] += bool(regressed - scenario.moved)
        counts[f"{who}: any false in the gate"] += bool((regressed & GATED) - scenario.moved)
        counts[f"{who}: found"] += bool(regressed & GATED & scenario.moved)
        counts[f"{who}: pairs"] += told.pairs
        for key in (_CPU, _ALLOCATION, _TAIL):
            counts[f"{who}: {' '.join(key).strip()} {told.judgements[key].verdict.value}"] += 1
    if ("allocation", "") in scenario.moved:
        counts["Pacecar, first look: found"] += course.judged(3)[_ALLOCATION].verdict is Verdict.REGRESSED


def _cover(counts: Counter[str], drawn: Drawn) -> None:
    """Whether plain 95 % intervals of so many pairs hold the truth, which is no change."""
    values = drawn.by_fork
    for key in (_CPU, _ALLOCATION, ("latency.p50", "endpoint 0"), _TAIL):
        ratios = np.log(values[key][:, 1] / values[key][:, 0])
        for pairs in (4, 6, 12):
            low, high = paired_effect(ratios[:pairs].tolist()).interval()
            counts[f"covered: {key[0]} after {pairs}"] += low <= 0 <= high


def _see(key: MetricKey, place: int, pairs: int, numbers: tuple[int, ...]) -> Counter[str]:
    """How often a change of the size is found that a comparison of identical builds printed as just visible."""
    counts = Counter[str]()
    for number in numbers:
        random = np.random.default_rng([SEED, 1000 + place, number])
        printed = Course(draw(parameters(), random, pairs=pairs), history=_history(random)).judged(pairs)[key].estimate
        assert printed is not None
        change = Change(**{_VISIBLE[key]: 1 + printed.smallest_visible})
        changed = Course(draw(parameters(), random, pairs=pairs, change=change), history=_history(random))
        counts["comparisons"] += 1
        counts["found"] += changed.judged(pairs)[key].verdict is Verdict.REGRESSED
        counts["per mille"] += round(1000 * printed.smallest_visible)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--identical", type=int, default=10_000)
    parser.add_argument("--changed", type=int, default=1_000)
    parser.add_argument("--only", default="", help="scenarios whose names begin so, anew among the results there are")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    started, results, visible = time.monotonic(), [], {}
    with ProcessPoolExecutor(options.processes) as pool:
        for place, scenario in enumerate(scenarios()):
            if not scenario.name.startswith(options.only):
                continue
            parts = numbered(options.changed if scenario.moved else options.identical)
            counts = merged(pool.map(_carry_out, [scenario] * len(parts), [place] * len(parts), parts))
            results.append(_summary(scenario.name, counts))
            print(json.dumps(results[-1]), flush=True)
        if options.only:
            _renew(options.output, results)
            return
        asked = [(key, pairs) for key in _VISIBLE for pairs in _VISIBLE_AFTER]
        for place, (key, pairs) in enumerate(asked):
            parts = numbered(options.changed)
            many = len(parts)
            counts = merged(pool.map(_see, [key] * many, [place] * many, [pairs] * many, parts))
            title = f"{' '.join(key).strip()} after {pairs}"
            visible[title] = {
                "printed": round(counts["per mille"] / 1000 / counts["comparisons"], 4),
                "found": rate(counts["found"], counts["comparisons"]),
            }
            print(title, visible[title], flush=True)
    document = {
        "seconds": round(time.monotonic() - started),
        "noise": parameters()["source"],
        "minutes_per_pair": parameters()["minutes_per_pair"],
        "scenarios": results,
        "smallest_visible": visible,
    }
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(json.dumps(document, indent=2) + "\n")


def _renew(output: Path, results: list[dict[str, Any]]) -> None:
    document = json.loads(output.read_text())
    anew = {each["scenario"]: each for each in results}
    document["scenarios"] = [anew.get(each["scenario"], each) for each in document["scenarios"]]
    output.write_text(json.dumps(document, indent=2) + "\n")


def _summary(name: str, counts: Counter[str]) -> dict[str, Any]:
    total = counts.pop("comparisons")
    pairs = {key: counts.pop(key) / total for key in list(counts) if key.endswith(": pairs")}
    rates = {key: rate(count, total) for key, count in sorted(counts.items())}
    mean_pairs = {key.removesuffix(": pairs"): round(value, 2) for key, value in pairs.items()}
    return {"scenario": name, "comparisons": total, "mean_pairs": mean_pairs, "rates": rates}


if __name__ == "__main__":
    main()
