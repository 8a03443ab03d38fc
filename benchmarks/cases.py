"""Carries out the investigations that targets stand for, and prints what must be found beside what was found.

    python -m benchmarks.cases                    every build of every target, until each comparison has three runs
    python -m benchmarks.cases basket --runs 1    the builds of this target, once
    python -m benchmarks.cases basket --runs 0    only prints what was recorded

Each build of a target is compared with the target as it is, and in both directions if there is something to find. The
runs are those of `benchmarks.sample.expectations`, which says where they are kept. The exit status is 1 if anything was
not as expected.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.sample import whole
from benchmarks.sample.expectations import Series
from benchmarks.sample.expected import expected_of

CASES = {target.name: target for target in whole.TARGETS.values() if target.investigates}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all unless told otherwise")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if unknown := set(options.names) - set(CASES):
        parser.error(f"there is no case {min(unknown)}; there are {', '.join(CASES)}")
    series = [Series(target=CASES[name]) for name in options.names or CASES]
    for each in series:
        each.record(each.names, options.runs)
        print(f"## {each.target.name}\n\n{table(each)}\n")
    sys.exit(not all(each.as_expected for each in series))


def table(series: Series) -> str:
    """What must be found, what was found, on which evidence, and in how many minutes."""
    head = "| build | must be found | as expected | verdicts | found first | pairs, minutes |\n"
    return f"{head}| -- | -- | -: | -- | -- | -- |\n" + "\n".join(
        _row(name, runs, expected_of(series.target, name))
        for name in series.names
        if (runs := series.results.get(name, []))
    )


def _row(name: str, runs: Sequence[Mapping[str, Any]], expected: Mapping[str, Any]) -> str:
    root = expected.get("root")
    wanted = expected["verdict"] if root is None else f"{expected['verdict']}: {', '.join(root.values())}"
    cells = [
        name,
        wanted,
        f"{sum(not run['not_met'] for run in runs)} of {len(runs)}",
        ", ".join(run["verdict"] for run in runs),
        "; ".join(dict.fromkeys(filter(None, map(_found, runs)))),
        "; ".join(f"{run['pairs']}, {run['duration_s'] / 60:.1f}" for run in runs),
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _found(run: Mapping[str, Any]) -> str:
    """The evidence for the root, or else what is not as expected."""
    return run.get("root") or "; ".join(run["not_met"])


if __name__ == "__main__":
    main()
