"""How often a loss of capacity is found in comparisons of a few pairs with a known truth.

    python -m benchmarks.capacity.drawn              about ten minutes on two cores
    python -m benchmarks.capacity.drawn --table      the results as the README's table

All other metrics are those of identical builds, drawn as in `benchmarks.verdict.model`. Each fork is a queue: requests
take longer the closer their rate is to its capacity (`queue`), and p95 of a step scatters. Capacities differ from pair
to pair. Pacecar's own rule climbs the staircase and chooses each next rate. Results go to
`benchmarks/capacity/results/drawn.json`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.verdict.counts import merged, numbered, rate
from benchmarks.verdict.model import draw, parameters
from benchmarks.verdict.ours import Course
from pacecar.analysis.capacity import next_step
from pacecar.analysis.metrics.climb import Climb
from pacecar.model.capacity import LoadStep, Top
from pacecar.model.experiment import Side

RESULTS = Path(__file__).parent / "results" / "drawn.json"
SEED = 20_261_125
LOSSES = (0.0, 0.05, 0.08, 0.10, 0.15, 0.20)
#: Standard deviation of the log-ratio of a pair that comes from the forks; steps add their own.
SCATTERS = (0.02, 0.05)
PAIRS = 6
#: Capacity of the baseline, first rate of the staircase, and latency budget.
_BEARS, _START, _WITHIN_MS = 700.0, 100.0, 60.0
_SERVED_MS = 4.0
#: Standard deviation of the logarithm of p95 of a step.
_STEP = 0.25
_KEY = ("capacity", "")


def queue(rate_per_s: float, bears: float, random: np.random.Generator) -> LoadStep:
    """What a step shows for a fork with this capacity."""
    busy = rate_per_s / bears
    latency_ms = _SERVED_MS / (1 - busy) * random.lognormal(0, _STEP) if busy < 1 else math.inf
    return LoadStep(
        rate_per_s=rate_per_s,
        answered_per_s=min(rate_per_s, bears),
        latency_ms=latency_ms,
        busy=min(busy, 1.0),
    )


def climbed(bears: dict[Side, float], random: np.random.Generator) -> list[float]:
    """The capacities of the forks of one pair, as its staircase finds them."""
    steps: dict[Side, list[LoadStep]] = {side: [] for side in bears}
    rate_per_s, sides = _START, tuple(bears)
    while True:
        for side in sides:
            steps[side].append(queue(rate_per_s, bears[side], random))
        climbs = {side: Climb(steps=made, within_ms=_WITHIN_MS) for side, made in steps.items()}
        following = next_step(climbs)
        if isinstance(following, Top):
            found = [climb.capacity for climb in climbs.values()]
            return [math.nan if each is None else each.rate_per_s for each in found]
        rate_per_s, sides = following


def _count(numbers: tuple[int, ...], loss: float, scatter: float) -> Counter[str]:
    noise, counted = parameters(), Counter[str](dict.fromkeys(("regressed", "passed", "improved", "inconclusive"), 0))
    for number in numbers:
        random = np.random.default_rng([SEED, number, round(1000 * loss), round(1000 * scatter)])
        drawn = draw(noise, random, pairs=PAIRS)
        forks = _BEARS * np.exp(random.normal(0, scatter / math.sqrt(2), (PAIRS, len(Side))))
        forks[:, 1] *= 1 - loss
        drawn.by_fork[_KEY] = np.array([climbed(dict(zip(Side, pair, strict=True)), random) for pair in forks.tolist()])
        told = Course(drawn, history=()).told(most=PAIRS)
        counted[told.judgements[_KEY].verdict.value] += 1
        counted[f"whole: {told.verdict.value}"] += 1
        counted["pairs"] += told.pairs
    return counted


def _spread(scatter: float, *, pairs: int = 1000) -> float:
    """Standard deviation of the log-ratio of a pair of identical builds, as the staircase finds it."""
    random = np.random.default_rng([SEED, round(1000 * scatter)])
    forks = _BEARS * np.exp(random.normal(0, scatter / math.sqrt(2), (pairs, len(Side))))
    found = np.log([climbed(dict(zip(Side, pair, strict=True)), random) for pair in forks.tolist()])
    return float(np.std(found[:, 1] - found[:, 0]))


def measured(comparisons: int) -> dict[str, Any]:
    """Every loss with every scatter."""
    found: dict[str, Any] = {"comparisons": comparisons, "pairs": PAIRS, "rows": []}
    with ProcessPoolExecutor() as processes:
        for scatter in SCATTERS:
            for loss in LOSSES:
                counted = merged(processes.map(_count, numbered(comparisons), repeat(loss), repeat(scatter)))
                row = {
                    "scatter": scatter,
                    "found scatter": round(_spread(scatter), 4),
                    "loss": loss,
                    "mean pairs": round(counted.pop("pairs") / comparisons, 2),
                    "verdicts": {name: rate(count, comparisons) for name, count in sorted(counted.items())},
                }
                found["rows"].append(row)
                print(json.dumps(row), flush=True)
    return found


def table(found: dict[str, Any]) -> str:
    """As the README has it."""
    lines = [
        "| scatter of forks | as found | loss | regressed | passed | inconclusive | pairs |",
        "| -:" + " | -:" * 6 + " |",
    ]
    for row in found["rows"]:
        shares = [
            f"{100 * row['verdicts'].get(name, [0])[0]:.1f} %" for name in ("regressed", "passed", "inconclusive")
        ]
        amounts = [f"{100 * row[name]:.1f} %" for name in ("scatter", "found scatter", "loss")]
        lines.append(f"| {' | '.join([*amounts, *shares, str(row['mean pairs'])])} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=500)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(RESULTS.read_text())))
        return
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(measured(options.comparisons), indent=2) + "\n")


if __name__ == "__main__":
    main()
