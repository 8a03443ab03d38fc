"""Reading every counter at the edges of the windows, and nothing in between.

Between two windows lies a gap without load: requests drain, then the window's closing counters are read,
then the service's metrics page. Before the next window the page of that side is scraped first and its
counters are read last, so that no scrape falls between the counters of one window.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import pandas as pd

from pacecar.measurement.deploy.fork import Fork
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.probes.prometheus import Page, Scrape, parse
from pacecar.measurement.probes.registry import PROBES
from pacecar.measurement.session import called, pool_cpu
from pacecar.measurement.watch.reading import CounterReading
from pacecar.measurement.watch.watch import Edge, Watch, Watched
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES, empty_table

#: Moments of a gap, in parts of it: when to read what the window before has cost, and until when its page may come;
#: ahead of the next window, when to ask for its page, and until when that may come.
_DRAIN, _CLOSED = 0.3, 0.7
_OPENING, _OPENED = 0.5, 0.1
_POLL_S = 0.25
_COUNTERS = "counters"
_REHEARSAL_TIMEOUT_S = 0.25
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class EdgeReading:
    """What was read of one side at one edge, and the CPU time of the load generator then, in ns.

    `page` may be another than that of the reading itself: in the gap of two blocks lies one for both.
    """

    window: int
    edge: Edge
    read: CounterReading
    generator_cpu_ns: int
    page: Scrape | None

    @property
    def rows(self) -> dict[str, dict[str, float]]:
        """Table -> column -> value."""
        counted = {_COUNTERS: {**self.read.rows.get(_COUNTERS, {}), "generator_cpu_ns": self.generator_cpu_ns}}
        return {name: dict(row) for name, row in self.read.rows.items()} | counted


@dataclass(kw_only=True)
class EdgeReader:
    """Reads the edges of windows; keeps raw readings until `tables` is asked for.

    Attributes:
        forks: the forks under test.
        watched: what is read of each.
        check: called while waiting; raises when a fork or the generator has died.
        buckets: keep the buckets of the metrics page's histograms, from which latencies are read.
        generator: the load generator; None while there is none.
        readings: what was read so far.
        notes: per side, why counters were missing at some edge.
    """

    forks: dict[Side, Fork]
    watched: Watched
    check: Callable[[], None]
    buckets: bool = True
    generator: LoadRun | None = None
    readings: dict[Side, list[EdgeReading]] = field(default_factory=dict)
    notes: dict[Side, str] = field(default_factory=dict)

    @property
    def made_addresses(self) -> frozenset[str]:
        """Addresses that were made for these forks, to which load may go beside this machine."""
        return frozenset(fork.made_address for fork in self.forks.values() if fork.made_address is not None)

    @cached_property
    def _watches(self) -> dict[Side, Watch]:
        return {side: fork.watch(self.watched) for side, fork in self.forks.items()}

    def window(self, window: Window, *, gap_s: float) -> None:
        """Wait for `window` to come, read its start, wait for its end, read that."""
        gap_ns = gap_s * 1e9
        self.wait_until(window.start_ns - int(_OPENING * gap_ns))
        self.read(window.index, window.side, "start", page_by_ns=window.start_ns - int(_OPENED * gap_ns))
        self.wait_until(window.end_ns + int(_DRAIN * gap_ns))
        self.read(window.index, window.side, "end", page_by_ns=window.end_ns + int(_CLOSED * gap_ns))

    def read(self, window: int, side: Side, edge: Edge, *, page_by_ns: int | None = None) -> None:
        """One reading now, with the metrics page if that is there by `page_by_ns`, without a bound within 2 s."""
        within_s = None if page_by_ns is None else (page_by_ns - self.now()) / 1e9
        # As near to the counters as can be: the page lies outside of them.
        ended_ns = self._generator_cpu_ns() if edge == "end" else None
        read = self._noted(side, self._watches[side].at_edge(edge, page_within_s=within_s))
        generator_ns = self._generator_cpu_ns() if ended_ns is None else ended_ns
        self.keep(side, _reading(window, edge, read, generator_ns), read.page)

    def count(self, window: int, side: Side, edge: Edge) -> EdgeReading:
        """The counters now, to be kept once the page that belongs to them is there."""
        generator_ns = self._generator_cpu_ns()
        return _reading(window, edge, self._noted(side, self._watches[side].counters()), generator_ns)

    def keep(self, side: Side, reading: EdgeReading, page: Scrape | None) -> None:
        """Keep a reading of `count`, beside a page that was fetched when nothing was counted."""
        self.readings.setdefault(side, []).append(replace(reading, page=page))

    def page(self, side: Side) -> Scrape | None:
        """The metrics page now; None where there is none to ask for."""
        return self._watches[side].page()

    def warmth(self, side: Side) -> Mapping[str, float]:
        """The counters of one side now that its warm-up is watched by, as in `TABLES["counters"]`."""
        return self._noted(side, self._watches[side].warmth()).rows[_COUNTERS]

    def rehearse(self, side: Side) -> None:
        """Ask for the metrics page as at an edge, and keep nothing of it.

        The page takes its way through the code that serves requests. A JVM that was compiled without it throws much of
        that code away when the first window asks, and compiles it again while requests are measured.
        """
        self._watches[side].rehearse(within_s=_REHEARSAL_TIMEOUT_S)

    def now(self) -> int:
        """The load generator's time in ns since the epoch; the machine's where there is no generator."""
        return time.time_ns() if self.generator is None else self.generator.steady.now_ns()

    def wait_until(self, moment_ns: int) -> None:
        """Sleep until `moment_ns` of the load generator's time, looking after the forks and the generator meanwhile."""
        while (left := (moment_ns - self.now()) / 1e9) > 0:
            self.check()
            if self.generator is not None and self.generator.over:
                self.generator.finish(timeout_s=0)  # raises when it failed; that it is done early shows in the requests
            time.sleep(min(left, _POLL_S))

    def wait_for_generator(self, timeout_s: float) -> None:
        """Wait, for at most `timeout_s`, until the generator ends; look after the forks meanwhile."""
        deadline = time.monotonic() + timeout_s
        while self.generator and not self.generator.over and time.monotonic() < deadline:
            self.check()
            time.sleep(_POLL_S)

    def tables(self, side: Side) -> dict[str, pd.DataFrame]:
        """Those of the probes and of the metrics page, of one side. Parses pages: not while a window runs."""
        readings = self.readings.get(side, [])
        scrapes, series = _pages(readings, buckets=self.buckets)
        probed = {name: _table(name, readings) for name in dict.fromkeys(probe.name for probe in PROBES)}
        around = {"peers": _peer_table(readings), "dependencies": _dependency_table(readings)}
        return {
            **probed,
            **around,
            "pool_cpu": pool_cpu.table(_both_edges(readings, lambda each: each.read.threads or None)),
            "calls": called.table(_both_edges(readings, lambda each: each.read.calls)),
            "scrapes": scrapes,
            "series": series,
        }

    def _noted(self, side: Side, read: CounterReading) -> CounterReading:
        if read.notes:
            self.notes.setdefault(side, read.notes[0])
        elif read.calls is not None and read.calls.failed:
            self.notes.setdefault(side, _uncounted(side, read.calls.failed))
        return read

    def _generator_cpu_ns(self) -> int:
        # Between two processes of a simulation without the kit there is none, so its share is not known.
        return 0 if self.generator is None else self.generator.cpu_ns()


