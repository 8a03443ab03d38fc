"""Reading every counter at the edges of the windows, and nothing in between.

Between two windows lies a gap without load: requests drain, then the window's closing counters are read,
then the service's metrics page. Before the next window the page of that side is scraped first and its
counters are read last, so that no scrape falls between the counters of one window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

import pandas as pd

from pacecar.measurement.deploy.fork import Fork
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.probes.calls import CallCounts, CallsMissing, read_calls
from pacecar.measurement.probes.families import family, used_by
from pacecar.measurement.probes.peers import Peer, PeerReader
from pacecar.measurement.probes.probe import Probe, ProbeFailed
from pacecar.measurement.probes.process import cpu_ns
from pacecar.measurement.probes.prometheus import Page, Scrape, parse, scrape
from pacecar.measurement.probes.registry import PROBES
from pacecar.measurement.probes.threads import ThreadTimes, threads_of
from pacecar.measurement.session import called, pool_cpu
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES, empty_table

#: Moments of a gap, in parts of it: when to read what the window before has cost, and until when its page may come;
#: ahead of the next window, when to ask for its page, and until when that may come.
_DRAIN, _CLOSED = 0.3, 0.7
_OPENING, _OPENED = 0.5, 0.1
_SCRAPE_TIMEOUT_S = 2.0
_POLL_S = 0.25
_COUNTERS = "counters"
#: Counters by which a warm-up is watched. The rest is for edges: what a service has open takes a while to list.
_WARMTH = frozenset({"cpu_ns", "jit_cpu_ns", "jit_ms"})
_REHEARSAL_TIMEOUT_S = 0.25
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class EdgeReading:
    """All counters of one side at one edge: a row for each table that probes have read something for, a row of "peers"
    for each of them, by name the CPU time in ns of each dependency, the threads by their ids, and counts of calls where
    there are any.
    """

    window: int
    edge: str
    time_ns: int
    rows: dict[str, dict[str, float]]
    peers: tuple[Peer, ...]
    dependencies: dict[str, int]
    page: Scrape | None
    threads: dict[int, ThreadTimes] = field(default_factory=dict)
    calls: CallCounts | None = None


@dataclass(kw_only=True)
class EdgeReader:
    """Reads the edges of windows; keeps raw readings until `tables` is asked for.

    Attributes:
        forks: the forks under test.
        generator: the load generator; None while there is none.
        readings: what was read so far.
        notes: per side, why counters were missing at some edge.
        metrics_path: Prometheus page of the target, or None.
        check: called while waiting; raises when a fork or the generator has died.
        buckets: keep the buckets of the metrics page's histograms, from which latencies are read.
        calls: the forks' counter agents count calls.
    """

    forks: dict[Side, Fork]
    metrics_path: str | None
    check: Callable[[], None]
    buckets: bool = True
    calls: bool = False
    generator: LoadRun | None = None
    readings: dict[Side, list[EdgeReading]] = field(default_factory=dict)
    notes: dict[Side, str] = field(default_factory=dict)
    _peers: dict[Side, PeerReader] = field(default_factory=dict)

    def window(self, window: Window, *, gap_s: float) -> None:
        """Wait for `window` to come, read its start, wait for its end, read that."""
        gap_ns = gap_s * 1e9
        self.wait_until(window.start_ns - int(_OPENING * gap_ns))
        self.read(window.index, window.side, "start", page_by_ns=window.start_ns - int(_OPENED * gap_ns))
        self.wait_until(window.end_ns + int(_DRAIN * gap_ns))
        self.read(window.index, window.side, "end", page_by_ns=window.end_ns + int(_CLOSED * gap_ns))

    def read(self, window: int, side: Side, edge: str, *, page_by_ns: int | None = None) -> None:
        """One reading now, with the metrics page if that is there by `page_by_ns`, without a bound within 2 s.

        At the start the page comes before the counters, at the end after them. The bound is a moment, because a service
        that is slow with its page is slow with both pages of a gap, and the counters must not come late for it.
        """
        fork = self.forks[side]
        page = self._scrape(fork, page_by_ns) if edge == "start" else None
        now = time.time_ns()
        rows, threads, calls = self._rows(fork, PROBES), threads_of(fork.pid), self._calls_of(fork)
        peers, dependencies = self._around(fork)
        if edge == "end":
            page = self._scrape(fork, page_by_ns)
        self.readings.setdefault(side, []).append(
            EdgeReading(
                window=window,
                edge=edge,
                time_ns=now,
                rows=rows,
                peers=peers,
                dependencies=dependencies,
                page=page,
                threads=threads,
                calls=calls,
            )
        )

    def count(self, window: int, side: Side, edge: str) -> EdgeReading:
        """The counters now, to be kept once the page that belongs to them is there."""
        return EdgeReading(
            window=window,
            edge=edge,
            time_ns=time.time_ns(),
            rows=self._rows(self.forks[side], PROBES),
            peers=(),
            dependencies={},
            page=None,
            calls=self._calls_of(self.forks[side]),
        )

    def keep(self, side: Side, reading: EdgeReading, page: Scrape | None) -> None:
        """Keep a reading of `count`, beside a page that was fetched when nothing was counted."""
        self.readings.setdefault(side, []).append(replace(reading, page=page))

    def page(self, side: Side) -> Scrape | None:
        """The metrics page now; None where there is none to ask for."""
        return self._scrape(self.forks[side], None)

    def warmth(self, side: Side) -> dict[str, float]:
        """The counters of one side now that its warm-up is watched by, as in `TABLES["counters"]`."""
        probes = [probe for probe in PROBES if probe.name == _COUNTERS and _WARMTH.intersection(probe.columns)]
        return self._rows(self.forks[side], probes)[_COUNTERS]

    def rehearse(self, side: Side) -> None:
        """Ask for the metrics page as at an edge, and keep nothing of it.

        The page takes its way through the code that serves requests. A JVM that was compiled without it throws much of
        that code away when the first window asks, and compiles it again while requests are measured. Whom the service
        is connected to takes a while to find, and is found now.
        """
        self._around(self.forks[side])
        self._scrape(self.forks[side], time.time_ns() + int(_REHEARSAL_TIMEOUT_S * 1e9))

    def wait_until(self, moment_ns: int) -> None:
        """Sleep until `moment_ns`, looking after the forks and the generator meanwhile."""
        while (left := (moment_ns - time.time_ns()) / 1e9) > 0:
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
            "pool_cpu": pool_cpu.table(_both_edges(readings, lambda each: each.threads or None)),
            "calls": called.table(_both_edges(readings, lambda each: each.calls)),
            "scrapes": scrapes,
            "series": series,
        }

    def _rows(self, fork: Fork, probes: Iterable[Probe]) -> dict[str, dict[str, float]]:
        """What `probes` read of one fork, by table."""
        rows: dict[str, dict[str, float]] = {_COUNTERS: {"generator_cpu_ns": self._generator_cpu_ns()}}
        for probe in probes:
            try:
                found = probe.read(fork)
            except ProbeFailed as error:
                # A service may drop the agent, or be too busy to answer: the rest is still worth having.
                self.notes.setdefault(fork.side, error.message)
                found = dict.fromkeys(probe.columns, math.nan)
            if found is not None:
                rows.setdefault(probe.name, {}).update(found)
        return rows

    def _around(self, fork: Fork) -> tuple[tuple[Peer, ...], dict[str, int]]:
        """The peers of a fork, and the CPU time of what was started for it, which are no peers."""
        # Of a container the account says what works for it; processes beside it on this machine are not in its network.
        if fork.containers is not None:
            return (), {}
        families = {name: family(roots) for name, roots in fork.dependencies.roots.items()}
        known = {pid for members in families.values() for pid in members}
        peers = self._peers.setdefault(fork.side, PeerReader()).read(fork.pid, known=known)
        return peers, {name: used_by(members) for name, members in families.items()}

    def _calls_of(self, fork: Fork) -> CallCounts | None:
        if not self.calls:
            return None
        try:
            found = read_calls(fork.socket)
        except CallsMissing as error:
            self.notes.setdefault(fork.side, error.message)
            return None
        if found.failed:
            self.notes.setdefault(fork.side, _uncounted(fork.side, found.failed))
        return found

    def _generator_cpu_ns(self) -> int:
        # Between two processes of a simulation without the kit there is none, so its share is not known.
        if self.generator is None or self.generator.over:
            return 0
        return sum(cpu_ns(pid) for pid in self.generator.pids)

    def _scrape(self, fork: Fork, by_ns: int | None) -> Scrape | None:
        if self.metrics_path is None:
            return None
        now = time.time_ns()
        if by_ns is not None and by_ns <= now:
            return Scrape(body=b"", time_ns=now, duration_ms=0.0, error="There was no time left for the metrics page.")
        timeout_s = _SCRAPE_TIMEOUT_S if by_ns is None else (by_ns - now) / 1e9
        return scrape(fork.url + self.metrics_path, timeout_s=timeout_s)


def _table(name: str, readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.time_ns, **each.rows[name]}
        for each in readings
        if name in each.rows
    ]
    return pd.DataFrame(rows)[list(TABLES[name])] if rows else empty_table(name)


def _peer_table(readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.time_ns, **asdict(peer)}
        for each in readings
        for peer in each.peers
    ]
    return pd.DataFrame(rows)[list(TABLES["peers"])] if rows else empty_table("peers")


def _dependency_table(readings: list[EdgeReading]) -> pd.DataFrame:
    rows = [
        {"window": each.window, "edge": each.edge, "time_ns": each.time_ns, "name": name, "cpu_ns": used}
        for each in readings
        for name, used in each.dependencies.items()
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
    return f"Of the {side.value} {what} could not be instrumented: what they call, if they do, is not counted."


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
