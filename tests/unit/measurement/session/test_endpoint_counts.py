"""Blocks after the last window: how long they may take, who is left out, and what is lost with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from pacecar.errors import Interrupted, PacecarError
from pacecar.measurement.deploy import ForkDied
from pacecar.measurement.load import steady_clock
from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.load.injector import BlockProgress
from pacecar.measurement.load.steady_clock import SteadyClock
from pacecar.measurement.session import counting, window_counters
from pacecar.measurement.session.endpoint_counts import EndpointCounts, heaviest_last, read_counts
from pacecar.measurement.session.progress import Stopwatch
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.watch import local
from pacecar.measurement.watch.watch import Watched
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.scenario import Endpoint, LoadModel, Scenario
from pacecar.model.tables import TABLES
from pacecar.model.tiers import Blocks, after_windows
from support.gatling_logs import Request, Run, binary_log
from support.watched_forks import ourselves

SIDES = (Side.CANDIDATE, Side.BASELINE)
RUN = Run()
SCENARIO = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.OPEN,
    rate_per_s=150,
    users=8,
    think_time_s=0.05,
    endpoints=(),
)


@dataclass
class Clock:
    """Time that passes only while somebody waits."""

    now_ns: int = RUN.start_ms * 1_000_000

    def time_ns(self) -> int:
        return self.now_ns

    def monotonic(self) -> float:
        return self.now_ns / 1e9

    def monotonic_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (counting, window_counters, local, steady_clock):
        monkeypatch.setattr(module, "time", clock)
    return clock


@dataclass
class Generator:
    """A load generator as the session sees one: it answers a block some time after it was opened."""

    clock: Clock
    endpoints: tuple[str, ...]
    block_s: float
    record_of: GatlingRecord
    breaks: Callable[[int], None] = lambda _: None
    log: Path = Path("generator.log")
    opened: int = 0
    answers_ns: list[int] = field(default_factory=list)
    ended: bool = False
    steady: SteadyClock = field(default_factory=SteadyClock)

    def await_clock(self, timeout_s: float) -> None:
        self.clock.sleep(min(timeout_s, 1.0))

    def cpu_ns(self) -> int:
        return self.clock.now_ns

    def open_blocks(self, count: int) -> None:
        self.breaks(count)
        self.opened = count
        self.answers_ns.append(self.clock.now_ns + round(self.block_s * 1e9))

    def blocks(self) -> BlockProgress:
        there_and_back = (*self.endpoints, *reversed(self.endpoints))
        done = sum(each <= self.clock.now_ns for each in self.answers_ns)
        names = tuple(there_and_back[number % len(there_and_back)] for number in range(done))
        return BlockProgress(operations=len(self.endpoints), answered=names)

    def end_blocks(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.ended = True

    def finish(self, timeout_s: float) -> None:
        assert self.ended
        assert timeout_s == 0

    @property
    def over(self) -> bool:
        return self.ended

    def records(self) -> tuple[GatlingRecord, ...]:
        return (self.record_of,)


def _counts(folder: Path, blocks: Blocks) -> EndpointCounts:
    forks = {side: ourselves(folder, side=side) for side in SIDES}
    context: Any = SimpleNamespace(stopwatch=Stopwatch(), say=lambda phase, detail: None)
    reader = EdgeReader(forks=forks, watched=Watched(), check=lambda: None)
    return EndpointCounts(context=context, blocks=blocks, sides=SIDES, reader=reader, first_block=30)


def _record(folder: Path, *requests: Request) -> GatlingRecord:
    log = folder / "simulation.log"
    log.write_bytes(binary_log(RUN, requests))
    return GatlingRecord(log=log, gc_log=folder / "gc.log", arrivals_file=folder / "arrivals.csv")


def _asked(*endpoints: str) -> dict[Side, pd.DataFrame]:
    columns = dict.fromkeys(TABLES["requests"], 0) | {"endpoint": list(endpoints), "ok": True, "message": ""}
    return {side: pd.DataFrame(columns).astype(TABLES["requests"]) for side in SIDES}


def test_each_endpoint_is_asked_there_and_back_on_both_sides_at_once(clock: Clock, tmp_path: Path) -> None:
    counts = _counts(tmp_path, after_windows())
    run: Any = Generator(clock, ("GET /a", "GET /b"), 0.1, _record(tmp_path))
    counts.count(run)
    assert [(block.index, block.side, block.endpoint) for block in counts.done][:4] == [
        (30, Side.CANDIDATE, "GET /a"),
        (31, Side.BASELINE, "GET /a"),
        (32, Side.CANDIDATE, "GET /b"),
        (33, Side.BASELINE, "GET /b"),
    ]
    assert len(counts.done) == 2 * 2 * 4
    assert counts.notes == []
    found = read_counts([counts], _asked("GET /a", "GET /b"))
    assert found.blocks == tuple(counts.done)
    assert found.edges[Side.BASELINE]["counters"]["window"].tolist()[:4] == [31, 31, 33, 33]


@pytest.mark.parametrize(("endpoints", "left"), [(3, 2), (40, 40)])
def test_no_block_is_begun_when_the_time_is_up(clock: Clock, tmp_path: Path, endpoints: int, left: int) -> None:
    counts = _counts(tmp_path, after_windows(5.0))
    names = tuple(f"GET /{number}" for number in range(endpoints))
    run: Any = Generator(clock, names, 1.3, _record(tmp_path))
    began = clock.now_ns
    counts.count(run)
    assert len(counts.done) == 2 * 4
    assert (clock.now_ns - began) / 1e9 < 1 + 5 + 1.5
    *_, note = read_counts([counts], _asked(*names)).notes
    assert note.startswith(f"{left} of {endpoints} endpoints were not counted one by one")
    assert "plan.counted" in note


def test_a_block_without_an_answer_ends_them_with_a_sentence(clock: Clock, tmp_path: Path) -> None:
    counts = _counts(tmp_path, after_windows(2.0))
    run: Any = Generator(clock, ("GET /slow",), 600.0, _record(tmp_path))
    began = clock.now_ns
    counts.count(run)
    assert counts.done == []
    assert (clock.now_ns - began) / 1e9 < 5
    assert "was not answered within 2 s" in counts.notes[0]
    assert run.ended


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ForkDied("The candidate of shop ended while it was measured.", side=Side.CANDIDATE),
            "The candidate of shop ended",
        ),
        (LoadError("Gatling failed with exit status 1."), "Gatling failed"),
    ],
)
def test_what_goes_wrong_costs_the_blocks_and_no_more(
    clock: Clock, tmp_path: Path, error: PacecarError, said: str
) -> None:
    def breaks(count: int) -> None:
        if count == 4:
            raise error

    counts = _counts(tmp_path, after_windows())
    run: Any = Generator(clock, ("GET /a",), 0.1, _record(tmp_path), breaks)
    counts.count(run)
    found = read_counts([counts], _asked("GET /a"))
    assert (found.blocks, found.requests, found.edges) == ((), {}, {})
    assert said in found.notes[0]
    assert "is missing from this pair" in found.notes[0]
    assert counts.interrupted is None


def test_an_interrupt_is_kept_until_the_pair_is_stored(clock: Clock, tmp_path: Path) -> None:
    def breaks(count: int) -> None:
        if count == 2:
            raise Interrupted("Interrupted by SIGINT.")

    counts = _counts(tmp_path, after_windows())
    run: Any = Generator(clock, ("GET /a",), 0.1, _record(tmp_path), breaks)
    counts.count(run)
    assert counts.interrupted is not None
    assert counts.done == []
    assert "interrupted" in counts.notes[0]


def test_requests_of_blocks_are_found_in_the_log_of_their_generator(tmp_path: Path) -> None:
    def block(index: int, side: Side, start_ms: int) -> Window:
        start_ns = (RUN.start_ms + start_ms) * 1_000_000
        return Window(index=index, side=side, start_ns=start_ns, end_ns=start_ns + 10**8, endpoint="GET /a")

    counts = _counts(tmp_path, after_windows())
    counts.done += [
        block(place, side, start)
        for place, (side, start) in enumerate(
            [(Side.CANDIDATE, 100), (Side.BASELINE, 100), (Side.CANDIDATE, 300), (Side.BASELINE, 300)], start=30
        )
    ]
    sent = [(side, start) for side in SIDES for start in (100, 150, 300, 380)]
    counts.record = _record(
        tmp_path, *(Request(groups=(side.value,), name="GET /a", start=start, end=start + 5) for side, start in sent)
    )
    found = read_counts([counts], _asked("GET /a"))
    assert found.requests[Side.CANDIDATE]["window"].tolist() == [30, 30, 32, 32]
    assert found.requests[Side.BASELINE]["window"].tolist() == [31, 31, 33, 33]
    assert found.notes == ()


def test_a_side_that_lost_its_blocks_takes_those_of_the_other_along(clock: Clock, tmp_path: Path) -> None:
    kept, lost = (_counts(tmp_path, after_windows()) for _ in range(2))
    run: Any = Generator(clock, ("GET /a",), 0.1, _record(tmp_path))
    kept.count(run)
    lost.notes.append("The baseline ended.")
    assert kept.done
    assert read_counts([kept, lost], _asked("GET /a")).blocks == ()


def test_the_heaviest_endpoints_are_the_last_to_be_left_out(clock: Clock, tmp_path: Path) -> None:
    weights = {"GET /often": 60.0, "GET /seldom": 1.0, "GET /report": 10.0}
    endpoints = [Endpoint(name=name, method="GET", path="/", weight=weight) for name, weight in weights.items()]
    names = tuple(endpoint.name for endpoint in heaviest_last(replace(SCENARIO, endpoints=tuple(endpoints))).endpoints)
    counts = _counts(tmp_path, after_windows(5.0))
    run: Any = Generator(clock, names, 1.3, _record(tmp_path))
    counts.count(run)
    assert len(counts.done) == 2 * 4
    *_, note = read_counts([counts], _asked(*weights)).notes
    assert "2 of 3 endpoints" in note
    assert "GET /often" not in note


def test_short_times_leave_room_for_fewer_endpoints() -> None:
    assert after_windows().endpoints == 40
    assert 1 <= after_windows(1.0).endpoints < after_windows(4.0).endpoints < 40
