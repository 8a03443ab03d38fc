"""The loop that tells how fast a core runs: a real process, and what its lines say."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pacecar.measurement.probes import pace_loop
from pacecar.measurement.probes.pace import MOST_CORES, Pace, paced
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES
from pacecar.system.resources import Resources
from support.watchdogs import WATCHDOG_S, line_of


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    with Resources() as resources:
        yield resources


def window(index: int, start_ns: int, end_ns: int) -> Window:
    return Window(index=index, side=Side.BASELINE, start_ns=start_ns, end_ns=end_ns)


def lines_of(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_loop_runs_on_each_core_and_ends(resources: Resources, tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))[:2]
    began_ns = time.time_ns()
    with paced(cores, resources=resources, folder=tmp_path / "pace") as pace:
        loops = [child for child in psutil.Process().children() if pace_loop.__file__ in child.cmdline()]
        assert sorted(loop.cpu_affinity() for loop in loops) == [[core] for core in cores]
        until = time.monotonic() + WATCHDOG_S
        while min(map(lines_of, pace.logs.values())) < 5 and time.monotonic() < until:
            time.sleep(0.05)
        assert {os.sched_getscheduler(loop.pid) for loop in loops} == {os.SCHED_IDLE}
        ended_ns = time.time_ns()
    assert not any(loop.is_running() for loop in loops)

    found = pace.table([window(0, began_ns, ended_ns), window(1, ended_ns + 10**12, ended_ns + 10**13)])
    assert found.dtypes.astype(str).to_dict() == TABLES["pace"]
    assert found["core"].tolist() == [*cores, *cores]
    assert (found.loc[found["window"] == 0, "loops"] >= 5).all()
    assert (found.loc[found["window"] == 0, "loop_ns"] > 1_000).all()
    assert (found.loc[found["window"] == 1, "loops"] == 0).all()
    assert found.loc[found["window"] == 1, "loop_ns"].isna().all()


def test_a_few_cores_are_watched_on_a_large_machine(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = []  # this machine may have fewer cores
    monkeypatch.setattr(resources, "spawn", lambda _, **told: watched.append(told["cpus"]))
    monkeypatch.setattr(resources, "release", lambda _: 0)
    with paced(range(3 * MOST_CORES), resources=resources, folder=tmp_path) as pace:
        assert watched == [(core,) for core in range(MOST_CORES)]
    assert list(pace.logs) == list(range(MOST_CORES))


def test_a_loop_ends_with_whoever_started_it(tmp_path: Path) -> None:
    log = tmp_path / "pace.log"
    starts = (
        "import os, subprocess, sys, time\n"
        "loop = subprocess.Popen([*sys.argv[2:], str(os.getpid())], stdout=open(sys.argv[1], 'w'))\n"
        "print(loop.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", starts, str(log), sys.executable, "-I", "-S", pace_loop.__file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        try:
            loop = psutil.Process(int(line_of(starter)))
            until = time.monotonic() + WATCHDOG_S
            while lines_of(log) < 2 and time.monotonic() < until:
                time.sleep(0.05)
            assert loop.is_running()
        finally:
            starter.kill()
    assert lines_of(log) >= 2
    psutil.wait_procs([loop], timeout=WATCHDOG_S)
    assert not loop.is_running()


def test_what_is_no_line_of_two_numbers_does_not_count(tmp_path: Path) -> None:
    log = tmp_path / "pace-3.log"
    log.write_text("100 5000\nTraceback (most recent call last):\n200 20000\n250 0\n300 x\n\n400 12")
    (row,) = Pace(logs={3: log}).table([window(7, 50, 500)]).itertuples(index=False)
    assert (row.window, row.core, row.loops) == (7, 3, 2)
    assert row.loop_ns == pytest.approx(10_000)
