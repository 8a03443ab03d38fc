"""What fifteen minutes can show if each pair is measured for longer, and there is time for fewer pairs.

    python -m benchmarks.verdict.frontier

Comparisons are drawn as in `synthetic.py`, with 4 to 28 slices per side. Each additional slice takes its own time and
that of the gap after it, on both sides. Results go to `benchmarks/verdict/results/frontier.json`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.verdict.counts import merged, numbered, rate
from benchmarks.verdict.model import Change, draw, parameters
from benchmarks.verdict.ours import MOST, Course, remembered
from pacecar.model.comparison import Noise, Verdict

RESULTS = Path(__file__).parent / "results" / "frontier.json"
SEED = 20_261_122
#: A quarter of an hour.
MINUTES = 15.0
SLICES = (4, 7, 14, 20, 28)
_HISTORY, _PAIRS_OF_HISTORY, _STOCK = 5, 4, 100
_CHANGES = {
    "identical": Change(),
    "cpu +10 %": Change(cpu=1.1),
    "latency +20 %": Change(latency=1.2),
    "tail +20 %": Change(tail=1.2),
}


def plan(slices: int) -> dict[str, Any]:
    """The parameters of pairs with so many slices per side."""
    noise = parameters()
    more_s = 2 * (slices - noise["slices"]) * (noise["slice_s"] + noise["gap_s"])
    return noise | {"slices": slices, "minutes_per_pair": noise["minutes_per_pair"] + more_s / 60}


def pairs_of(noise: dict[str, Any]) -> int:
    """How many such pairs fit."""
    return int(min(MOST, MINUTES // noise["minutes_per_pair"]))


def verdicts(slices: int, name: str, numbers: tuple[int, ...]) -> Counter[str]:
    """Counts over the comparisons of these numbers."""
    noise, counts = plan(slices), Counter[str]()
    pairs = pairs_of(noise)
    for number in numbers:
        random = np.random.default_rng([SEED, slices, list(_CHANGES).index(name), number])
        history = [_stock(slices)[place] for place in random.choice(_STOCK, size=_HISTORY, replace=False)]
        course = Course(draw(noise, random, pairs=pairs, change=_CHANGES[name]), history=history)
        told = course.told(most=pairs)
        counts["comparisons"] += 1
        counts["regressed"] += told.verdict is Verdict.REGRESSED
        counts["passed"] += told.verdict is Verdict.PASSED
    return counts


@cache
def _stock(slices: int) -> list[Noise]:
    """Earlier runs of such pairs, to be remembered."""
    random = np.random.default_rng([SEED, slices, 999_999])
    return [remembered(draw(plan(slices), random, pairs=_PAIRS_OF_HISTORY)) for _ in range(_STOCK)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    started, rows = time.monotonic(), []
    with ProcessPoolExecutor(options.processes) as pool:
        for slices in SLICES:
            noise = plan(slices)
            row: dict[str, Any] = {
                "side_s": slices * noise["slice_s"],
                "minutes_per_pair": round(noise["minutes_per_pair"], 2),
                "pairs": pairs_of(noise),
            }
            for name in _CHANGES:
                counts = merged(pool.map(verdicts, repeat(slices), repeat(name), numbered(options.comparisons)))
                total = counts.pop("comparisons")
                row[name] = {what: rate(count, total) for what, count in counts.items()}
            rows.append(row)
            print(json.dumps(row), flush=True)
    document = {"seconds": round(time.monotonic() - started), "minutes": MINUTES, "rows": rows}
    options.output.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
