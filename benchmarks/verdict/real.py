"""Real comparisons with a known truth: pairs recorded in as many sittings as needed, then judged in disjoint groups.

    python -m benchmarks.verdict.real record same --pairs 60
    python -m benchmarks.verdict.real record cpu-10 --pairs 15
    python -m benchmarks.verdict.real judge
    python -m benchmarks.verdict.real table

`--service` names the service, `orders` by default (see `services.py`).

`record` continues where it stopped, on any machine. It measures runs of a few pairs with the service's configuration,
until `recorded/` has that many pairs of the build against `same` (see `kept.py`). With each pair it notes the last
commit that had changed the judge.

`judge` goes through the pairs of each build, and those of identical builds with other plans (see `plans.py`), in the
order in which they were measured, as a run would: once as first runs, once with history. It looks after each pair, and
ends when the comparison is decided or the time is up. The next comparison begins with the next pair, so no two share
one. The history of a comparison is the noise of all other sittings of identical builds with the same plan. Nothing is
resampled. Results go to `benchmarks/verdict/results/`; `table` prints them as the README has them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import median
from typing import Any

from benchmarks.verdict.counts import rate
from benchmarks.verdict.kept import Kept, keep
from benchmarks.verdict.services import HERE, ORDERS, SAME, SERVICES, Service, judge
from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.paired import compare_pairs, look
from pacecar.archive.runs import latest
from pacecar.model.comparison import Comparison, Noise, Role, Verdict

ARCHIVE = HERE / ".pacecar"
#: Pairs of one recording.
_SITTING = 5
_WHO = {"first run": False, "with history": True}
_NO_HISTORY: Mapping[int, Noise] = {}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How comparisons are made from recorded pairs.

    Attributes:
        criteria: what they are judged by.
        most: the most pairs of one comparison.
        minutes: the most machine time of one comparison.
    """

    criteria: Criteria
    most: int
    minutes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument(
        "build", choices=sorted({SAME, *(build for each in SERVICES.values() for build in each.seeded)})
    )
    record.add_argument("--pairs", type=int, required=True)
    judged = commands.add_parser("judge")
    judged.add_argument("--minutes", type=float, default=20.0, help="most minutes of machine time of a comparison")
    for command in (record, judged, commands.add_parser("table")):
        command.add_argument("--service", choices=SERVICES, default=ORDERS.name)
    options = parser.parse_args()
    service = SERVICES[options.service]
    if options.command == "table":
        print(_table(service))
    elif options.command == "judge":
        _judge(service, options.minutes)
    elif options.build in (SAME, *service.seeded):
        _record(service, options.build, options.pairs)
    else:
        parser.error(f"{service.name} has no build {options.build}; it has {', '.join((SAME, *service.seeded))}")


def _record(service: Service, build: str, wanted: int) -> None:
    frozen = judge()
    if frozen is None:
        sys.exit("the judge has changes that are in no commit, so that nobody could tell which one pairs came after")
    while (missing := wanted - len(there := service.pairs(build))) > 0:
        seed = len({each.run for each in there}) + 1
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "pacecar", "compare", "--config", str(service.configuration)),
                *("--candidate", build, "--pairs", str(min(missing, _SITTING)), "--seed", str(seed)),
                *("--set", "plan.stop_early=false", "--fail-on", "nothing"),
            ],
            check=False,
        )
        if ended.returncode not in (0, 3):
            sys.exit(f"pacecar ended with {ended.returncode}")
        keep(service.recorded(build), [latest(ARCHIVE)], judge=frozen)


def _judge(service: Service, minutes: float) -> None:
    rules = Rules(criteria=service.criteria(), most=service.most_pairs(), minutes=minutes)
    results: dict[str, Any] = {"judged by": judge()}
    builds = {**dict.fromkeys(service.identical), **dict.fromkeys(service.seeded, SAME), **service.earlier}
    for name, like in builds.items():
        pairs = service.pairs(name)
        results[name] = {"pairs": len(pairs)}
        results[name]["recorded after"] = dict(Counter(each.judge or "unknown" for each in pairs))
        if name in service.seeded:
            results[name]["truth"] = _truth(pairs, service.seeded[name], rules.criteria)
        for who, known in _WHO.items():
            sittings = _sittings(service.pairs(like or name)) if known else {}
            rows = in_turn(pairs, rules, sittings, own=like is None)
            results[name][who] = {**summary(rows), "comparisons": rows}
            print(name, who, json.dumps(summary(rows)), flush=True)
    for who in _WHO:
        rows = [row for name in service.identical for row in results[name][who]["comparisons"]]
        results.setdefault("all identical", {})[who] = summary(rows)
        print("all identical", who, json.dumps(results["all identical"][who]))
    (HERE / "results" / service.results).write_text(json.dumps(results, indent=2) + "\n")


