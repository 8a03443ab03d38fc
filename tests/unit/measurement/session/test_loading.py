"""How a load on a pair ends. What it measures until then is tested with real Gatling in `end_to_end/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pacecar.measurement.load import load_run
from pacecar.measurement.load.injector import Clock
from pacecar.measurement.session.loading import Loading
from pacecar.measurement.session.progress import Stopwatch
from pacecar.model.experiment import Plan, Side

ORDER = (Side.BASELINE, Side.CANDIDATE)
PLAN = Plan(pairs=1, side_s=2, slice_s=2, gap_s=60, warmup_s=0, burst_s=0, burst_users=1, seed=1)
CLOCK = Clock(load_start_ns=0, measure_start_ns=0, slice_ns=2, gap_ns=60, final=True)


@dataclass
class Reader:
    """Reads edges at once, and waits for a generator that needs `lasts_s` for its end."""

    run: Run
    lasts_s: float
    made_addresses: frozenset[str] = frozenset()
    generator: Any = None
    read: list[int] = field(default_factory=list)

    def window(self, window: Any, *, gap_s: float) -> None:
        self.read.append(window.index)

    def wait_until(self, moment_ns: int) -> None:
        pass

    def wait_for_generator(self, timeout_s: float) -> None:
        self.run.over = timeout_s >= self.lasts_s


@dataclass
class Run:
    """A load that ends by itself, unless it is closed before."""

    over: bool = False
    closed_early: bool = False

    def await_clock(self, timeout_s: float) -> Clock:
        return CLOCK

    def finish(self, timeout_s: float) -> None:
        assert self.over

    def close(self) -> None:
        self.closed_early |= not self.over

    def records(self) -> tuple[()]:
        return ()


@pytest.mark.parametrize(("lasts_s", "closed_early"), [(60 * 0.7, False), (60 + 20, False), (60 + 40, True)])
def test_answers_are_waited_for_once_the_last_gap_is_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lasts_s: float, closed_early: bool
) -> None:
    run = Run()
    reader = Reader(run=run, lasts_s=lasts_s)

    class Sliced:
        def __enter__(self) -> Run:
            return run

        def __exit__(self, *ended: object) -> None:
            run.close()

    monkeypatch.setattr(load_run, "sliced", lambda *_, **__: Sliced())
    scenario = SimpleNamespace(sliced=True, injectors=1)
    context = SimpleNamespace(
        experiment=SimpleNamespace(plan=PLAN, scenario=scenario),
        stopwatch=Stopwatch(),
        say=lambda *_: None,
        generator=lambda _: None,
    )
    warming = SimpleNamespace(until_measured=lambda _, clock: clock)
    parts: dict[str, Any] = {"context": context, "reader": reader, "warming": warming}
    load = Loading(number=1, order=ORDER, urls={}, folder=tmp_path, **parts)
    load.drive()
    assert reader.read == [0, 1]
    assert run.closed_early is closed_early
    assert [note for note in load.done.notes if "90 s after the last window" in note] == load.done.notes
    assert bool(load.done.notes) is closed_early
