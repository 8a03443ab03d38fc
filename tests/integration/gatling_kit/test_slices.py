"""Real Gatling against two real HTTP servers: what the kit promises, seen from the servers."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest

from integration.gatling_kit.sides import ORDER, PLAN, SCENARIO, Seen, Servers
from pacecar.measurement.load.gatling.plan import write_plan
from pacecar.measurement.load.gatling.run import Clock, GatlingRun, Generator, LoadError
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import LoadModel, Scenario

SEED = 20_261_121


@dataclass(frozen=True)
class Outcome:
    """What a sliced run left: its files, and the requests of its slices as the servers saw them."""

    run: GatlingRun
    clock: Clock
    arrivals: pd.DataFrame
    measured: list[Seen]
    warmup: list[Seen]

    def slice_of(self, side: Side, turn: int) -> int:
        return [index for index, at in enumerate(ORDER) if at is side][turn]

    def planned(self, side: Side, turn: int) -> pd.DataFrame:
        index = self.slice_of(side, turn)
        rows = self.arrivals[self.arrivals["slice"] == index].sort_values("due_ms")
        start_ns = self.clock.measure_start_ns + index * (self.clock.slice_ns + self.clock.gap_ns)
        return pd.DataFrame({"endpoint": rows["endpoint"], "offset_ms": (rows["due_ms"] - start_ns / 1e6).round(3)})

    def received(self, side: Side, turn: int) -> list[tuple[str, str, str]]:
        """Requests of a slice; which slice a request belongs to is known from how many there were before it."""
        of_side = [seen.what for seen in self.measured if seen.side is side]
        counts = [int((self.arrivals["slice"] == self.slice_of(side, earlier)).sum()) for earlier in range(turn + 1)]
        return of_side[sum(counts[:-1]) : sum(counts)]


def load_on(servers: Servers, *, plan: Plan = PLAN, seed: int = 1) -> SlicedLoad:
    return SlicedLoad(plan=plan, order=ORDER, urls=servers.urls, seed=seed)


def sliced(scenario: Scenario, *, servers: Servers, generator: Generator, folder: Path) -> Outcome:
    plan_file = write_plan(folder / "plan.json", load_on(servers, seed=SEED), scenario=scenario)
    with GatlingRun.start_sliced(plan_file, simulation=scenario.simulation, generator=generator) as run:
        clock = LoadRun(injectors=(run,)).await_clock(60)
        run.finish(60)
    arrivals = pd.read_csv(run.arrivals_path)
    seen = sorted(servers.seen, key=lambda seen: seen.time_ns)
    before = len(seen) - len(arrivals)
    return Outcome(run, clock, arrivals, seen[before:], seen[:before])


@pytest.fixture(scope="module")
def open_model(both_sides: Servers, generator: Generator, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    both_sides.seen.clear()
    return sliced(SCENARIO, servers=both_sides, generator=generator, folder=tmp_path_factory.mktemp("open"))


class TestOpenModel:
    def test_the_same_turn_of_both_sides_gets_the_same_requests_at_the_same_offsets(self, open_model: Outcome) -> None:
        for turn in range(2):
            baseline, candidate = (open_model.planned(side, turn) for side in Side)
            assert len(baseline) > 10
            pd.testing.assert_frame_equal(
                baseline.reset_index(drop=True), candidate.reset_index(drop=True), rtol=0, atol=0.0015
            )
            assert Counter(open_model.received(Side.BASELINE, turn)) == Counter(
                open_model.received(Side.CANDIDATE, turn)
            )

    def test_turns_differ(self, open_model: Outcome) -> None:
        assert open_model.received(Side.BASELINE, 0) != open_model.received(Side.BASELINE, 1)

    def test_only_one_side_at_a_time_is_under_load(self, open_model: Outcome) -> None:
        stretches = [side for side, _ in itertools.groupby(seen.side for seen in open_model.measured)]
        assert stretches == [Side.BASELINE, Side.CANDIDATE, Side.BASELINE]

    def test_the_warmup_treats_both_alike(self, open_model: Outcome) -> None:
        baseline, candidate = (Counter(s.what for s in open_model.warmup if s.side is side) for side in Side)
        assert baseline.total() > 20
        assert baseline == candidate

    def test_the_clock_is_honest(self, open_model: Outcome) -> None:
        clock, arrivals = open_model.clock, open_model.arrivals
        assert clock.measure_start_ns - clock.load_start_ns == 1_500_000_000
        assert (clock.slice_ns, clock.gap_ns) == (1_000_000_000, 500_000_000)
        starts_ms = clock.measure_start_ns / 1e6 + arrivals["slice"] * 1_500
        assert (arrivals["due_ms"] >= starts_ms - 0.001).all()
        assert (arrivals["due_ms"] < starts_ms + 1_000).all()
        # Nothing comes early; the machine's clock may be slewed a little meanwhile.
        assert (arrivals["sent_ms"] >= arrivals["due_ms"] - 0.001).all()
        assert (arrivals["answered_ms"] > arrivals["sent_ms"]).all()
        assert open_model.warmup[0].time_ns >= clock.load_start_ns - 5_000_000
        assert open_model.measured[0].time_ns >= clock.measure_start_ns - 5_000_000

    def test_every_request_is_in_the_arrivals(self, open_model: Outcome) -> None:
        arrivals = open_model.arrivals
        assert [Side(side) for side in arrivals["side"]] == [ORDER[index] for index in arrivals["slice"]]
        names = {"GET": "GET /orders", "POST": "POST /orders, #{x}"}
        received = Counter((seen.side.value, names[seen.what[0]]) for seen in open_model.measured)
        assert received == Counter(zip(arrivals["side"], arrivals["endpoint"], strict=True))

    def test_data_is_drawn_and_the_users_text_is_left_alone(self, open_model: Outcome) -> None:
        posts = [seen for seen in open_model.measured if seen.what[0] == "POST"]
        assert {seen.kind for seen in posts} == {"#{x}"}
        assert len({seen.what for seen in posts}) > 5
        assert len({seen.what for seen in open_model.measured if seen.what[0] == "GET"}) > 20

    def test_no_request_tells_of_a_trace(self, open_model: Outcome) -> None:
        assert {seen.trace for seen in open_model.measured + open_model.warmup} == {None}

    def test_connections_are_kept(self, open_model: Outcome) -> None:
        assert len({seen.connection for seen in open_model.measured}) < len(open_model.measured) / 2

    def test_the_log_tells_the_groups_apart(self, open_model: Outcome) -> None:
        log = open_model.run.log_path.read_bytes()
        for name in ("baseline", "candidate", "warmup", *(endpoint.name for endpoint in SCENARIO.endpoints)):
            assert name.encode() in log

    def test_the_generator_keeps_quiet_and_tells_its_pauses(self, open_model: Outcome) -> None:
        lines = open_model.run.log.read_text().splitlines()
        assert lines == ["Simulation dev.pacecar.scenarios.EndpointMix started..."]
        assert "[safepoint" in open_model.run.gc_log.read_text()


@pytest.mark.parametrize("model", list(LoadModel))
def test_a_burst_that_is_ended_early_brings_the_slices_nearer(
    model: LoadModel, servers: Servers, generator: Generator, tmp_path: Path
) -> None:
    scenario = replace(SCENARIO, model=model, users=2, think_time_s=0.01)
    load = load_on(servers, plan=replace(PLAN, warmup_s=60, burst_s=59, steady=True))
    plan_file = write_plan(tmp_path / "plan.json", load, scenario=scenario)
    with GatlingRun.start_sliced(plan_file, simulation=scenario.simulation, generator=generator) as run:
        conducted = LoadRun(injectors=(run,))
        begun = conducted.await_clock(60)
        assert not begun.final
        while min(run.sent().get(side, 0) for side in Side) < 20:
            time.sleep(0.1)
        conducted.end_burst()
        while not (clock := run.clock()) or not clock.final:
            time.sleep(0.1)
        run.finish(60)

    assert clock.load_start_ns == begun.load_start_ns
    assert begun.measure_start_ns - clock.measure_start_ns > 20_000_000_000
    arrivals = pd.read_csv(run.arrivals_path)
    starts_ms = clock.measure_start_ns / 1e6 + arrivals["slice"] * 1_500
    assert (arrivals["due_ms"] >= starts_ms - 0.001).all()
    assert (arrivals["due_ms"] < starts_ms + 1_000).all()
    measured = [seen for seen in servers.seen if seen.time_ns >= clock.measure_start_ns - 5_000_000]
    assert len(measured) == len(arrivals)
    if model is LoadModel.OPEN:
        assert (arrivals["sent_ms"] - arrivals["due_ms"]).median() < 500, "its users were injected ahead of time"
        by_time = arrivals.sort_values("due_ms")  # rows are in the order of the answers
        planned = [by_time[by_time["slice"] == ORDER.index(side)]["endpoint"].tolist() for side in Side]
        assert planned[0] == planned[1]


def test_it_lasts_until_the_last_gap_is_over(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    # In each gap, what the window before has cost is read.
    plan = replace(PLAN, gap_s=3)
    plan_file = write_plan(tmp_path / "plan.json", load_on(servers, plan=plan), scenario=SCENARIO)
    with GatlingRun.start_sliced(plan_file, simulation=SCENARIO.simulation, generator=generator) as run:
        clock = LoadRun(injectors=(run,)).await_clock(60)
        run.finish(60)
        ended_ns = time.time_ns()
    assert ended_ns >= clock.measure_start_ns + len(ORDER) * (clock.slice_ns + clock.gap_ns)


def test_a_closed_model_waits_for_its_answers(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    scenario = replace(
        SCENARIO,
        simulation="dev.pacecar.scenarios.OrdersBrowsing",
        model=LoadModel.CLOSED,
        endpoints=(),
        traced=True,
    )

    outcome = sliced(scenario, servers=servers, generator=generator, folder=tmp_path)

    stretches = [side for side, _ in itertools.groupby(seen.side for seen in outcome.measured)]
    assert stretches == [Side.BASELINE, Side.CANDIDATE, Side.BASELINE]
    for turn in range(2):
        baseline, candidate = (outcome.received(side, turn) for side in Side)
        common = min(len(baseline), len(candidate))
        assert common > 5
        assert baseline[:common] == candidate[:common]  # one user per side: one sequence, as far as it went
    assert {seen.what[0] for seen in outcome.measured} == {"GET", "POST"}
    # Each request begins a trace of its own, by which its row is found.
    numbers = outcome.arrivals["number"].tolist()
    assert {seen.trace for seen in outcome.measured} == {
        f"00-{SEED:016x}{number:016x}-{1 << 62 | number:016x}-01" for number in numbers
    }
    assert {seen.trace for seen in outcome.warmup} == {f"00-{SEED:016x}{0:016x}-{1 << 62:016x}-01"}


def test_an_unknown_simulation_is_one_sentence(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    scenario = replace(SCENARIO, simulation="shop.NoSuchThing")
    plan_file = write_plan(tmp_path / "plan.json", load_on(servers), scenario=scenario)

    with (
        GatlingRun.start_sliced(plan_file, simulation=scenario.simulation, generator=generator) as run,
        pytest.raises(LoadError, match=r"no class shop\.NoSuchThing.*exit status 1"),
    ):
        LoadRun(injectors=(run,)).await_clock(60)


def test_a_heap_that_is_too_small_is_one_sentence(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    little = replace(generator, heap_bytes=8 << 20)
    with pytest.raises(LoadError, match="ran out of memory") as caught:
        sliced(SCENARIO, servers=servers, generator=little, folder=tmp_path)
    assert "scenario.heap" in str(caught.value.hint)


def test_a_plan_the_kit_refuses_is_one_sentence(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    unclear = replace(SCENARIO.endpoints[0], path="/orders/${uuid()}")
    scenario = replace(SCENARIO, endpoints=(unclear,))
    plan_file = write_plan(tmp_path / "plan.json", load_on(servers), scenario=scenario)

    with (
        GatlingRun.start_sliced(plan_file, simulation=scenario.simulation, generator=generator) as run,
        pytest.raises(LoadError, match=r"EndpointMix: IllegalArgumentException: '\$\{uuid\(\)\}' is neither"),
    ):
        LoadRun(injectors=(run,)).await_clock(60)


def test_a_simulation_without_the_kit_is_told_by_properties(
    servers: Servers, generator: Generator, tmp_path: Path
) -> None:
    scenario = replace(
        SCENARIO,
        simulation="dev.pacecar.scenarios.PlainOrders",
        sliced=False,
        rate_per_s=20,
        properties={"baseUrl": "{url}", "rate": "{rate}", "seconds": "{seconds}"},
    )

    with GatlingRun.start_plain(
        tmp_path, scenario=scenario, url=servers.urls[Side.CANDIDATE], seconds=2.0, generator=generator
    ) as run:
        run.finish(60)

    assert [seen.side for seen in servers.seen] == [Side.CANDIDATE] * 40
    assert run.log_path.stat().st_size > 0


def test_the_generator_knows_when_it_stood_still(servers: Servers, generator: Generator, tmp_path: Path) -> None:
    plan_file = write_plan(tmp_path / "plan.json", load_on(servers), scenario=SCENARIO)
    with GatlingRun.start_sliced(plan_file, simulation=SCENARIO.simulation, generator=generator) as run:
        LoadRun(injectors=(run,)).await_clock(60)
        os.kill(run.pid, signal.SIGSTOP)
        time.sleep(0.2)
        within_ns = time.time_ns()
        time.sleep(0.2)
        os.kill(run.pid, signal.SIGCONT)
        run.finish(60)
    record = run.record()
    hiccups = record.hiccups()
    started = hiccups["start_ns"]
    assert ((started < within_ns) & (within_ns < started + 1e6 * hiccups["duration_ms"])).sum() == 1
    assert "hiccups.csv" in record.files
