"""What is done to both forks before the first window, by a clock of the test's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.injector import Clock
from pacecar.measurement.session.warming import Warming
from pacecar.model.experiment import Side

SECOND_NS = 1_000_000_000
BEGUN_NS = 10**18


@dataclass
class Service:
    """Both forks, what is asked of them and when, in seconds since the start of load."""

    now_ns: int = BEGUN_NS
    burst_ends_s: float = 0.0
    measured_s: float = 0.0
    collection_s: float = 1.0
    ends_s: float = float("inf")
    log: Path = Path("gatling.log")
    told: list[tuple[float, str]] = field(default_factory=list)
    both_at_once: Barrier = field(default_factory=lambda: Barrier(2))

    @property
    def forks(self) -> dict[Side, Service]:
        return dict.fromkeys(Side, self)

    def since(self) -> float:
        return (self.now_ns - BEGUN_NS) / 1e9

    def tell(self, what: str) -> None:
        self.told.append((round(self.since(), 3), what))

    def when(self, what: str) -> list[float]:
        return [moment for moment, told in self.told if told == what]

    # The load generator.

    def clock(self) -> Clock:
        return Clock(
            load_start_ns=BEGUN_NS,
            measure_start_ns=BEGUN_NS + round(self.measured_s * 1e9),
            slice_ns=SECOND_NS,
            gap_ns=SECOND_NS,
            final=self.since() >= self.burst_ends_s,
        )

    def end_burst(self) -> None:
        self.measured_s -= max(0.0, self.burst_ends_s - self.since())
        self.burst_ends_s = min(self.burst_ends_s, self.since())

    def require_going(self) -> None:
        if self.since() >= self.ends_s:
            raise LoadError("The load generator ended before its time.")

    def sent(self) -> dict[Side, int]:
        return dict.fromkeys(Side, round(1_000 * self.since()))

    # The reader of the forks' counters.

    def now(self) -> int:
        return self.now_ns

    def wait_until(self, moment_ns: int) -> None:
        self.now_ns = max(self.now_ns, moment_ns)

    def warmth(self, side: Side) -> dict[str, float]:
        return {"cpu_ns": self.since() * 1e8, "jit_cpu_ns": 0.0, "jit_ms": 0.0}

    def rehearse(self, side: Side) -> None:
        self.tell(f"page of the {side.value}")

    # A fork.

    def live_heap(self, timeout_s: float) -> None:
        begun_ns = self.now_ns
        self.tell("collected")
        self.both_at_once.wait(timeout=30)  # broken, and the test with it, where one waits for the other
        self.now_ns = max(self.now_ns, begun_ns + round(min(self.collection_s, timeout_s) * 1e9))

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        self.tell("pinned" if compilers else "shares")


@pytest.fixture
def service() -> Service:
    return Service()


def warm(service: Service, *, steady: bool = False) -> Warming:
    """The warm-up, done, with `service` in place of every part that is asked."""
    context: Any = SimpleNamespace(
        experiment=SimpleNamespace(plan=SimpleNamespace(steady=steady)),
        cores=SimpleNamespace(target=(0,), generator=(1,)),
        say=lambda phase, text: None,
    )
    reader: Any = service
    run: Any = service
    done = Warming(context=context, reader=reader)
    clock = done.until_measured(run, service.clock())
    assert clock.final
    return done


PAGES = [f"page of the {side.value}" for side in Side]


def test_pages_are_asked_for_by_turns_and_heaps_collected_before_the_burst_ends(service: Service) -> None:
    service.burst_ends_s, service.measured_s = 28, 30
    warm(service)
    assert service.when(PAGES[0]) == [*range(1, 26, 2), 28]
    assert len(service.when(PAGES[1])) == 13
    assert service.when("collected") == [25.0, 25.0]
    assert service.when("pinned") == [28.0, 28.0]


def test_without_a_burst_the_same_is_done_on_the_cores_of_the_measurement(service: Service) -> None:
    service.measured_s = 15
    warmed = warm(service)
    assert service.when("pinned") == [0.0, 0.0]
    assert [len(service.when(page)) for page in PAGES] == [5, 5]
    assert service.when("collected") == [10.0, 10.0]
    rows = warmed.table(Side.BASELINE)
    assert rows["requests"].tolist() == [1_000 * second for second in range(11)]  # the first row before any load
    assert rows["cpu_ns"].tolist() == [1e8 * second for second in range(11)]


def test_after_a_short_burst_pages_are_asked_for_at_the_measured_rate_too(service: Service) -> None:
    service.burst_ends_s, service.measured_s = 5, 15
    warm(service)
    assert service.when("pinned") == [5.0, 5.0]
    assert service.told[-3:-1] == [(10.0, PAGES[1]), (10.0, "collected")]


def test_a_burst_that_ends_by_the_clock_ends_with_both_heaps_collected(service: Service) -> None:
    service.burst_ends_s, service.measured_s = 24, 31.5  # when its end is announced
    warm(service)
    assert service.when("collected") == [24.0, 24.0]
    assert service.when("pinned") == [25.0, 25.0]


def test_a_burst_that_made_both_sides_steady_ends_with_both_heaps_collected(service: Service) -> None:
    service.burst_ends_s, service.measured_s = 90, 92
    warmed = warm(service, steady=True)
    assert service.when("collected") == [15.0, 15.0]
    assert service.when("pinned") == [16.0, 16.0]
    assert service.measured_s == 18
    assert warmed.unsettled == dict.fromkeys(Side)


def test_a_long_collection_does_not_make_the_first_window_wait(service: Service) -> None:
    service.burst_ends_s, service.measured_s, service.collection_s = 28, 30, 60
    warm(service)
    assert service.when("collected") == [25.0, 25.0]
    assert service.since() == 30


def test_a_warm_up_too_short_for_anything_else_collects_the_heaps(service: Service) -> None:
    service.measured_s = 2
    warm(service)
    assert [what for _, what in service.told] == ["shares", "shares", "pinned", "pinned", "collected", "collected"]


@pytest.mark.parametrize("burst_s", [0, 20])
def test_a_generator_that_ends_is_told_at_once(service: Service, burst_s: float) -> None:
    service.burst_ends_s, service.measured_s, service.ends_s = burst_s, 30, 3
    with pytest.raises(LoadError, match="ended before its time"):
        warm(service)
    assert service.since() == 3
