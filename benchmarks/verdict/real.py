"""Real comparisons with known truth: pairs recorded over as many sittings as it takes, then judged in disjoint groups.

    python benchmarks/verdict/real.py record same --pairs 60
    python benchmarks/verdict/real.py record cpu-10 --pairs 15
    python benchmarks/verdict/real.py judge

`record` goes on where it stopped: it measures runs of a few pairs by `orders.toml` until there are so many pairs of the
build against `same`. `judge` takes the pairs of each build in the order they were measured, cuts them into groups that
share no pair, and lets the judge look at each group as a run of its own; what the other groups of identical builds
scattered is its history. Results go to `benchmarks/verdict/results/real.json`. Nothing is resampled.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counts import rate

from pacecar.archive.runs import RunDirectory, run_ids, runs_folder
from pacecar.comparison import Comparison, Noise, Verdict
from pacecar.judge.paired import compare_pairs, look
from pacecar.recording import Pair

HERE = Path(__file__).parent
CONFIGURATION = HERE / "orders.toml"
ARCHIVE = HERE / ".pacecar"
RESULTS = HERE / "results" / "real.json"
SAME = "same"
BUILDS = (SAME, "cpu-10", "allocation-2", "p50-15", "p99-20")
#: Pairs of one recording, and most pairs of one judged group.
_SITTING = 5
_MOST = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument("build", choices=BUILDS)
    record.add_argument("--pairs", type=int, required=True)
    judge = commands.add_parser("judge")
    judge.add_argument("--pairs", type=int, default=_MOST, help="most pairs of a group")
    options = parser.parse_args()
    if options.command == "record":
        _record(options.build, options.pairs)
    else:
        _judge_all(options.pairs)


def _record(build: str, wanted: int) -> None:
    while (missing := wanted - len(_pairs(build))) > 0:
        seed = len(_runs(build)) + 1
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "pacecar", "compare", "--config", str(CONFIGURATION), "--fail-on", "nothing"),
                *("--candidate", build, "--pairs", str(min(missing, _SITTING)), "--seed", str(seed)),
                *("--set", "plan.stop_early=false"),
            ],
            check=False,
        )
        if ended.returncode not in (0, 3):
            sys.exit(f"pacecar ended with {ended.returncode}")


def _judge_all(most: int) -> None:
    groups = {build: _groups(_pairs(build), most) for build in BUILDS}
    noise = [_compared(group, history=(), most=most)[0].noise for group in groups[SAME]]
    results = {}
    for build, of_build in groups.items():
        rows = []
        for number, group in enumerate(of_build):
            history = [each for place, each in enumerate(noise) if not (build == SAME and place == number)]
            comparison, pairs = _compared(group, history=history, most=most)
            rows.append(_row(comparison, pairs))
        results[build] = {"pairs": sum(map(len, of_build)), "groups": rows, **_rates(rows)}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps({build: {k: v for k, v in found.items() if k != "groups"} for build, found in results.items()}))


def _compared(pairs: Sequence[Pair], *, history: Sequence[Noise], most: int) -> tuple[Comparison, int]:
    """The comparison when the gate was decided, or of all pairs, and after how many pairs that was."""
    terms: dict[str, Any] = {"budgets": (), "gate": (), "history": history, "most": most}
    stopped = next((count for count in range(1, len(pairs)) if look(pairs[:count], **terms).decided), len(pairs))
    return compare_pairs(pairs[:stopped], application=("shop.orders",), **terms), stopped


def _row(comparison: Comparison, pairs: int) -> dict[str, Any]:
    return {
        "pairs": pairs,
        "verdict": comparison.verdict.value,
        "regressed": [j.metric.title for j in comparison.judgements if j.verdict is Verdict.REGRESSED],
        "blamed": [[each.event, each.frame] for each in comparison.frames if each.blamed and each.application],
        "gate": {
            j.metric.title: [
                j.verdict.value,
                *([j.estimate.change, j.estimate.low, j.estimate.high] if j.estimate else []),
            ]
            for j in comparison.judgements
            if j.gated
        },
    }


def _rates(rows: list[dict[str, Any]]) -> dict[str, Any]:
    regressed = sum(row["verdict"] == "regressed" for row in rows)
    if not rows:
        return {}
    return {
        "comparisons": len(rows),
        "regressed": regressed,
        "clopper_pearson": rate(regressed, len(rows))[1:],
    }


def _groups(pairs: list[Pair], most: int) -> list[list[Pair]]:
    """Disjoint groups in the order of measurement; a remainder of fewer than three pairs is left out."""
    groups = [pairs[start : start + most] for start in range(0, len(pairs), most)]
    return [group for group in groups if len(group) >= 3]


def _pairs(build: str) -> list[Pair]:
    return [pair for run in _runs(build) for pair in run.pairs()]


def _runs(build: str) -> list[RunDirectory]:
    """Those with the plan as it stands in `orders.toml`; rounds of `noise/plans.py` with that plan are of identical
    builds, too.
    """
    runs = [RunDirectory.open(runs_folder(ARCHIVE) / run_id) for run_id in run_ids(ARCHIVE)]
    return [run for run in runs if run.manifest.options.get("candidate", SAME) == build and _as_planned(run)]


def _as_planned(run: RunDirectory) -> bool:
    return {name for name in run.manifest.options if name.startswith("set ")} <= {"set plan.stop_early"}


if __name__ == "__main__":
    main()
