"""CPU time and memory of commands that measure nothing, compared with a bare interpreter and another commit.

    python -m benchmarks.prompt.commands --run .pacecar/runs/ID --against COMMIT

Every command runs in fresh processes, from this checkout and from the other commit in turn, so that other work on the
machine affects both. CPU time and peak memory are the kernel's figures for the process and its children. They are
medians, given as ratios to the start of a bare interpreter and to the other commit. Each commit judges its own copy of
the run, and the results say which of the written files are the same. They go to `results/commands.json` beside this
file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

_ROOT = Path(__file__).resolve().parents[2]
_RESULTS = Path(__file__).resolve().parent / "results" / "commands.json"
_WRITTEN = ("document.json", "profiles.json")
_TIMES = 5


@dataclass(frozen=True, kw_only=True)
class Cost:
    """CPU seconds and peak memory in MB of one process."""

    cpu_s: float
    memory_mb: float


def main() -> None:
    """Run every command, compare, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of a recorded run")
    parser.add_argument("--against", required=True, help="the other commit")
    parser.add_argument("--times", type=int, default=_TIMES)
    asked = parser.parse_args()
    commands = {
        "pacecar --version": ["--version"],
        "pacecar --help": ["--help"],
        "pacecar runs list": ["runs", "list"],
        "pacecar judge": ["judge", asked.run.name, "--fail-on", "nothing"],
    }
    _end_in_order()
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        roots = {"ours": _ROOT, "other": _checked_out(asked.against, Path(folder) / "tree")}
        sides = {name: (root, _project(Path(folder) / name, asked.run)) for name, root in roots.items()}
        bare = _median([_cost([sys.executable, "-c", ""], Path(folder), {}) for _ in range(asked.times)])
        rows = [
            _row(command, _in_turn(sides, arguments, times=asked.times), bare=bare)
            for command, arguments in commands.items()
        ]
        same = _same([project for _, project in sides.values()], asked.run.name)
    figures = {
        "load_average": round(os.getloadavg()[0], 1),
        "against": _git("rev-parse", f"{asked.against}^{{commit}}").decode().strip(),
        "pairs": len(list((asked.run / "pairs").iterdir())),
        "same": same,
        "bare_interpreter": {"cpu_s": round(bare.cpu_s, 3), "memory_mb": round(bare.memory_mb)},
        "commands": rows,
    }
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    print("same:", same)


def _end_in_order() -> None:
    """Leave nothing behind when the benchmark is ended: by default, SIGTERM skips every `finally`."""

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _checked_out(commit: str, folder: Path) -> Path:
    """The files of another commit in `folder`. Not as a worktree, of which the repository would have to be told."""
    packed = folder.with_suffix(".tar")
    _git("archive", f"--output={packed}", commit)
    with tarfile.open(packed) as files:
        files.extractall(folder, filter="data")
    return folder


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(_ROOT), *arguments], check=True, stdout=subprocess.PIPE).stdout


def _project(folder: Path, run: Path) -> Path:
    """A folder whose archive has a copy of `run` without raw files, as it was before it was judged."""
    copy = folder / ".pacecar" / "runs" / run.name
    shutil.copytree(run, copy, ignore=shutil.ignore_patterns("raw", *_WRITTEN))
    return folder


def _in_turn(sides: dict[str, tuple[Path, Path]], arguments: list[str], *, times: int) -> dict[str, Cost]:
    """What a command costs on each side. The first round writes bytecode and does not count."""
    found: dict[str, list[Cost]] = {name: [] for name in sides}
    for turn in range(times + 1):
        for name, (root, project) in sides.items():
            cost = _cost([sys.executable, "-m", "pacecar", *arguments], project, {"PYTHONPATH": str(root / "harness")})
            found[name] += [cost] if turn else []
    return {name: _median(costs) for name, costs in found.items()}


def _cost(command: list[str], folder: Path, environment: dict[str, str]) -> Cost:
    """Run a command to its end, in a process of which only it is waited for.

    A process begins with the peak memory of the one that started it, so this one imports no large library.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        command, cwd=folder, env=inherited | environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed: {said.decode(errors='replace')}")
    return _cost_of(used)


def _cost_of(used: resource.struct_rusage) -> Cost:
    return Cost(cpu_s=used.ru_utime + used.ru_stime, memory_mb=used.ru_maxrss / 1024)


def _median(costs: list[Cost]) -> Cost:
    middle: Callable[[list[float]], float] = statistics.median
    return Cost(cpu_s=middle([cost.cpu_s for cost in costs]), memory_mb=middle([cost.memory_mb for cost in costs]))


def _row(command: str, found: dict[str, Cost], *, bare: Cost) -> dict[str, object]:
    ours, other = found["ours"], found["other"]
    return {
        "command": command,
        "cpu_s": round(ours.cpu_s, 2),
        "cpu_to_bare": round(ours.cpu_s / bare.cpu_s, 1),
        "cpu_to_other": round(ours.cpu_s / other.cpu_s, 2),
        "memory_mb": round(ours.memory_mb),
        "memory_to_bare": round(ours.memory_mb / bare.memory_mb, 1),
        "memory_to_other": round(ours.memory_mb / other.memory_mb, 2),
    }


def _same(projects: list[Path], run: str) -> dict[str, bool]:
    """File -> whether it is identical in both judged copies, byte by byte."""
    folders = [project / ".pacecar" / "runs" / run for project in projects]
    return {name: len({(folder / name).read_bytes() for folder in folders}) == 1 for name in _WRITTEN}


if __name__ == "__main__":
    main()
