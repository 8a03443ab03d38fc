"""Compares what Pacecar concludes about the patches of a target with what is known about them.

    python -m benchmarks.sample.expectations record                 all of them in turn, until each has five runs
    python -m benchmarks.sample.expectations record faster --runs 1 only this one, only once
    python -m benchmarks.sample.expectations judge                  what was recorded, with today's judge
    python -m benchmarks.sample.expectations table                  the table of what was recorded

`--target` names the target, `orders` by default; `--quick` measures in the quick tier. Each patch, and `identical`, is
compared with the tree it applies to, with the target's configuration; run N has the seed N. If a target stands for a
published investigation, patches with a root are also the baseline once (`NAME-reversed`). The patch's expectation
(`targets/orders/builds/NAME.toml`) says what must move, which frame is to blame, which cause is the root, and what must
not be blamed. If nothing is to blame, nothing may be blamed; if there is no root, no finding may name a cause. Results
go to `benchmarks/sample/results/TARGET.json`, those of the quick tier to `TARGET-quick.json`, after every run, and an
interrupted series continues where it stopped. The exit status of `judge` and `table` is 1 if an expectation was not
met.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.sample import whole
from benchmarks.sample.conclusions import Expected, conclusion
from benchmarks.sample.expected import expected_of, names_of, sides_of


@dataclass(frozen=True, kw_only=True)
class Series:
    """The runs of a target's builds, in the full tier or in the quick one."""

    target: whole.Target
    quick: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the comparisons."""
        return names_of(self.target, quick=self.quick)

    def expected(self, name: str) -> Expected:
        """What must be found in the comparison `name`."""
        return expected_of(self.target, name, quick=self.quick)

    @cached_property
    def results(self) -> dict[str, list[dict[str, Any]]]:
        """Comparison -> what its runs concluded, in order."""
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    @property
    def as_expected(self) -> bool:
        """Whether every run concluded what it must."""
        return not any(run["not_met"] for runs in self.results.values() for run in runs)

    def record(self, names: Sequence[str], runs: int) -> None:
        """Measure the runs that are still missing."""
        for seed in range(1, runs + 1):
            for name in names:
                of_name = self.results.setdefault(name, [])
                if any(run["seed"] == seed for run in of_name):
                    continue
                more = ["--quick"] if self.quick else []
                document = self.target.compare(*sides_of(self.target, name), seed=seed, more=more)
                of_name.append({"seed": seed} | conclusion(document, self.expected(name)))
                self._keep()

    def judge(self) -> None:
        """Judge again the runs that are in this machine's archive."""
        for name, runs in self.results.items():
            for run in runs:
                if (self.target.runs / run["run"]).exists():
                    run |= conclusion(self.target.judge(run["run"]), self.expected(name))
                    self._keep()
                else:
                    print(f"{run['run']} ({name}) is not in this archive; its result stays", file=sys.stderr)

    def table(self) -> str:
        """One row for each build."""
        head = "| build | as expected | verdicts | pairs, minutes | first causes | not as expected |\n"
        rows = [_row(name, runs, self.expected(name)) for name, runs in sorted(self.results.items()) if runs]
        return head + "| -- | -: | -- | -- | -- | -- |\n" + "\n".join(rows)

    @property
    def _file(self) -> Path:
        return whole.RESULTS / f"{self.target.name}{'-quick' if self.quick else ''}.json"

    def _keep(self) -> None:
        self._file.write_text(json.dumps(self.results, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("names", nargs="*", metavar="NAME", help="a patch, or identical; all unless told otherwise")
    recording.add_argument("--runs", type=int, default=5)
    for command in (recording, commands.add_parser("judge"), commands.add_parser("table")):
        command.add_argument("--target", choices=whole.TARGETS, default=whole.SAMPLE.name)
        command.add_argument("--quick", action="store_true", help="of the quick tier")
    options = parser.parse_args()
    series = Series(target=whole.TARGETS[options.target], quick=options.quick)
    if options.command == "record":
        if unknown := set(options.names) - set(series.names):
            parser.error(f"{series.target.name} has no patch {min(unknown)}; it has {', '.join(series.names)}")
        series.record(options.names or series.names, options.runs)
        return
    if options.command == "judge":
        series.judge()
    print(series.table())
    sys.exit(not series.as_expected)


def _row(name: str, runs: Sequence[dict[str, Any]], expected: Expected) -> str:
    met = sum(not run["not_met"] for run in runs)
    minutes = [f"{run['pairs']}, {run['duration_s'] / 60:.1f}" for run in runs]
    verdicts = [run["verdict"] if run["verdict"] == expected["verdict"] else f"**{run['verdict']}**" for run in runs]
    wrong = sorted({problem.replace("|", "\\|") for run in runs for problem in run["not_met"]})
    roots = sorted({root for run in runs for root in run["roots"]})
    cells = [
        name,
        f"{met} of {len(runs)}",
        _each(verdicts),
        "; ".join(minutes),
        ", ".join(roots),
        "; ".join(wrong),
    ]
    return f"| {' | '.join(cells)} |"


def _each(words: Sequence[str]) -> str:
    return ", ".join(f"{word} {words.count(word)}" for word in sorted(set(words)))


if __name__ == "__main__":
    main()
