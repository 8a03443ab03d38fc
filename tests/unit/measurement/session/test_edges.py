"""When the counters at the edges of windows are read, by a clock of the test's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pacecar.analysis.validity.pairs import COUNTERS_INSIDE_S, COUNTERS_OUTSIDE_S
from pacecar.measurement.load import steady_clock
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.probes import host
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.session import window_counters
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.watch import local
from pacecar.measurement.watch.watch import Watched
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from support.watched_forks import ourselves

GAP_S, SLICE_S = 0.5, 2.5


@dataclass
class Clock:
    """Time that passes only while somebody waits; the time of day may be set meanwhile."""

    passed_ns: int = 0
    now_ns: int = 10**18
    set_at_ns: int | None = None
    set_by_ns: int = 0

    def time_ns(self) -> int:
        return self.now_ns

    def monotonic_ns(self) -> int:
        return self.passed_ns

    def sleep(self, seconds: float) -> None:
        self.passed_ns += round(seconds * 1e9)
        self.now_ns += round(seconds * 1e9)
        if self.set_at_ns is not None and self.passed_ns >= self.set_at_ns:
            self.now_ns += self.set_by_ns
            self.set_at_ns = None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (window_counters, local, steady_clock):
        monkeypatch.setattr(module, "time", clock)
    return clock


def windows(clock: Clock, count: int = 4) -> list[Window]:
    first_ns = clock.now_ns + round(GAP_S * 1e9)
    starts = [first_ns + round(index * (SLICE_S + GAP_S) * 1e9) for index in range(count)]
    return [
        Window(index=index, side=Side.BASELINE, start_ns=start, end_ns=start + round(SLICE_S * 1e9))
        for index, start in enumerate(starts)
    ]


def read(
    folder: Path, planned: list[Window], *, metrics_path: str | None, generator: LoadRun | None = None
) -> EdgeReader:
    forks = {Side.BASELINE: ourselves(folder)}
    reader = EdgeReader(
        forks=forks, watched=Watched(metrics_path=metrics_path), check=lambda: None, generator=generator
    )
    for window in planned:
        reader.window(window, gap_s=GAP_S)
    return reader


def outside_s(reader: EdgeReader, planned: list[Window]) -> list[float]:
    """Per reading, how far it lies outside of its window; negative inside."""
    found = []
    for reading in reader.readings[Side.BASELINE]:
        window = planned[reading.window]
        found.append(
            (
                window.start_ns - reading.read.time_ns
                if reading.edge == "start"
                else reading.read.time_ns - window.end_ns
            )
            / 1e9
        )
    return found


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0], ids=["at once", "slowly", "never"])
def test_a_page_that_is_slow_never_makes_the_counters_late(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: float
) -> None:
    def fetched(url: str, timeout_s: float) -> Scrape:
        asked_ns = clock.now_ns
        clock.sleep(part * timeout_s)
        error = "" if part < 1 else "too late"
        return Scrape(body=b"up 1\n", time_ns=asked_ns, duration_ms=part * timeout_s * 1e3, error=error)

    monkeypatch.setattr(local, "scrape", fetched)
    planned = windows(clock)
    reader = read(tmp_path, planned, metrics_path="/metrics")
    late = outside_s(reader, planned)
    assert len(late) == 2 * len(planned)
    assert all(-COUNTERS_INSIDE_S <= each <= COUNTERS_OUTSIDE_S for each in late), late
    assert all(each > 0 for each in late), late
    # What became of a page is kept with its counters.
    pages = [reading.page for reading in reader.readings[Side.BASELINE]]
    assert [page.error if page else None for page in pages] == ["" if part < 1 else "too late"] * len(late)


def test_where_reading_the_counters_took_the_gap_there_is_no_page(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured = host.read_host()

    def slow() -> host.HostReading:
        clock.sleep(GAP_S)
        return measured

    monkeypatch.setattr(host, "read_host", slow)
    planned = windows(clock, 1)
    reader = read(tmp_path, planned, metrics_path="/metrics")
    assert [reading.page.error for reading in reader.readings[Side.BASELINE] if reading.page][1:] == [
        "There was no time left for the metrics page."
    ]


def test_a_service_without_metrics_has_no_pages(clock: Clock, tmp_path: Path) -> None:
    planned = windows(clock, 2)
    reader = read(tmp_path, planned, metrics_path=None)
    assert [reading.page for reading in reader.readings[Side.BASELINE]] == [None] * 4
    assert outside_s(reader, planned) == pytest.approx([0.25, 0.15, 0.25, 0.15])


def test_a_page_that_is_rehearsed_is_asked_for_and_leaves_nothing_behind(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []

    def fetched(url: str, timeout_s: float) -> Scrape:
        asked.append((url, timeout_s))
        return Scrape(body=b"up 1\n", time_ns=clock.now_ns, duration_ms=1.0, error="")

    monkeypatch.setattr(local, "scrape", fetched)
    reader = read(tmp_path, [], metrics_path="/metrics")
    reader.rehearse(Side.BASELINE)
    # A bound: the next second of the warm-up must not wait for a page that never comes.
    assert asked == [("http://127.0.0.1:9/metrics", 0.25)]
    assert reader.readings == {}


def test_a_service_without_metrics_has_nothing_to_rehearse(tmp_path: Path) -> None:
    read(tmp_path, [], metrics_path=None).rehearse(Side.BASELINE)


@pytest.mark.parametrize("by_s", [3600, -3600, 0.4])
def test_edges_stay_where_they_are_when_the_machines_clock_is_set(clock: Clock, tmp_path: Path, by_s: float) -> None:
    planned = windows(clock)
    clock.set_at_ns, clock.set_by_ns = round((SLICE_S + 2 * GAP_S) * 1e9), round(by_s * 1e9)  # in the second window
    run = LoadRun(injectors=())
    reader = read(tmp_path, planned, metrics_path=None, generator=run)
    assert clock.passed_ns / 1e9 == pytest.approx(len(planned) * (SLICE_S + GAP_S) + 0.15), "nobody waits for the step"
    before, after = [0.25, 0.15, 0.25], [0.15 + by_s, *[0.25 - by_s, 0.15 + by_s] * 2]
    assert outside_s(reader, planned) == pytest.approx([*before, *after]), "by the clock that was set"
    assert run.steady.stepped().ahead_ns == round(by_s * 1e9)
