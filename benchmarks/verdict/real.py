"""Real comparisons with known truth: pairs recorded over as many sittings as it takes, then judged in disjoint groups.

    python -m benchmarks.verdict.real record same --pairs 30
    python -m benchmarks.verdict.real record cpu-10 --pairs 15
    python -m benchmarks.verdict.real judge

`record` goes on where it stopped, on whatever machine: it measures runs of a few pairs by `orders.toml` until there are
so many pairs of the build against `same` in `recorded/` (see `kept.py`). `judge` goes through the pairs of each build,
and those of identical builds by other plans (see `plans.py`), in the order they were measured, as a run would: once as
first runs, once with history. It looks after each pair, and ends when the comparison is decided or the time is up. The
next comparison begins with the next pair, so no two share one. The history of a comparison is the noise of all sittings
of identical builds by the same plan that it has no part in. Nothing is resampled. Results go to
`benchmarks/verdict/results/real.json`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.verdict.counts import rate
from benchmarks.verdict.kept import Kept, keep, kept
from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.paired import compare_pairs, look
from pacecar.archive.runs import latest
from pacecar.model.comparison import Comparison, Noise, Role, Verdict

HERE = Path(__file__).parent
CONFIGURATION = HERE / "orders.toml"
ARCHIVE = HERE / ".pacecar"
RESULTS = HERE / "results" / "real.json"
SAME = "same"
#: Folders of identical builds: by the plan of `orders.toml`, and by those of `plans.py`.
IDENTICAL = (SAME, "quarter-core", "cold-page", "longer-gaps", "shorter-sides", "busier")
#: Builds that were made worse: each by what its name says.
SEEDED = ("cpu-10", "allocation-2", "p50-15", "p99-20")
#: Recordings of builds by an earlier plan -> the identical builds recorded by that plan.
EARLIER = {"p99-cold-page": "cold-page"}
#: Pairs of one recording, and most pairs of one comparison.
_SITTING = 5
_MOST = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument("build", choices=[SAME, *SEEDED])
    record.add_argument("--pairs", type=int, required=True)
    judge = commands.add_parser("judge")
    judge.add_argument("--minutes", type=float, default=20.0, help="most minutes of machine time of a comparison")
    options = parser.parse_args()
    if options.command == "record":
        _record(options.build, options.pairs)
    else:
        _judge(options.minutes)


def _record(build: str, wanted: int) -> None:
    while (missing := wanted - len(there := kept(build))) > 0:
        seed = len({each.run for each in there}) + 1
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
        keep(build, [latest(ARCHIVE)])


def _judge(minutes: float) -> None:
    results: dict[str, Any] = {}
    builds = {**dict.fromkeys(IDENTICAL), **dict.fromkeys(SEEDED, SAME), **EARLIER}
    for name, like in builds.items():
        results[name] = {"pairs": len(kept(name))}
        for who, known in (("first run", False), ("with history", True)):
            rows = _in_turn(name, like or name, minutes, known=known)
            results[name][who] = {**_summary(rows), "comparisons": rows}
            print(name, who, json.dumps(_summary(rows)), flush=True)
    for who in ("first run", "with history"):
        rows = [row for name in IDENTICAL for row in results[name][who]["comparisons"]]
        results.setdefault("all identical", {})[who] = _summary(rows)
        print("all identical", who, json.dumps(results["all identical"][who]))
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")


def _in_turn(name: str, like: str, minutes: float, *, known: bool) -> list[dict[str, Any]]:
    """One comparison after the other, each of pairs that no other has; earlier runs, where known, are of `like`."""
    pairs = kept(name)
    same = kept(like)
    starts = range(0, len(same), _SITTING) if known else ()
    sittings = {begin: _noise(same[begin : begin + _SITTING]) for begin in starts}
    rows = []
    begin = 0
    while begin < len(pairs):
        own = range(begin, begin + _MOST) if name in IDENTICAL else range(0)
        history = [noise for first, noise in sittings.items() if not _overlap(range(first, first + _SITTING), own)]
        ended = _compared(pairs[begin:], minutes=minutes, history=history)
        if ended is None:
            break
        comparison, took = ended
        spent = sum(each.minutes for each in pairs[begin : begin + took])
        rows.append({"pairs": took, "minutes": round(spent, 1), **_row(comparison)})
        begin += took
    return rows


def _noise(pairs: Sequence[Kept]) -> Noise:
    return compare_pairs([each.pair for each in pairs], Criteria()).noise


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def _compared(pairs: Sequence[Kept], *, minutes: float, history: Sequence[Noise]) -> tuple[Comparison, int] | None:
    """A comparison of the first of `pairs`, and how many it took; None where there may be too few of them.

    Whether it would have been decided in time makes no difference: only changes that are found would then count.
    """
    spent = list(accumulate(each.minutes for each in pairs))
    most = min(_MOST, sum(each <= minutes for each in spent))
    if most == len(pairs) < _MOST and spent[-1] + spent[-1] / len(pairs) <= minutes:
        return None
    taken = [each.pair for each in pairs[:most]]
    context = Context(history=history, most=_MOST)
    for count in range(1, most + 1):
        if look(taken[:count], Criteria(), context).decided:
            return compare_pairs(taken[:count], Criteria(), context), count
    return compare_pairs(taken, Criteria(), replace(context, ended=True)), most


def _row(comparison: Comparison) -> dict[str, Any]:
    return {
        "verdict": comparison.verdict.value,
        "voided": len(comparison.voided),
        "regressed": [
            j.metric.title for j in comparison.judgements if j.verdict is Verdict.REGRESSED and j.role.decides
        ],
        "reason": comparison.reason,
        "guaranteed": {
            j.metric.title: [
                j.verdict.value,
                *([j.estimate.change, j.estimate.low, j.estimate.high] if j.estimate else []),
            ]
            for j in comparison.judgements
            if j.role is Role.GUARANTEED
        },
    }


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How often each verdict was told, after how many minutes, and how often anything was called worse."""
    if not rows:
        return {}
    worse = sum(bool(row["regressed"]) for row in rows)
    return {
        "disjoint comparisons": len(rows),
        "any regressed": {"count": worse, "clopper_pearson": rate(worse, len(rows))[1:]},
        "verdicts": dict(sorted(Counter(row["verdict"] for row in rows).items())),
        "minutes": {"median": median(row["minutes"] for row in rows), "most": max(row["minutes"] for row in rows)},
    }


if __name__ == "__main__":
    main()
