"""What a run loses when one injector is killed at a random moment of a pair's windows, in ten pairs.

    PYTHONPATH=tests python -m benchmarks.injectors.kills --kills 10

Compares a one-class service with itself, with two injectors that share the load, and kills one of them in two of three
pairs. Prints a line per pair and writes `results/kills.json` beside this file. The exit status is 1 if other pairs were
lost than those with a killed injector, or if too few injectors were killed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from support.small_service import SmallService

_RESULTS = Path(__file__).resolve().parent / "results" / "kills.json"
_INJECTORS = 2
#: Windows of a pair take so long, with the gaps between them.
_WINDOWS_S = 6.0


def main() -> None:
    """Measure pairs until that many of them have lost an injector."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    kills = parser.parse_args().kills
    # Never three in a row, which ends a run.
    doomed = [number for number in range(1, 2 * kills) if number % 3][:kills]
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        service = SmallService(Path(folder))
        service.commit("As it was at first")
        _configure(Path(folder), pairs=doomed[-1] + 1)
        killed = _measure(Path(folder), doomed)
        (document,) = Path(folder).glob(".pacecar/runs/*/document.json")
        pairs = json.loads(document.read_text())["pairs"]
    lost = {pair["number"]: pair["voided"] for pair in pairs if "was killed by SIGKILL" in (pair["voided"] or "")}
    for pair in pairs:
        print(f"pair {pair['number']}: {killed.get(pair['number'], 'left alone')}; {pair['voided'] or 'takes part'}")
    figures = {"pairs": len(pairs), "killed": len(killed), "lost": len(lost), "the_same": set(lost) == set(killed)}
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
    print(figures)
    sys.exit(not figures["the_same"] or len(killed) < kills)


def _configure(folder: Path, *, pairs: int) -> None:
    config = folder / "pacecar.toml"
    text = config.read_text().replace("pairs = 6", f"pairs = {pairs}\nstop_early = false")
    config.write_text(text.replace('rate = "100/s"', f'rate = "100/s"\ninjectors = {_INJECTORS}'))


def _measure(folder: Path, doomed: list[int]) -> dict[int, str]:
    """Which injector was killed in each pair, and when."""
    draw = random.Random(1)
    same = ("--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true", "--fail-on", "nothing")
    command = [sys.executable, "-m", "pacecar", "compare", *same]
    killed: dict[int, str] = {}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        for number in doomed:
            waits_s, injector = draw.uniform(0.0, _WINDOWS_S), draw.randrange(_INJECTORS)
            found: list[int] = []
            while run.poll() is None and len(found) < _INJECTORS:
                time.sleep(0.05)
                found = _measuring(run, f"-p{number}")
            if not found:
                break
            time.sleep(waits_s)
            with suppress(ProcessLookupError):
                os.kill(found[injector], signal.SIGKILL)
                killed[number] = f"injector {injector + 1} killed {waits_s:.1f} s after the warm-up's end was known"
    return killed


def _measuring(run: subprocess.Popen[bytes], pair: str) -> list[int]:
    """The injectors of that pair whose windows are known, in order."""
    found = {}
    for process in psutil.Process(run.pid).children(recursive=True):
        with suppress(psutil.Error, OSError, ValueError):
            folder = Path(process.cwd())
            if (
                any(part.endswith(pair) for part in folder.parts)
                and json.loads((folder / "clock.json").read_text())["final"]
            ):
                found[folder] = process.pid
    return [found[folder] for folder in sorted(found)]


if __name__ == "__main__":
    main()
