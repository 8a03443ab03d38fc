"""Whole verdicts and minutes of comparisons with a known truth: of a first run, a second one, and one with history.

    python -m benchmarks.verdict.synthetic                     everything: some hours on two cores
    python -m benchmarks.verdict.synthetic --identical 500 --changed 100 --output quick.json
    python -m benchmarks.verdict.synthetic --only identical    these scenarios again; the rest stays
    python -m benchmarks.verdict.synthetic --table             the results as the README's table

Comparisons are drawn from the noise in `noise.json`. Seeds are fixed, and every rule sees the same data. Results go to
`benchmarks/verdict/results/synthetic.json`; `README.md` explains them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.verdict.counts import merged, numbered, rate
from benchmarks.verdict.model import Change, Loudness, draw, louder, parameters
from benchmarks.verdict.ours import MOST, Course, Told, remembered
from benchmarks.verdict.today import RULES
from pacecar.model.comparison import MetricKey, Noise, Role, Verdict

RESULTS = Path(__file__).parent / "results" / "synthetic.json"
SEED = 20_261_201
#: Earlier runs, of identical builds, that Pacecar remembers, and the pairs of each. They are drawn from a stock.
_HISTORY, _PAIRS_OF_HISTORY, _STOCK = 5, 4, 400
#: Most pairs of a comparison within ten minutes.
_SOON = 4
#: The endpoint that changes alone, neither the busiest nor the rarest.
_ONE = 1
_WHO = ("first run", "second run", "with history")
_VERDICTS = ("passed", "regressed", "improved", "inconclusive")
_CPU, _ALLOCATION, _TYPICAL, _TAIL = (("cpu", ""), ("allocation", ""), ("latency.typical", ""), ("latency.tail", ""))


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What is compared.

    Attributes:
        name: for people.
        change: what the candidate does.
        loudness: of the day.
        truths: guaranteed metric -> logarithm of its true ratio, if known; all others are 0 in scenarios without a
            change.
        rules: whether to ask the rules of today, too.
    """

    name: str
    change: Change = field(default_factory=Change)
    loudness: Loudness | None = None
    truths: Mapping[MetricKey, float] = field(default_factory=dict)
    rules: bool = False

    @property
    def identical(self) -> bool:
        """Whether the builds are identical."""
        return self.change == Change()

    def moved(self, key: MetricKey) -> bool:
        """Whether the candidate may be called worse by this metric."""
        name, endpoint = key
        if not name.startswith("latency"):
            by_name = {"cpu": self.change.cpu > 1, "allocation": self.change.allocation > 1}
            return by_name.get(name, name == "errors" and self.change.failing > 0)
        here = self.change.endpoint is None or endpoint in ("", f"endpoint {self.change.endpoint}")
        return here and (self.change.latency > 1 or self.change.tail > 1)


def scenarios() -> list[Scenario]:
    """Identical builds on all kinds of days, then changes as users meet them."""
    return [
        Scenario(name="identical", rules=True),
        Scenario(name="identical, all twice as loud", loudness=_loud(2.0)),
        Scenario(name="identical, tails twice as loud", loudness=Loudness(latency=2.0, tail_only=True)),
        Scenario(name="identical, one endpoint 2.5 times as loud", loudness=Loudness(latency=2.5, endpoint=_ONE)),
        Scenario(name="identical, allocation three times as loud", loudness=Loudness(service={"allocation": 3.0})),
        Scenario(name="identical, CPU twice as loud", loudness=Loudness(service={"cpu": 2.0})),
        _cpu(0.03),
        _cpu(0.05),
        _cpu(0.075),
        _cpu(0.10, rules=True),
        Scenario(name="allocation +2 %", change=Change(allocation=1.02), truths={_ALLOCATION: math.log(1.02)}),
        _latency(0.10),
        _latency(0.15),
        _latency(0.20, rules=True),
        Scenario(name="one endpoint +50 %", change=Change(latency=1.5, endpoint=_ONE)),
        Scenario(name="one endpoint's tail +30 %", change=Change(tail=1.3, endpoint=_ONE), rules=True),
        Scenario(name="all tails +20 %", change=Change(tail=1.2)),
        Scenario(name="errors +0.45 points", change=Change(failing=0.0045)),
        Scenario(name="CPU -25 %", change=Change(cpu=0.75), truths={_CPU: math.log(0.75)}),
    ]


def _loud(factor: float) -> Loudness:
    return Loudness(latency=factor, service=dict.fromkeys(("cpu", "allocation", "gc.pause"), factor))


def _cpu(more: float, *, rules: bool = False) -> Scenario:
    change, truths = Change(cpu=1 + more), {_CPU: math.log1p(more)}
    return Scenario(name=f"CPU +{100 * more:g} %", change=change, truths=truths, rules=rules)


def _latency(more: float, *, rules: bool = False) -> Scenario:
    truths = {_TYPICAL: math.log1p(more), _TAIL: math.log1p(more)}
    return Scenario(
        name=f"all latencies +{100 * more:g} %", change=Change(latency=1 + more), truths=truths, rules=rules
    )


@cache
def _stock() -> list[Noise]:
    random = np.random.default_rng([SEED, 999_999])
    return [remembered(draw(parameters(), random, pairs=_PAIRS_OF_HISTORY)) for _ in range(_STOCK)]


