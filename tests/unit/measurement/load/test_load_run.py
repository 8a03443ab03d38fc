"""Several processes that share a load, conducted as one; shell scripts stand in the place of `java`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling.plan import BURST_END_FILE, CLOCK_FILE, PROGRESS_FILE
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import Clock, LoadShare
from pacecar.measurement.load.load_run import LoadRun
from pacecar.model.experiment import Side
from pacecar.system.resources import Resources

#: Says that it is ready, waits for the moment, and announces it.
OBEYS = """
echo '{"leadMs": 200}' > ready.partial; mv ready.partial ready.json
until [ -f begin ]; do sleep 0.01; done
printf '{"loadStartMs": %s, "measureStartMs": %s, "sliceMs": 5, "gapMs": 1, "final": false}' \
  $(cat begin) $(($(cat begin) + 9000)) > clock.partial
mv clock.partial clock.json
"""


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    with Resources() as resources:
        yield resources


@pytest.fixture
def started() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def conducted(resources: Resources, started: ExitStack, folder: Path, *scripts: str) -> LoadRun:
    """Injectors that share a load, each a script of these."""
    runs = []
    for index, script in enumerate(scripts):
        own = folder / f"injector-{index}"
        own.mkdir()
        java = folder / f"java-{index}"
        java.write_text(f"#!/bin/sh\n{script}\n")
        java.chmod(0o755)
        run = GatlingRun.start_sliced(
            own / "plan.json",
            simulation="shop.Browsing",
            generator=Generator(resources=resources, classpath=(), java=java),
            share=LoadShare(index=index, of=len(scripts)),
        )
        runs.append(started.enter_context(run))
    return LoadRun(injectors=tuple(runs))


def announce(run: LoadRun, index: int, *, measured_ms: int, final: bool) -> None:
    values = {"loadStartMs": 1000, "measureStartMs": measured_ms, "sliceMs": 5, "gapMs": 1, "final": final}
    (folder_of(run, index) / CLOCK_FILE).write_text(json.dumps(values))


def folder_of(run: LoadRun, index: int) -> Path:
    injector = run.injectors[index]
    assert isinstance(injector, GatlingRun)
    return injector.folder


def test_all_begin_at_one_moment_that_each_can_keep(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, f"{OBEYS} sleep 60", f"sleep 0.3; {OBEYS} sleep 60")
    before_ns = time.time_ns()

    clock = run.await_clock(20)

    assert clock.load_start_ns >= before_ns + 500_000_000, "the second one was not ready before"
    assert clock.load_start_ns % 1_000_000 == 0
    assert clock.measure_start_ns == clock.load_start_ns + 9_000_000_000
    assert not run.over
    assert len({injector.pid for injector in run.injectors if isinstance(injector, GatlingRun)}) == 2
    assert run.cpu_ns() > 0


def test_one_that_never_gets_ready_is_named(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, f"{OBEYS} sleep 60", "sleep 60")
    with pytest.raises(LoadError, match=r"Injector 2 of 2 did not start its load within 1 s") as caught:
        run.await_clock(1)
    assert "injector-1" in str(caught.value.hint)


def test_one_that_is_killed_before_the_load_begins_is_lost(
    resources: Resources, started: ExitStack, tmp_path: Path
) -> None:
    run = conducted(resources, started, tmp_path, f"{OBEYS} sleep 60", "kill -KILL $$")
    with pytest.raises(InjectorLost, match=r"Injector 2 of 2 was killed by SIGKILL\.") as caught:
        run.await_clock(20)
    assert caught.value.injector == 1


def test_one_that_fails_ends_all(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "exit 1")
    while not run.over:
        time.sleep(0.01)
    assert run.injectors[0].poll() is None
    with pytest.raises(LoadError, match="exit status 1"):
        run.finish(timeout_s=0)


def test_those_that_end_well_are_waited_for(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "exit 0", "sleep 0.2; exit 2")
    run.finish(20)
    assert run.over


def test_the_end_of_one_alone_is_before_its_time(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "exit 0")
    while run.injectors[1].poll() is None:
        time.sleep(0.01)
    assert not run.over
    with pytest.raises(LoadError, match="Injector 2 of 2 ended too early"):
        run.require_going()


def test_the_clock_is_final_when_it_is_for_all(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "sleep 60")
    assert run.clock() is None
    announce(run, 0, measured_ms=9_000, final=True)
    assert run.clock() is None
    announce(run, 1, measured_ms=20_000, final=False)
    assert run.clock() == Clock(
        load_start_ns=10**9, measure_start_ns=20 * 10**9, slice_ns=5_000_000, gap_ns=1_000_000, final=False
    )
    announce(run, 1, measured_ms=9_000, final=True)
    found = run.clock()
    assert found is not None
    assert found.final


def test_clocks_that_differ_are_an_error(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "sleep 60")
    announce(run, 0, measured_ms=9_000, final=True)
    announce(run, 1, measured_ms=9_250, final=True)
    with pytest.raises(InjectorLost, match=r"Injector 2 of 2 is out of step .* begin 0\.250 s later"):
        run.clock()


def test_the_burst_ends_for_all_at_the_same_moment(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "sleep 60")
    before_ns = time.time_ns()
    run.end_burst()
    run.end_burst()
    moments = {int((folder_of(run, index) / BURST_END_FILE).read_text()) for index in range(2)}
    assert len(moments) == 1
    assert moments.pop() * 1_000_000 >= before_ns + 500_000_000


def test_what_was_sent_adds_up(resources: Resources, started: ExitStack, tmp_path: Path) -> None:
    run = conducted(resources, started, tmp_path, "sleep 60", "sleep 60")
    (folder_of(run, 0) / PROGRESS_FILE).write_text("1.0,baseline,3\n1.0,candidate,4\n")
    (folder_of(run, 1) / PROGRESS_FILE).write_text("1.0,baseline,10\n")
    assert run.sent() == {Side.BASELINE: 13, Side.CANDIDATE: 4}
