"""The quick tier of the kit: blocks that wait to be opened, one request at a time, the same on both sides."""

from __future__ import annotations

import time
from dataclasses import replace

import pandas as pd
import pytest

from integration.gatling_kit.sides import ORDER, PLAN, SCENARIO, Seen, Servers
from pacecar.measurement.load.gatling.plan import write_plan
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.model.experiment import Side
from pacecar.model.tiers import Blocks, Tier


@pytest.fixture(scope="module")
def blocks(
    both_sides: Servers, generator: Generator, tmp_path_factory: pytest.TempPathFactory
) -> tuple[tuple[str, ...], list[list[Seen]], pd.DataFrame]:
    both_sides.seen.clear()
    plan = replace(PLAN, tier=Tier.QUICK, blocks=Blocks(requests=6))
    load = SlicedLoad(plan=plan, order=ORDER[:2], urls=both_sides.urls, seed=20_261_121)
    plan_file = write_plan(tmp_path_factory.mktemp("blocks") / "plan.json", load, scenario=SCENARIO)
    seen: list[list[Seen]] = []
    with GatlingRun.start_sliced(plan_file, simulation=SCENARIO.simulation, generator=generator) as run:
        LoadRun(injectors=(run,)).await_clock(60)
        assert run.blocks().operations == 2
        for number in range(4):
            time.sleep(0.3)
            assert len(both_sides.seen) == 12 * number  # nothing is sent before its block is opened
            run.open_blocks(number + 1)
            deadline = time.monotonic() + 60
            while len(run.blocks().answered) <= number and time.monotonic() < deadline:
                time.sleep(0.01)
            seen.append(both_sides.seen[12 * number :])
        run.end_blocks()
        run.finish(60)
    return run.blocks().answered, seen, run.record().arrivals()


def test_each_block_is_one_endpoint_there_and_back(blocks) -> None:
    answered, seen, _ = blocks
    there, back = "GET /orders", "POST /orders, #{x}"
    assert answered == (there, back, back, there)
    assert [{request.what[0] for request in block} for block in seen] == [{"GET"}, {"POST"}, {"POST"}, {"GET"}]


def test_both_sides_and_all_blocks_of_an_endpoint_get_the_same_in_the_same_order(blocks) -> None:
    _, seen, _ = blocks
    asked = [
        [[request.what for request in block if request.side is side] for side in (Side.BASELINE, Side.CANDIDATE)]
        for block in seen
    ]
    assert all(baseline == candidate and len(baseline) == 6 for baseline, candidate in asked)
    assert asked[0] == asked[3]
    assert asked[1] == asked[2]
    assert len(set(asked[0][0])) > 3


def test_what_was_sent_is_told_by_the_window_of_its_side(blocks) -> None:
    _, _, arrivals = blocks
    sides = arrivals.groupby("slice")["side"].unique().str[0].tolist()
    assert sides == [ORDER[0].value, ORDER[1].value] * 4
    assert (arrivals.groupby("slice").size() == 6).all()
    assert arrivals["took_ms"].notna().all()
