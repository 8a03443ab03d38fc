"""How often the causes of synthetic comparisons are the right ones.

    python -m benchmarks.causes.synthetic develop        seeds to work with; prints only
    python -m benchmarks.causes.synthetic report         other seeds; results/synthetic.json

`README.md` says what is drawn, and what the figures mean.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.causes.cases import CAUSES
from benchmarks.causes.model import drawn as drawn_pairs
from benchmarks.causes.near_misses import NEAR_MISSES
from benchmarks.causes.service import Asked, Case, Root, drawn
from benchmarks.verdict.counts import rate
from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.changes import frame_changes
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.causes import Cause, Strength
from pacecar.model.comparison import Estimate, Judgement, Metric, Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

RESULTS = Path(__file__).parent / "results" / "synthetic.json"
SEEDS = {"develop": 20_261_124, "report": 87_113}
PAIRS = (4, 6)
_APPLICATION = ("shop.",)
_ALL = {**CAUSES, **NEAR_MISSES}


@dataclass
class Tally:
    """What came of one case: `counts` over all that was asked, and intervals of shares with the truth."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", choices=sorted(SEEDS))
    parser.add_argument("--causes", type=int, default=10, help="comparisons of each case with a root")
    parser.add_argument("--near-misses", type=int, default=10, help="comparisons of each near miss")
    parser.add_argument("--identical", type=int, default=40, help="comparisons of identical builds")
    parser.add_argument("--case", choices=sorted(_ALL), help="only this one")
    options = parser.parse_args()
    counts = dict.fromkeys(CAUSES, options.causes) | dict.fromkeys(NEAR_MISSES, options.near_misses)
    counts["identical"] = options.identical
    names = [options.case] if options.case else list(_ALL)
    begun = time.monotonic()
    tallies = {name: tallied(name, counts[name], seed=SEEDS[options.seeds]) for name in names}
    found = summary(tallies) | {"seconds": round(time.monotonic() - begun)}
    for name, rates in {**found["together"], **found["cases"]}.items():
        print(
            f"{name:40}",
            *(f"{key} {value[0] if isinstance(value, list) else value}" for key, value in rates.items()),
            sep="; ",
        )
    if options.seeds == "report":
        RESULTS.write_text(json.dumps(found, indent=2) + "\n")


def tallied(name: str, count: int, *, seed: int) -> Tally:
    """So many comparisons of a case. Each has a seed of its own, whatever else is drawn."""
    tally = Tally()
    for number in range(count):
        random = np.random.default_rng([seed, list(_ALL).index(name), number])
        case = _ALL[name](drawn(random))
        pairs = drawn_pairs(case.baseline, case.candidate, case.mix, pairs=PAIRS[number % len(PAIRS)], random=random)
        for asked, causes in answers(case, pairs):
            _count(tally, asked, causes)
    return tally


def answers(case: Case, pairs: Sequence[Pair]) -> list[tuple[Asked, tuple[Cause, ...]]]:
    """What `CauseFinder` says, as a run would ask it, of each metric."""
    apart = any(asked.metric == "jit" for asked in case.asked)
    forks = [
        (
            MeasuredFork.of(pair, Side.BASELINE, compilers_apart=apart),
            MeasuredFork.of(pair, Side.CANDIDATE, compilers_apart=apart),
        )
        for pair in pairs
    ]
    sampled = Sampled.of(forks, application=_APPLICATION)
    frames = frame_changes(sampled, application=_APPLICATION)
    quantities = Quantities(pairs=forks, frames=frames, sampled=sampled)
    finder = CauseFinder(quantities)
    return [(asked, finder.causes(_judgement(asked, quantities))) for asked in case.asked]


def _judgement(asked: Asked, quantities: Quantities) -> Judgement:
    """Of a metric that is said to have changed, whether or not it has."""
    each = quantities.change(asked.metric, asked.endpoint)
    estimate = Estimate(
        pairs=len(each),
        baseline=1.0,
        candidate=1.0,
        change=float(each.mean()),
        low=float(each.min()),
        high=float(each.max()),
        per_pair=tuple(each.tolist()),
        p_value=0.001,
        smallest_visible=0.1,
    )
    return Judgement(
        metric=Metric(name=asked.metric, endpoint=asked.endpoint),
        verdict=Verdict.REGRESSED,
        reason="",
        role=Role.GUARANTEED,
        budget=None,
        estimate=estimate,
    )


def _count(tally: Tally, asked: Asked, causes: Sequence[Cause]) -> None:
    counts = tally.counts
    true = [root for root in (asked.first, *asked.also) if root is not None]
    false = [cause for cause in causes if not any(_is(cause, root) for root in true)]
    counts["asked"] += 1
    counts["rooted"] += asked.first is not None
    counts["right"] += asked.first is not None and bool(causes) and _is(causes[0], asked.first)
    counts["true first"] += bool(causes) and causes[0] not in false
    counts["none"] += not causes
    counts["false first"] += bool(causes) and causes[0] in false
    counts["false"] += bool(false)
    counts["false certain"] += any(cause.strength is Strength.CERTAIN for cause in false)
    for cause in false:
        tally.wrong[f"{asked.metric}: {cause.name}"] += 1
    for cause in causes[:1]:
        if asked.share is not None and asked.first is not None and _is(cause, asked.first) and cause.share is not None:
            counts["shares"] += 1
            counts["held"] += cause.share.low <= asked.share <= cause.share.high
            counts["share below"] += cause.share.high < asked.share


def _is(cause: Cause, root: Root) -> bool:
    scope = cause.scope
    wanted = (
        (root.frame, scope.frame),
        (root.pool, scope.pool),
        (root.series, scope.series),
        (root.dependency, scope.dependency),
    )
    return cause.name == root.kind and all(place is None or place == found for place, found in wanted)


def summary(tallies: dict[str, Tally]) -> dict[str, Any]:
    """Rates by case, and of all cases of each sort together."""
    sorts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, tally in tallies.items():
        sort = "identical" if name == "identical" else "causes" if name in CAUSES else "near misses"
        for where in (sort, "all"):
            sorts[where].update(tally.counts)
    return {
        "seeds": SEEDS,
        "together": {sort: _rates(counts) for sort, counts in sorts.items()},
        "cases": {name: _rates(tally.counts) | {"false": dict(tally.wrong)} for name, tally in tallies.items()},
    }


def _rates(counts: Counter[str]) -> dict[str, object]:
    found: dict[str, object] = {"asked": counts["asked"]}
    if counts["rooted"]:
        found |= {"with a root": counts["rooted"], "root first and right": rate(counts["right"], counts["rooted"])}
    found |= {
        "none certain": rate(counts["none"], counts["asked"]),
        "false root first": rate(counts["false first"], counts["asked"]),
        "any false root": rate(counts["false"], counts["asked"]),
        "any false root called certain": rate(counts["false certain"], counts["asked"]),
    }
    if counts["shares"]:
        found |= {
            "shares": counts["shares"],
            "interval holds the truth": rate(counts["held"], counts["shares"]),
            "truth above": counts["share below"],
        }
    return found


if __name__ == "__main__":
    main()
