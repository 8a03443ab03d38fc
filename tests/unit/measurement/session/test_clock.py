"""What a fork on another machine has timed, on the load generator's clock."""

from __future__ import annotations

import pandas as pd
import pytest

from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.pods.clock import Offset
from pacecar.measurement.session import clock
from pacecar.measurement.session.tables import pauses
from pacecar.model.clock import ClockOffset
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkRecord, Window

AHEAD = 250_000_000
WINDOW = Window(index=0, side=Side.BASELINE, start_ns=10**18, end_ns=10**18 + 10**9)


def record(before: int, after: int) -> ForkRecord:
    offset = ClockOffset(before_ns=before, after_ns=after, bound_ns=1)
    return ForkRecord(side=Side.BASELINE, command=(), node="worker-1", clock=offset)


def test_how_far_ahead() -> None:
    assert clock.ahead_ns(ForkRecord(side=Side.BASELINE, command=())) == 0
    assert clock.ahead_ns(record(AHEAD - 10, AHEAD + 10)) == AHEAD


def test_windows_and_what_lies_in_them_move_by_as_much() -> None:
    (there,) = clock.windows_there([WINDOW], AHEAD)
    assert (there.start_ns, there.end_ns) == (WINDOW.start_ns + AHEAD, WINDOW.end_ns + AHEAD)
    timed = pd.DataFrame({"time_ns": [there.start_ns], "start_ns": [there.end_ns], "cpu_ns": [7], "window": [0]})
    here = clock.table_here(timed, AHEAD)
    assert here.to_dict("list") == {"time_ns": [10**18], "start_ns": [10**18 + 10**9], "cpu_ns": [7], "window": [0]}
    assert clock.table_here(timed, 0) is timed
    assert clock.heap_here(LiveHeap(time_ns=AHEAD + 5, used_bytes=3), AHEAD) == LiveHeap(time_ns=5, used_bytes=3)
    assert clock.heap_here(None, AHEAD) is None


def test_pauses_of_the_service_move_and_those_of_the_generator_do_not(tmp_path) -> None:
    log = tmp_path / "gc-1.log"
    log.write_text(
        "[2026-11-26T10:00:00.500+0000][1.0s][info][gc] GC(0) Pause Young (Normal) (G1) 1M->1M(2M) 3.000ms\n"
    )
    (plain,) = pauses(target=log, generators=[])["start_ns"]
    (moved,) = pauses(target=log, generators=[], ahead_ns=AHEAD)["start_ns"]
    assert plain - moved == AHEAD


@pytest.mark.parametrize("ahead", [0, AHEAD, -AHEAD])
def test_there_and_back(ahead: int) -> None:
    (there,) = clock.windows_there([WINDOW], ahead)
    assert clock.windows_there([there], -ahead) == [WINDOW]


@pytest.mark.parametrize(("stepped_ms", "bound_ms"), [(0.5, 0), (-0.5, 0), (30, 40)])
def test_a_clock_that_nobody_set_is_the_generators(stepped_ms: float, bound_ms: float) -> None:
    local = ForkRecord(side=Side.BASELINE, command=())
    stepped = Offset(ahead_ns=round(stepped_ms * 1e6), bound_ns=round(bound_ms * 1e6))
    assert clock.with_clock(local, stepped) is local
    assert clock.with_clock(local, None) is local


def test_one_that_was_set_is_noted_of_forks_on_the_same_machine() -> None:
    stepped = Offset(ahead_ns=-AHEAD, bound_ns=40)
    noted = clock.with_clock(ForkRecord(side=Side.BASELINE, command=()), stepped)
    assert noted.clock == ClockOffset(before_ns=0, after_ns=-AHEAD, bound_ns=40)
    elsewhere = record(0, 10)
    assert clock.with_clock(elsewhere, stepped) is elsewhere