def _verdicts(scenario: Scenario, place: int, numbers: tuple[int, ...]) -> Counter[str]:
    """Counts over the comparisons of these numbers."""
    counts = Counter[str]()
    for number in numbers:
        random = np.random.default_rng([SEED, place, number])
        history = [_stock()[each] for each in random.choice(_STOCK, size=_HISTORY, replace=False)]
        drawn = draw(parameters(), random, pairs=MOST, change=scenario.change)
        if scenario.loudness is not None:
            drawn = louder(drawn, scenario.loudness)
        counts["comparisons"] += 1
        for who, known in zip(_WHO, ([], history[:1], history), strict=True):
            _count(counts, who, scenario, Course(drawn, history=known).told())
        for rule in RULES if scenario.rules else ():
            worse = rule.worse(drawn)
            counts[f"{rule.name}: any false"] += any(not scenario.moved(key) for key in worse)
            counts[f"{rule.name}: found"] += any(scenario.moved(key) for key in worse)
    return counts


def _count(counts: Counter[str], who: str, scenario: Scenario, told: Told) -> None:
    for verdict in Verdict:
        counts[f"{who}: {verdict.value}"] += told.verdict is verdict
        counts[f"{who}: {verdict.value} within {_SOON} pairs"] += told.verdict is verdict and told.pairs <= _SOON
    counts[f"{who}: any false"] += any(not scenario.moved(key) for key in told.regressed)
    counts[f"{who}: found"] += any(scenario.moved(key) for key in told.regressed)
    counts[f"{who}: pairs"] += told.pairs
    counts[f"{who}: passed with a wrong bound"] += told.verdict is Verdict.PASSED and any(
        each.role is Role.GUARANTEED
        and each.ruled_out is not None
        and (scenario.identical or each.metric.key in scenario.truths)
        and scenario.truths.get(each.metric.key, 0.0) > math.log1p(max(each.ruled_out.bound, -0.99))
        for each in told.judgements.values()
        if each.metric.name != "errors"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--identical", type=int, default=3_000)
    parser.add_argument("--changed", type=int, default=1_000)
    parser.add_argument("--only", default="", help="run scenarios whose names begin so; keep the other results")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="print the results as the README's table")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.output.read_text())["scenarios"]))
        return
    started, results = time.monotonic(), []
    with ProcessPoolExecutor(options.processes) as pool:
        for place, scenario in enumerate(scenarios()):
            if not scenario.name.startswith(options.only):
                continue
            parts = numbered(options.identical if scenario.identical else options.changed)
            counts = merged(pool.map(_verdicts, repeat(scenario), repeat(place), parts))
            results.append(_summary(scenario.name, counts))
            print(json.dumps(results[-1]), flush=True)
    if options.only:
        _renew(options.output, results)
        return
    document = {
        "seconds": round(time.monotonic() - started),
        "noise": parameters()["source"],
        "minutes_per_pair": parameters()["minutes_per_pair"],
        "scenarios": results,
    }
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(json.dumps(document, indent=2) + "\n")


def _renew(output: Path, results: list[dict[str, Any]]) -> None:
    document = json.loads(output.read_text())
    anew = {each["scenario"]: each for each in results}
    document["scenarios"] = [anew.get(each["scenario"], each) for each in document["scenarios"]]
    output.write_text(json.dumps(document, indent=2) + "\n")


def table(scenarios: Sequence[dict[str, Any]]) -> str:
    """One row for each scenario, as the README has it.

    For each kind of run in the results: the verdicts, how often the most frequent one came within ten minutes, and how
    often any metric was falsely called worse.
    """
    known = [who for who in _WHO if any(f"{who}: any false" in each["rates"] for each in scenarios)]
    heads = ["build", "of", *(part for who in known for part in (who, f"within {_SOON} pairs", "any false"))]
    lines = [f"| {' | '.join(heads)} |", f"| -- |{' -: |' * (len(heads) - 1)}"]
    for each in scenarios:
        rates = each["rates"]
        cells = [
            cell
            for who in known
            for cell in (_right(rates, who), _soon(rates, who), _percent(rates.get(f"{who}: any false")))
        ]
        lines.append("| " + " | ".join([each["scenario"], str(each["comparisons"]), *cells]) + " |")
    return "\n".join(lines)


def _right(rates: Mapping[str, Sequence[float]], who: str) -> str:
    return ", ".join(
        f"{verdict} {_percent(found)}" for verdict in _VERDICTS if (found := rates.get(f"{who}: {verdict}")) is not None
    )


def _soon(rates: Mapping[str, Sequence[float]], who: str) -> str:
    """For the most frequent verdict."""
    most = max(_VERDICTS, key=lambda verdict: rates.get(f"{who}: {verdict}", [0.0])[0])
    return _percent(rates.get(f"{who}: {most} within {_SOON} pairs"))


def _percent(found: Sequence[float] | None) -> str:
    return f"{100 * found[0]:.3g} %" if found is not None else "0 %"


def _summary(name: str, counts: Counter[str]) -> dict[str, Any]:
    total = counts.pop("comparisons")
    pairs = {key: counts.pop(key) / total for key in list(counts) if key.endswith(": pairs")}
    rates = {key: rate(count, total) for key, count in sorted(counts.items()) if count or "any false" in key}
    mean_pairs = {key.removesuffix(": pairs"): round(value, 2) for key, value in pairs.items()}
    return {"scenario": name, "comparisons": total, "mean_pairs": mean_pairs, "rates": rates}


if __name__ == "__main__":
    main()
