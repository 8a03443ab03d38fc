"""What CPU per request and typical latency follow from pair to pair: the machine's pace, and the compilers' work.

    .venv/bin/python -m benchmarks.noise.followed keep NAME RUN...   # pairs of such runs into recorded/orders-cold/NAME
    .venv/bin/python -m benchmarks.noise.followed table              # of all pairs that are kept there

Pairs of one run differ by chance alone: the table is of the differences between the sides of a pair, less their mean
over the pairs of the run.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.verdict.kept import RECORDED, keep, kept
from pacecar.analysis.metrics.endpoints import in_one_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.pace import at_one_pace, log_pace
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Reading, Value
from pacecar.archive.runs import RunDirectory
from pacecar.model.comparison import Metric
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

_FOLDER = "orders-cold"
_METRICS = ("cpu", "latency.typical")
_Vector = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("keep")
    keeping.add_argument("name", metavar="NAME", help="of the build")
    keeping.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    commands.add_parser("table")
    options = parser.parse_args()
    if options.command == "keep":
        keep(f"{_FOLDER}/{options.name}", [RunDirectory.open(run) for run in options.runs])
        return
    print(_table(sorted(folder.name for folder in (RECORDED / _FOLDER).iterdir())))


def _table(names: Sequence[str]) -> str:
    runs = [run for name in names for run in _runs(name)]
    pace, jit = (
        np.concatenate([_centred(each) for each in values]) for values in zip(*map(_beside, runs), strict=True)
    )
    degrees = len(pace) - len(runs)
    lines = [
        f"{len(pace)} pairs of {len(runs)} runs, {degrees} degrees of freedom; SD between the sides of a pair\n",
        "| metric | as measured | at one pace | r with pace | r with JIT | less a line on JIT | on JIT, after pace |",
        "| -- | -: | -: | -: | -: | -: | -: |",
    ]
    for name in _METRICS:
        measured, evened = (np.concatenate([_centred(each) for each in both]) for both in _of(name, runs))
        cells = [
            f"{_sd(measured, degrees):.1%}",
            f"{_sd(evened, degrees):.1%}",
            f"{np.corrcoef(measured, pace)[0, 1]:.2f}",
            f"{np.corrcoef(measured, jit)[0, 1]:.2f}",
            f"{_sd(_less(measured, jit), degrees - 1):.1%}",
            f"{_sd(_less(evened, jit), degrees - 1):.1%}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _runs(name: str) -> list[list[Pair]]:
    """The pairs of each run."""
    there = kept(f"{_FOLDER}/{name}")
    return [[each.pair for each in there if each.run == run] for run in sorted({each.run for each in there})]


def _forks(pairs: Sequence[Pair]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    sides = ([MeasuredFork.of(pair, side) for pair in pairs] for side in (Side.BASELINE, Side.CANDIDATE))
    return list(zip(*in_one_mix(*sides), strict=True))


def _beside(pairs: Sequence[Pair]) -> tuple[_Vector, _Vector]:
    """Of each pair, candidate less baseline: the logarithm of the loop's time, and ms of JIT compilers per request."""
    forks = _forks(pairs)
    pace = [log_pace(after) - log_pace(before) for before, after in forks]
    return np.array(pace), np.array([_compiled_ms(after) - _compiled_ms(before) for before, after in forks])


def _compiled_ms(fork: MeasuredFork) -> float:
    reading = fork.per_request("jit_cpu_ns", factor=1e-6)
    return reading.amount if isinstance(reading, Value) else math.nan


def _of(name: str, runs: Sequence[Sequence[Pair]]) -> tuple[list[_Vector], list[_Vector]]:
    """Of each run the logarithms of candidate / baseline of its pairs: as they were measured, and at one pace."""
    measured, evened = [], []
    for pairs in runs:
        forks = _forks(pairs)
        read = [(readings(before, ()), readings(after, ())) for before, after in forks]
        measured.append(_changes(name, read))
        evened.append(_changes(name, at_one_pace(forks, read).pairs))
    return measured, evened


def _changes(name: str, pairs: Sequence[tuple[dict[Metric, Reading], dict[Metric, Reading]]]) -> _Vector:
    return np.array([_log(name, after) - _log(name, before) for before, after in pairs])


def _log(name: str, read: dict[Metric, Reading]) -> float:
    (found,) = (reading for metric, reading in read.items() if metric.name == name and not metric.endpoint)
    return math.log(found.amount) if isinstance(found, Value) else math.nan


def _centred(values: _Vector) -> _Vector:
    centred: _Vector = values - values.mean()
    return centred


def _less(values: _Vector, beside: _Vector) -> _Vector:
    """`values` without what a line on `beside` through the same values says, so rather too little is left."""
    left: _Vector = values - beside * float(values @ beside) / float(beside @ beside)
    return left


def _sd(values: _Vector, degrees: int) -> float:
    return math.sqrt(float(values @ values) / degrees)


if __name__ == "__main__":
    main()
