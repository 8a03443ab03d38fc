"""What shorter sides would do: recorded pairs, of which only the first windows of each side count.

    python -m benchmarks.verdict.shorter           # results/shorter.json
    python -m benchmarks.verdict.shorter table     # the table of the README

A pair with fewer windows takes as many minutes less as the windows and gaps that are left out. For each number of
windows per side, this program gives the noise of identical builds (the root mean square of the log-ratios of all
pairs), and whole verdicts as first runs, judged as in `real.py`, of as many pairs as fit into 20 minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.verdict.kept import Kept
from benchmarks.verdict.plans import METRICS, changes
from benchmarks.verdict.real import Rules, in_turn, summary
from benchmarks.verdict.services import HERE, SAME, SERVICES, Service
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.validity.pairs import sift
from pacecar.inputs.config import load
from pacecar.model.experiment import Plan, Side
from pacecar.model.recording import Window

RESULTS = HERE / "results" / "shorter.json"
WINDOWS = (14, 10, 8, 6)
_MINUTES = 20.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=["table"])
    if parser.parse_args().command == "table":
        print(_table(json.loads(RESULTS.read_text())))
        return
    found = {name: {str(count): _of(service, count) for count in WINDOWS} for name, service in SERVICES.items()}
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(_table(found))


def _of(service: Service, count: int) -> dict[str, Any]:
    plan = load(service.configuration).plan
    builds = {name: [_shortened(each, count, plan) for each in service.pairs(name)] for name in (SAME, *service.seeded)}
    minutes = float(np.mean([each.minutes for each in builds[SAME]]))
    rules = Rules(criteria=service.criteria(), most=int(_MINUTES // minutes), minutes=_MINUTES)
    return {
        "minutes per pair": round(minutes, 2),
        "noise": _noise(builds[SAME]),
        "verdicts": {name: summary(in_turn(pairs, rules)) for name, pairs in builds.items()},
    }


def _shortened(each: Kept, count: int, plan: Plan) -> Kept:
    record = each.pair.record
    first = [window for side in Side for window in _of_side(record.windows, side)[:count]]
    left_out = len(record.windows) - len(first)
    return replace(
        each,
        minutes=each.minutes - left_out * (plan.slice_s + plan.gap_s) / 60,
        pair=replace(each.pair, record=replace(record, windows=tuple(sorted(first, key=lambda each: each.index)))),
    )


def _of_side(windows: Sequence[Window], side: Side) -> list[Window]:
    return [window for window in windows if window.side is side]


def _noise(pairs: Sequence[Kept]) -> dict[str, float]:
    sound = sift([each.pair for each in pairs]).taking_part
    rows = [changes(*(MeasuredFork.of(pair, side) for side in Side)) for pair in sound]
    return {metric: round(float(np.sqrt(np.mean([row[metric] ** 2 for row in rows]))), 4) for metric in METRICS}


def _table(found: dict[str, Any]) -> str:
    """The results as rows of the README."""
    heads = ["service", "windows per side", "minutes per pair", *METRICS, "identical builds", "builds made worse"]
    lines = ["| " + " | ".join(heads) + " |", "| -- |" + " -: |" * (2 + len(METRICS)) + " -- | -- |"]
    for name, by_count in found.items():
        for count, of in by_count.items():
            noise = [f"{100 * of['noise'][metric]:.1f} %" for metric in METRICS]
            worse = [part for build, each in of["verdicts"].items() if build != SAME for part in _told(build, each)]
            cells = [name, count, str(of["minutes per pair"]), *noise, *_told("", of["verdicts"][SAME])]
            lines.append(f"| {' | '.join([*cells, '; '.join(worse)])} |")
    return "\n".join(lines)


def _told(build: str, of: dict[str, Any]) -> list[str]:
    if not of:
        return []
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in of["verdicts"].items())
    return [f"{build} {verdicts} in {of['minutes']['median']:.3g} min".strip()]


if __name__ == "__main__":
    main()
