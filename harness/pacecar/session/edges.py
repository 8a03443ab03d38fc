"""Reading every counter at the edges of the windows, and nothing in between.

Between two windows lies a gap without load: requests drain, then the window's closing counters are read,
then the service's metrics page. Before the next window the page of that side is scraped first and its
counters are read last, so that no scrape falls between the counters of one window.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from pacecar.deploy.process import Fork
from pacecar.experiment import Side
from pacecar.load.gatling import GatlingRun
from pacecar.observe.counters import read_counters
from pacecar.observe.host import HostReading, read_host
from pacecar.observe.process import cpu_ns, rss_bytes
from pacecar.observe.prometheus import Scrape, parse, scrape
from pacecar.recording import Window, empty_table

#: Parts of the gap: before reading what a window cost, and ahead of the next window for its opening scrape.
_DRAIN = 0.3
_OPENING = 0.5
_SCRAPE_TIMEOUT_S = 2.0
_POLL_S = 0.25


@dataclass(frozen=True, kw_only=True)
class Reading:
    """All counters of one side at one edge."""

    window: int
    edge: str
    time_ns: int
    counters: dict[str, float]
    host: HostReading
    page: Scrape | None


@dataclass(kw_only=True)
class EdgeReader:
    """Reads the edges of windows; keeps raw readings until `tables` is asked for.

    Attributes:
        forks: the forks under test.
        generator: the load generator; None while there is none.
        metrics_path: Prometheus page of the target, or None.
        check: called while waiting; raises when a fork or the generator has died.
    """

    forks: dict[Side, Fork]
    metrics_path: str | None
    check: Callable[[], None]
    generator: GatlingRun | None = None
    readings: dict[Side, list[Reading]] = field(default_factory=dict)

    def window(self, window: Window, *, gap_s: float) -> None:
        """Wait for `window` to come, read its start, wait for its end, read that."""
        self.wait_until(window.start_ns - int(_OPENING * gap_s * 1e9))
        self.read(window.index, window.side, "start")
        self.wait_until(window.end_ns + int(_DRAIN * gap_s * 1e9))
        self.read(window.index, window.side, "end")

    def read(self, window: int, side: Side, edge: str) -> None:
        """One reading now. At the start the page comes before the counters, at the end after them."""
        fork = self.forks[side]
        page = self._scrape(fork) if edge == "start" else None
        now = time.time_ns()
        counters = self._counters(fork)
        host = read_host()
        if edge == "end":
            page = self._scrape(fork)
        self.readings.setdefault(side, []).append(
            Reading(window=window, edge=edge, time_ns=now, counters=counters, host=host, page=page)
        )

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
        """The tables counters, host, scrapes and series of one side. Parses pages: not while a window runs."""
        readings = self.readings.get(side, [])
        if not readings:
            return {name: empty_table(name) for name in ("counters", "host", "scrapes", "series")}
        edges = [{"window": r.window, "edge": r.edge, "time_ns": r.time_ns} for r in readings]
        scrapes, series = _pages(readings)
        return {
            "counters": pd.DataFrame([edge | r.counters for edge, r in zip(edges, readings, strict=True)]),
            "host": pd.DataFrame([edge | vars(r.host) for edge, r in zip(edges, readings, strict=True)]),
            "scrapes": scrapes,
            "series": series,
        }

    def _counters(self, fork: Fork) -> dict[str, float]:
        jvm = read_counters(fork.socket)
        return {
            "cpu_ns": cpu_ns(fork.pid),
            "generator_cpu_ns": self._generator_cpu_ns(),
            "allocated_bytes": jvm.allocated_bytes,
            "jit_ms": jvm.jit_ms,
            "gc_count": jvm.gc_count,
            "gc_ms": jvm.gc_ms,
            "threads": jvm.threads,
            "threads_ended": jvm.threads_ended,
            "rss_bytes": rss_bytes(fork.pid),
        }

    def _generator_cpu_ns(self) -> int:
        # Between two processes of a simulation without the kit there is none, so its share is not known.
        if self.generator is None or self.generator.poll() is not None:
            return 0
        return cpu_ns(self.generator.pid)

    def _scrape(self, fork: Fork) -> Scrape | None:
        if self.metrics_path is None:
            return None
        return scrape(fork.url + self.metrics_path, timeout_s=_SCRAPE_TIMEOUT_S)


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
