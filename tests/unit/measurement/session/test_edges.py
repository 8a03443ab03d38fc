"""When the counters at the edges of windows are read, by a clock of the test's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pacecar.analysis.validity.pairs import COUNTERS_INSIDE_S, COUNTERS_OUTSIDE_S
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
    """Time that passes only while somebody waits."""

    now_ns: int = 10**18

    def time_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (window_counters, local):
        monkeypatch.setattr(module, "time", clock)
    return clock


def windows(clock: Clock, count: int = 4) -> list[Window]:
    first_ns = clock.now_ns + round(GAP_S * 1e9)
    starts = [first_ns + round(index * (SLICE_S + GAP_S) * 1e9) for index in range(count)]
    return [
        Window(index=index, side=Side.BASELINE, start_ns=start, end_ns=start + round(SLICE_S * 1e9))
        for index, start in enumerate(starts)
    ]


def read(folder: Path, planned: list[Window], *, metrics_path: str | None) -> EdgeReader:
    forks = {Side.BASELINE: ourselves(folder)}
    reader = EdgeReader(forks=forks, watched=Watched(metrics_path=metrics_path), check=lambda: None)
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
