"""Reading every counter at the edges of the windows, and nothing in between.

Between two windows lies a gap without load: requests drain, then the window's closing counters are read,
then the service's metrics page. Before the next window the page of that side is scraped first and its
counters are read last, so that no scrape falls between the counters of one window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from pacecar.deploy.fork import Fork
from pacecar.experiment import Side
from pacecar.load.gatling import GatlingRun
from pacecar.observe.cgroup import Account, read_account
from pacecar.observe.counters import CountersMissing, read_counters
from pacecar.observe.host import HostReading, read_host
from pacecar.observe.process import compilers_cpu_ns, cpu_ns, rss_bytes
from pacecar.observe.prometheus import Scrape, parse, scrape
from pacecar.recording import Window, empty_table

#: Moments of a gap, in parts of it: when to read what the window before has cost, and until when its page may come;
#: ahead of the next window, when to ask for its page, and until when that may come.
_DRAIN, _CLOSED = 0.3, 0.7
_OPENING, _OPENED = 0.5, 0.1
_SCRAPE_TIMEOUT_S = 2.0
_POLL_S = 0.25
_TABLES = ("counters", "containers", "host", "scrapes", "series")
_REHEARSAL_TIMEOUT_S = 0.25
#: Columns of `TABLES["counters"]` that only the JVM itself knows.
_JVM_COUNTERS = ("allocated_bytes", "jit_ms", "gc_count", "gc_ms", "threads", "threads_ended")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """All counters of one side at one edge."""

    window: int
    edge: str
    time_ns: int
    counters: dict[str, float]
    host: HostReading
    page: Scrape | None
    account: Account | None = None


@dataclass(kw_only=True)
class EdgeReader:
    """Reads the edges of windows; keeps raw readings until `tables` is asked for.

    Attributes:
        forks: the forks under test.
        generator: the load generator; None while there is none.
        readings: what was read so far.
        notes: per side, why the JVM's own counters were missing at some edge.
        metrics_path: Prometheus page of the target, or None.
        check: called while waiting; raises when a fork or the generator has died.
    """

    forks: dict[Side, Fork]
    metrics_path: str | None
    check: Callable[[], None]
    generator: GatlingRun | None = None
    readings: dict[Side, list[Reading]] = field(default_factory=dict)
    notes: dict[Side, str] = field(default_factory=dict)

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
        counters = self._counters(fork)
        account = _account(fork)
        host = read_host()
        if edge == "end":
            page = self._scrape(fork, page_by_ns)
        self.readings.setdefault(side, []).append(
            Reading(window=window, edge=edge, time_ns=now, counters=counters, host=host, page=page, account=account)
        )

    def warmth(self, side: Side) -> dict[str, float]:
        """The counters of one side now, as in `TABLES["counters"]`."""
        return self._counters(self.forks[side])

    def rehearse(self, side: Side) -> None:
        """Ask for the metrics page as at an edge, and keep nothing of it.

        The page takes its way through the code that serves requests. A JVM that was compiled without it throws much of
        that code away when the first window asks, and compiles it again while requests are measured.
        """
        self._scrape(self.forks[side], time.time_ns() + int(_REHEARSAL_TIMEOUT_S * 1e9))

    def wait_until(self, moment_ns: int) -> None:
        """Sleep until `moment_ns`, looking after the forks and the generator meanwhile."""
        while (left := (moment_ns - time.time_ns()) / 1e9) > 0:
            self.check()
            if self.generator is not None and self.generator.poll() is not None:
                self.generator.finish(timeout_s=0)  # raises when it failed; that it is done early shows in the requests
            time.sleep(min(left, _POLL_S))

    def wait_for_generator(self, timeout_s: float) -> None:
        """Wait, for at most `timeout_s`, until the generator ends; look after the forks meanwhile."""
        deadline = time.monotonic() + timeout_s
        while self.generator and self.generator.poll() is None and time.monotonic() < deadline:
            self.check()
            time.sleep(_POLL_S)

    def tables(self, side: Side) -> dict[str, pd.DataFrame]:
        """Those of `_TABLES` of one side. Parses pages: not while a window runs."""
        readings = self.readings.get(side, [])
        if not readings:
            return {name: empty_table(name) for name in _TABLES}
        edges: list[dict[str, object]] = [{"window": r.window, "edge": r.edge, "time_ns": r.time_ns} for r in readings]
        scrapes, series = _pages(readings)
        return {
            "counters": pd.DataFrame([edge | r.counters for edge, r in zip(edges, readings, strict=True)]),
            "containers": _accounts(readings, edges),
            "host": pd.DataFrame([edge | vars(r.host) for edge, r in zip(edges, readings, strict=True)]),
            "scrapes": scrapes,
            "series": series,
        }

    def _counters(self, fork: Fork) -> dict[str, float]:
        process = {
            "cpu_ns": cpu_ns(fork.pid),
            "jit_cpu_ns": compilers_cpu_ns(fork.pid),
            "generator_cpu_ns": self._generator_cpu_ns(),
            "rss_bytes": rss_bytes(fork.pid),
        }
        try:
            jvm = read_counters(fork.socket)
        except CountersMissing as error:
            # A service may drop the agent, or be too busy to answer: the rest is still worth having.
            self.notes.setdefault(fork.side, error.message)
            return process | dict.fromkeys(_JVM_COUNTERS, math.nan)
        return process | {name: float(getattr(jvm, name)) for name in _JVM_COUNTERS}

    def _generator_cpu_ns(self) -> int:
        # Between two processes of a simulation without the kit there is none, so its share is not known.
        if self.generator is None or self.generator.poll() is not None:
            return 0
        return cpu_ns(self.generator.pid)

    def _scrape(self, fork: Fork, by_ns: int | None) -> Scrape | None:
        if self.metrics_path is None:
            return None
        now = time.time_ns()
        if by_ns is not None and by_ns <= now:
            return Scrape(body=b"", time_ns=now, duration_ms=0.0, error="There was no time left for the metrics page.")
        timeout_s = _SCRAPE_TIMEOUT_S if by_ns is None else (by_ns - now) / 1e9
        return scrape(fork.url + self.metrics_path, timeout_s=timeout_s)


def _account(fork: Fork) -> Account | None:
    if fork.containers is None:
        return None
    around = fork.containers
    return read_account(around.service, dependencies=around.dependencies, carriers=around.carriers)


def _accounts(readings: list[Reading], edges: list[dict[str, object]]) -> pd.DataFrame:
    rows = [edge | vars(r.account) for edge, r in zip(edges, readings, strict=True) if r.account is not None]
    return pd.DataFrame(rows) if rows else empty_table("containers")


def _pages(readings: list[Reading]) -> tuple[pd.DataFrame, pd.DataFrame]:
    scrapes, series = [], []
    for reading in readings:
        if reading.page is None:
            continue
        parsed = parse(reading.page)
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
