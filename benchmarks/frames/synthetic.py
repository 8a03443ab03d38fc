"""Which frames are blamed on synthetic profiles with a known truth, by Pacecar and by two methods in use today.

    python -m benchmarks.frames.synthetic                 about five minutes on two cores

Results go to `benchmarks/frames/results/synthetic.json`; `README.md` explains them. Seeds are fixed, and all methods
see the same data.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.frames.model import Case, Plan, added, identical, inlined, renamed, slower
from pacecar.analysis.stats.attribution import attribute
from pacecar.analysis.stats.culprits import SMALLEST_SHARE, NodeCosts

RESULTS = Path(__file__).parent / "results" / "synthetic.json"
SEED = 20_261_121
#: How many unchanged frames the diff between the builds touches nevertheless.
_TOUCHED_INNOCENT = 4

CASES: dict[str, Callable[[np.random.Generator, Plan], Case]] = {
    "identical": identical,
    "one frame +1 point of everything": partial(added, points=0.01),
    "a frame of 2 to 5 % +50 %": partial(slower, by=0.5, least=0.02, most=0.05),
    "a frame of 2 to 5 % +20 %": partial(slower, by=0.2, least=0.02, most=0.05),
    "renamed": renamed,
    "inlined": inlined,
}

#: Six pairs like recorded ones of the sample service, with a core one third busy; twelve such pairs; and six of a
#: service that keeps its core busy.
PLANS = (Plan(pairs=6, samples=1_300), Plan(pairs=12, samples=1_300), Plan(pairs=6, samples=4_300))


def pooled_shares(profiles: NodeCosts) -> list[int]:
    """Shares of all samples of a side together, frames with their callees; z test of two proportions, FDR 5 %."""
    tree, one = profiles.tree, _sample_size(profiles)
    counts = [tree.totals_by_frame(side.sum(axis=0)) / one for side in (profiles.baseline, profiles.candidate)]
    wholes = [side.sum() / one for side in (profiles.baseline, profiles.candidate)]
    first, second = (count / whole for count, whole in zip(counts, wholes, strict=True))
    pooled = (counts[0] + counts[1]) / sum(wholes)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * (1 / wholes[0] + 1 / wholes[1]))
    return _chosen(second - first, 2 * stats.norm.sf(np.abs(second - first) / error))


def paired_shares(profiles: NodeCosts) -> list[int]:
    """Shares per pair, frames with their callees; t test of their differences, FDR 5 %."""
    tree = profiles.tree
    shares = [
        tree.totals_by_frame(side) / side.sum(axis=1, keepdims=True) for side in (profiles.baseline, profiles.candidate)
    ]
    differences = shares[1] - shares[0]
    error = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
    ratio = np.abs(differences.mean(axis=0)) / np.maximum(error, 1e-12)
    return _chosen(differences.mean(axis=0), 2 * stats.t.sf(ratio, len(differences) - 1))


def _chosen(change: np.ndarray, p_values: np.ndarray) -> list[int]:
    adjusted = stats.false_discovery_control(p_values)
    found = np.flatnonzero((adjusted < 0.05) & (np.abs(change) >= SMALLEST_SHARE))
    return [int(frame) for frame in found[np.argsort(-np.abs(change[found]))]]


def _sample_size(profiles: NodeCosts) -> float:
    values = profiles.baseline[profiles.baseline > 0]
    return float(values.min())


def _blamed(profiles: NodeCosts, touched: np.ndarray | None) -> tuple[list[int], set[int]]:
    found = attribute(profiles, touched=touched)
    moved = {frame for move in found.moves for frame in (move.gone_from, move.gone_to)}
    return [culprit.frame for culprit in found.culprits], moved


def _touched(case: Case, frames: list[int]) -> np.ndarray:
    touched = np.zeros(case.profiles.tree.frames, dtype=bool)
    touched[frames] = True
    return touched


def _callers(case: Case) -> list[int]:
    """The frames that call the guilty one."""
    tree = case.profiles.tree
    parents = tree.parent[np.isin(tree.frame, list(case.guilty)) & (tree.parent >= 0)]
    return [frame for frame in np.unique(tree.frame[parents]).tolist() if frame not in case.guilty]


def _verdicts(plan: Plan, name: str, place: int, numbers: tuple[int, ...]) -> Counter[str]:
    counts = Counter[str]()
    for number in numbers:
        random = np.random.default_rng([SEED, place, number])
        case = CASES[name](random, plan)
        innocent = random.integers(0, case.profiles.tree.frames, _TOUCHED_INNOCENT).tolist()
        counts["cases"] += 1
        ours, moved = _blamed(case.profiles, None)
        with_diff, _ = _blamed(case.profiles, _touched(case, [*case.guilty, *innocent]))
        with_callers, _ = _blamed(case.profiles, _touched(case, [*_callers(case), *innocent]))
        for way, blamed in (
            ("pooled shares, z", pooled_shares(case.profiles)),
            ("paired shares, t", paired_shares(case.profiles)),
            ("Pacecar", ours),
            ("Pacecar with the diff", with_diff),
            ("Pacecar with a diff of the callers", with_callers),
        ):
            counts[f"{way}: any false"] += bool(set(blamed) - case.guilty)
            counts[f"{way}: named"] += len(blamed)
            counts[f"{way}: falsely named"] += len(set(blamed) - case.guilty)
            counts[f"{way}: found"] += bool(case.guilty & set(blamed))
            counts[f"{way}: first"] += bool(case.guilty & set(blamed[:1]))
        counts["Pacecar: told as moved"] += bool(case.moved) and not ours and len(moved & case.moved) >= 2
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    started = time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        results = [{**asdict(plan), "cases": _results(pool, plan, options.cases)} for plan in PLANS]
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(
        json.dumps({"seconds": round(time.monotonic() - started), "plans": results}, indent=2) + "\n"
    )


def _results(pool: Executor, plan: Plan, cases: int) -> dict[str, Any]:
    parts = [tuple(range(start, min(start + 25, cases))) for start in range(0, cases, 25)]
    results = {}
    for place, name in enumerate(CASES):
        counts = Counter[str]()
        for part in pool.map(partial(_verdicts, plan, name, place), parts):
            counts.update(part)
        results[name] = _summary(counts)
        print(plan, name, json.dumps(results[name]), flush=True)
    return results


def _summary(counts: Counter[str]) -> dict[str, Any]:
    total = counts.pop("cases")
    summary: dict[str, Any] = {"cases": total}
    for key, count in sorted(counts.items()):
        way, _, what = key.partition(": ")
        if what == "named":
            summary[f"{way}: false discoveries"] = round(counts[f"{way}: falsely named"] / max(1, count), 4)
        elif what != "falsely named":
            interval = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
            summary[key] = [round(value, 4) for value in (count / total, interval.low, interval.high)]
    return summary


if __name__ == "__main__":
    main()