def _reading(window: int, edge: Edge, read: CounterReading, generator_ns: int) -> EdgeReading:
    return EdgeReading(window=window, edge=edge, read=read, generator_cpu_ns=generator_ns, page=read.page)


def _table(name: str, readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.read.time_ns, **each.rows[name]}
        for each in readings
        if name in each.rows
    ]
    return pd.DataFrame(rows)[list(TABLES[name])] if rows else empty_table(name)


def _peer_table(readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.read.time_ns, **asdict(peer)}
        for each in readings
        for peer in each.read.peers
    ]
    return pd.DataFrame(rows)[list(TABLES["peers"])] if rows else empty_table("peers")


def _dependency_table(readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.read.time_ns, "name": name, "cpu_ns": used}
        for each in readings
        for name, used in each.read.dependencies.items()
    ]
    return pd.DataFrame(rows) if rows else empty_table("dependencies")


def _both_edges(readings: list[EdgeReading], what: Callable[[EdgeReading], _T | None]) -> dict[int, tuple[_T, _T]]:
    """Window -> what was read at its start and at its end, where it was at both."""
    start, end = (
        {each.window: found for each in readings if each.edge == edge and (found := what(each)) is not None}
        for edge in ("start", "end")
    )
    return {window: (start[window], end[window]) for window in start if window in end}


def _uncounted(side: Side, failed: int) -> str:
    what = "one class" if failed == 1 else f"{failed:,} classes"
    return f"{what.capitalize()} of the {side.value} could not be instrumented, so calls from there are not counted."


def _pages(readings: list[EdgeReading], *, buckets: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    scrapes, series = [], []
    known: dict[Scrape, Page] = {}  # between two blocks lies one page, which is the end of one and the start of another
    for reading in readings:
        if reading.page is None:
            continue
        parsed = known.get(reading.page) or known.setdefault(reading.page, parse(reading.page, buckets=buckets))
        scrapes.append(
            {
                "window": reading.window,
                "edge": reading.edge,
                "time_ns": reading.page.time_ns,
                "duration_ms": reading.page.duration_ms,
                "page_bytes": parsed.page_bytes,
                "series": parsed.series,
                "error": parsed.error,
            }
        )
        series.append(parsed.samples.assign(window=reading.window, edge=reading.edge))
    if not scrapes:
        return empty_table("scrapes"), empty_table("series")
    return pd.DataFrame(scrapes), pd.concat(series, ignore_index=True)
