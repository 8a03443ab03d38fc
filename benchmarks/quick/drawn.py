"""How often the quick tier says that identical builds differ, in comparisons drawn from pairs of real runs.

    .venv/bin/python -m benchmarks.quick.drawn RUN... --comparisons 1000

Each RUN compares a build with itself in the quick tier, as `pacecar noise --set plan.tier=quick` does. A comparison is
three of its pairs. The sides of each are swapped at random, which identical builds allow. It is judged as a first run
would be, without the noise of earlier runs.

Prints one line of JSON: how many comparisons came to each verdict, which metrics regressed falsely, and for each metric
the standard deviation of a pair and its largest change.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.archive.runs import RunDirectory
from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.workflow.experiments import judged_experiment

#: As the plan has them.
_PAIRS = 3


def swapped(pair: Pair) -> Pair:
    """The pair with its sides swapped."""
    windows = tuple(replace(window, side=window.side.other) for window in pair.record.windows)
    forks = {
        side: replace(fork, record=replace(fork.record, side=side))
        for side, fork in ((side, pair.forks[side.other]) for side in Side)
    }
    records = {side: fork.record for side, fork in forks.items()}
    return Pair(record=replace(pair.record, windows=windows, forks=records, first=pair.record.first.other), forks=forks)


#: Indices of the pairs of a comparison, each with whether its sides are swapped.
Draw = tuple[tuple[int, bool], ...]


def drawn(pairs: int, random: Random) -> Draw:
    """One comparison of identical builds; the order of its pairs makes no difference."""
    return tuple((place, random.random() < 0.5) for place in sorted(random.sample(range(pairs), _PAIRS)))


def judged(draw: Draw, pairs: Sequence[Pair], criteria: Criteria) -> Comparison:
    """What a run with these pairs would have concluded."""
    turned = [swapped(pairs[place]) if turn else pairs[place] for place, turn in draw]
    numbered = [
        replace(pair, record=replace(pair.record, number=number)) for number, pair in enumerate(turned, start=1)
    ]
    return compare_pairs(numbered, criteria)


def scatter(pairs: Sequence[Pair], criteria: Criteria) -> dict[str, tuple[float, float]]:
    """Metric -> standard deviation and largest value of the change of a pair, as fractions or in the metric's unit."""
    judged = compare_pairs(pairs, criteria).judgements
    changes = {each.metric.title: each.estimate.per_pair for each in judged if each.estimate and each.estimate.per_pair}
    return {
        title: (float(f"{statistics.stdev(each):.3g}"), float(f"{max(map(abs, each)):.3g}"))
        for title, each in changes.items()
    }


def main() -> None:
    """Draw comparisons, judge them, print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run of the quick tier")
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    runs = [RunDirectory.open(path) for path in arguments.runs]
    criteria = Criteria.of(judged_experiment(runs[0]))
    pairs = [pair for run in runs for pair in run.pairs()]
    random = Random(arguments.seed)
    verdicts: Counter[str] = Counter()
    false: Counter[str] = Counter()
    draws = Counter(drawn(len(pairs), random) for _ in range(arguments.comparisons))
    for draw, times in draws.items():  # few pairs give few distinct draws
        comparison = judged(draw, pairs, criteria)
        verdicts[comparison.verdict.value] += times
        for each in comparison.judgements:
            if each.verdict is Verdict.REGRESSED and each.role.decides:
                false[each.metric.title] += times
    print(
        json.dumps(
            {
                "pairs": len(pairs),
                "comparisons": arguments.comparisons,
                "different": len(draws),
                "verdicts": dict(verdicts),
                "falsely_regressed": dict(false),
                "scatter": scatter(pairs, criteria),
            }
        )
    )


if __name__ == "__main__":
    main()
