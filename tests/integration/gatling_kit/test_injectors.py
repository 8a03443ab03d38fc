"""Real Gatlings that share one load, seen from the servers: together they send what one alone would."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from integration.gatling_kit.sides import ORDER, PLAN, SCENARIO, Servers
from pacecar.measurement.load import load_run
from pacecar.measurement.load.errors import InjectorLost
from pacecar.measurement.load.gatling.generator import Gatling
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import LoadModel, Scenario


def sent(
    servers: Servers, generator: Generator, folder: Path, *, injectors: int, scenario: Scenario = SCENARIO
) -> tuple[LoadRun, pd.DataFrame]:
    """What was sent in windows, with the time since the start of load at which each request was due."""
    servers.seen.clear()
    load = SlicedLoad(plan=PLAN, order=ORDER, urls=servers.urls, seed=7)
    gatling = Gatling(scenario, process=generator)
    with load_run.sliced(gatling, folder / str(injectors), load, injectors=injectors) as run:
        clock = run.await_clock(60)
        run.finish(60)
    tables = [record.arrivals().assign(injector=record.injector) for record in run.records()]
    table = pd.concat(tables, ignore_index=True)
    return run, table.assign(due_us=((table["due_ns"] - clock.load_start_ns) / 1e3).round()).sort_values("due_us")


def test_the_union_is_the_load_of_one(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    _, alone = sent(servers, generator, tmp_path, injectors=1)
    asked_alone = Counter((seen.side, seen.what) for seen in servers.seen)
    _, shared = sent(servers, generator, tmp_path, injectors=3)
    asked_shared = Counter((seen.side, seen.what) for seen in servers.seen)

    columns = ["slice", "side", "endpoint", "due_us"]
    pd.testing.assert_frame_equal(alone[columns].reset_index(drop=True), shared[columns].reset_index(drop=True))
    assert asked_shared == asked_alone, "with the same data, in the warm-up too"
    assert shared["number"].is_unique
    assert set(shared["injector"]) == {0, 1, 2}
    of_sides = [Counter(rows["injector"]) for _, rows in shared.groupby("slice")]
    assert of_sides[ORDER.index(Side.BASELINE)] == of_sides[ORDER.index(Side.CANDIDATE)]


def test_users_are_shared_too(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    scenario = replace(SCENARIO, model=LoadModel.CLOSED, users=3, think_time_s=0.01)
    _, shared = sent(servers, generator, tmp_path, injectors=2, scenario=scenario)
    busy = shared.groupby("injector").size()
    assert busy[0] > busy[1] > 0, "two users and one"


def test_a_burst_ends_early_for_all(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    plan = replace(PLAN, warmup_s=60, burst_s=59, steady=True)
    with load_run.sliced(Gatling(SCENARIO, process=generator), tmp_path, _load(servers, plan), injectors=2) as run:
        begun = run.await_clock(60)
        while min(run.sent().get(side, 0) for side in Side) < 20:
            time.sleep(0.1)
        run.end_burst()
        while not (clock := run.clock()) or not clock.final:
            time.sleep(0.1)
        run.finish(60)
    assert begun.measure_start_ns - clock.measure_start_ns > 20_000_000_000
    for record in run.records():
        arrivals = record.arrivals()
        starts_ns = clock.measure_start_ns + arrivals["slice"] * 1_500_000_000
        assert (arrivals["due_ns"] >= starts_ns - 1_000).all()
        assert (arrivals["due_ns"] < starts_ns + 1_000_000_000).all()


def test_one_that_is_killed_takes_the_load_with_it(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    plan = replace(PLAN, warmup_s=10)
    with load_run.sliced(Gatling(SCENARIO, process=generator), tmp_path, _load(servers, plan), injectors=2) as run:
        run.await_clock(60)
        killed = run.injectors[1]
        assert isinstance(killed, GatlingRun)
        os.kill(killed.pid, signal.SIGKILL)
        while not run.over:
            time.sleep(0.02)
        with pytest.raises(InjectorLost, match=r"Injector 2 of 2 was killed by SIGKILL\."):
            run.finish(timeout_s=0)
    assert all(injector.poll() is not None for injector in run.injectors), "the other one was ended"


def _load(servers: Servers, plan: Plan) -> SlicedLoad:
    return SlicedLoad(plan=plan, order=ORDER, urls=servers.urls, seed=7)