def in_turn(
    pairs: Sequence[Kept], rules: Rules, sittings: Mapping[int, Noise] = _NO_HISTORY, *, own: bool = False
) -> list[dict[str, Any]]:
    """One comparison after the other, without common pairs.

    Args:
        pairs: in the order in which they were measured.
        rules: how each is made.
        sittings: first pair of an earlier run -> its noise; none of a first run.
        own: whether those runs are of these very pairs, so that a comparison must not know those it overlaps.
    """
    rows = []
    begin = 0
    while begin < len(pairs):
        taking_part = range(begin, begin + rules.most) if own else range(0)
        others = [
            noise for first, noise in sittings.items() if not _overlap(range(first, first + _SITTING), taking_part)
        ]
        ended = _compared(pairs[begin:], rules, history=others)
        if ended is None:
            break
        comparison, took = ended
        spent = sum(each.minutes for each in pairs[begin : begin + took])
        rows.append({"pairs": took, "minutes": round(spent, 1), **_row(comparison)})
        begin += took
    return rows


def _sittings(pairs: Sequence[Kept]) -> dict[int, Noise]:
    starts = range(0, len(pairs), _SITTING)
    return {begin: _noise(pairs[begin : begin + _SITTING]) for begin in starts}


def _noise(pairs: Sequence[Kept]) -> Noise:
    return compare_pairs([each.pair for each in pairs], Criteria()).noise


def _truth(pairs: Sequence[Kept], metric: str, criteria: Criteria) -> dict[str, Any]:
    """How much worse a build is according to all recorded pairs, with the 95 % interval."""
    if not pairs:
        return {}
    judged = compare_pairs([each.pair for each in pairs], criteria).judgements
    found = next((each.estimate for each in judged if each.metric.title == metric), None)
    return {"metric": metric} | ({"change": [found.change, found.low, found.high]} if found else {})


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def _compared(pairs: Sequence[Kept], rules: Rules, *, history: Sequence[Noise]) -> tuple[Comparison, int] | None:
    """A comparison of the first of `pairs`, and how many it took; None if there may be too few.

    This holds even if it would have been decided in time: otherwise, only changes that are found would count.
    """
    spent = list(accumulate(each.minutes for each in pairs))
    most = min(rules.most, sum(each <= rules.minutes for each in spent))
    if most == len(pairs) < rules.most and spent[-1] + spent[-1] / len(pairs) <= rules.minutes:
        return None
    taken = [each.pair for each in pairs[:most]]
    context = Context(history=history, most=rules.most)
    for count in range(1, most + 1):
        if look(taken[:count], rules.criteria, context).decided:
            return compare_pairs(taken[:count], rules.criteria, context), count
    return compare_pairs(taken, rules.criteria, replace(context, ended=True)), most


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


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How often each verdict was reached, after how many minutes, and how often anything was called worse."""
    if not rows:
        return {}
    worse = sum(bool(row["regressed"]) for row in rows)
    return {
        "disjoint comparisons": len(rows),
        "any regressed": {"count": worse, "clopper_pearson": rate(worse, len(rows))[1:]},
        "verdicts": dict(sorted(Counter(row["verdict"] for row in rows).items())),
        "minutes": {"median": median(row["minutes"] for row in rows), "most": max(row["minutes"] for row in rows)},
    }


def _table(service: Service) -> str:
    """The results as rows of the README."""
    results = json.loads((HERE / "results" / service.results).read_text())
    heads = ["build", "pairs", "really", *(part for who in _WHO for part in (who, "median, most minutes"))]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    names = [*service.identical, *service.seeded, *service.earlier]
    for name in [*names, *(["all identical"] if len(service.identical) > 1 else [])]:
        of = results[name]
        cells = [f"`{name}`" if name in names else name, str(of.get("pairs", "")), _really(of.get("truth", {}))]
        lines.append("| " + " | ".join([*cells, *(cell for who in _WHO for cell in _cells(of[who]))]) + " |")
    return "\n".join(lines)


def _really(truth: dict[str, Any]) -> str:
    if "change" not in truth:
        return ""
    change, low, high = (100 * each for each in truth["change"])
    return f"{truth['metric']} {change:+.1f} % [{low:.1f}, {high:.1f}]"


def _cells(summary: dict[str, Any]) -> tuple[str, str]:
    if "verdicts" not in summary:
        return "none", ""
    told = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    return told, f"{summary['minutes']['median']:.3g}, {summary['minutes']['most']:.3g}"


if __name__ == "__main__":
    main()
