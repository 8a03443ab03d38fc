"""Reading a fork whose processes this machine has."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from typing import Protocol

from pacecar.measurement.probes.calls import CallCounts, CallsMissing, read_calls
from pacecar.measurement.probes.families import process_tree, used_by
from pacecar.measurement.probes.peers import Peer, PeerReader
from pacecar.measurement.probes.probe import Probe, Probed, ProbeFailed
from pacecar.measurement.probes.prometheus import Scrape, scrape
from pacecar.measurement.probes.registry import PROBES
from pacecar.measurement.probes.threads import threads_of
from pacecar.measurement.watch.reading import CounterReading
from pacecar.measurement.watch.watch import Edge, Watched

_SCRAPE_TIMEOUT_S = 2.0
COUNTERS = "counters"
#: Counters by which a warm-up is watched. The rest is for edges: what a service has open takes a while to list.
WARMTH = frozenset({"cpu_ns", "jit_cpu_ns", "jit_ms"})


class _Started(Protocol):
    """What was started for a fork; see `deploy.dependencies.Dependencies`."""

    @property
    def roots(self) -> Mapping[str, Iterable[int]]:
        """Name -> ids of its first processes."""


class WatchedFork(Probed, Protocol):
    """A fork as it is watched; see `deploy.fork.Fork`."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def dependencies(self) -> _Started:
        """What was started for it."""


class LocalWatch:
    """See `Watch`.

    Args:
        subject: the fork.
        watched: what is read of it.
    """

    def __init__(self, subject: WatchedFork, watched: Watched) -> None:
        self._subject = subject
        self._watched = watched
        self._peers = PeerReader()

    def at_edge(self, edge: Edge, *, page_within_s: float | None) -> CounterReading:
        """See `Watch`. The patience is until a moment, because a service that is slow with its page is slow with both
        pages of a gap, and the counters must not come late for it.
        """
        by_ns = None if page_within_s is None else time.monotonic_ns() + int(page_within_s * 1e9)
        page = self._scrape(by_ns) if edge == "start" else None
        now, notes = time.time_ns(), list[str]()
        rows, threads = self._rows(PROBES, notes), threads_of(self._subject.pid)
        calls = self._calls(notes) if self._watched.calls_in_windows else None
        peers, dependencies = self._around()
        if edge == "end":
            page = self._scrape(by_ns)
        return CounterReading(
            time_ns=now,
            rows=rows,
            peers=peers,
            dependencies=dependencies,
            threads=threads,
            calls=calls,
            page=page,
            notes=tuple(notes),
        )

    def counters(self) -> CounterReading:
        """See `Watch`."""
        now, notes = time.time_ns(), list[str]()
        rows, calls = self._rows(PROBES, notes), self._calls(notes)
        return CounterReading(time_ns=now, rows=rows, calls=calls, notes=tuple(notes))

    def warmth(self) -> CounterReading:
        """See `Watch`."""
        probes = [probe for probe in PROBES if probe.name == COUNTERS and WARMTH.intersection(probe.columns)]
        now, notes = time.time_ns(), list[str]()
        return CounterReading(time_ns=now, rows=self._rows(probes, notes), notes=tuple(notes))

    def page(self) -> Scrape | None:
        """See `Watch`."""
        return self._scrape(None)

    def rehearse(self, *, within_s: float) -> None:
        """See `Watch`: whom the service is connected to takes a while to find, and is found now."""
        self._around()
        self._scrape(time.monotonic_ns() + int(within_s * 1e9))

    def _rows(self, probes: Iterable[Probe], notes: list[str]) -> dict[str, dict[str, float]]:
        """What `probes` read, by table."""
        rows: dict[str, dict[str, float]] = {}
        for probe in probes:
            try:
                found = probe.read(self._subject)
            except ProbeFailed as error:
                # A service may drop the agent, or be too busy to answer: the rest is still worth having.
                notes.append(error.message)
                found = dict.fromkeys(probe.columns, math.nan)
            if found is not None:
                rows.setdefault(probe.name, {}).update(found)
        return rows

    def _around(self) -> tuple[tuple[Peer, ...], dict[str, int]]:
        """The peers of the fork, and the CPU time of what was started for it, which are no peers."""
        # Of a container the account says what works for it; processes beside it on this machine are not in its network.
        if self._subject.containers is not None:
            return (), {}
        families = {name: process_tree(roots) for name, roots in self._subject.dependencies.roots.items()}
        known = {pid for members in families.values() for pid in members}
        peers = self._peers.read(self._subject.pid, known=known)
        return peers, {name: used_by(members) for name, members in families.items()}

    def _calls(self, notes: list[str]) -> CallCounts | None:
        if not self._watched.calls:
            return None
        try:
            return read_calls(self._subject.socket)
        except CallsMissing as error:
            notes.append(error.message)
            return None

    def _scrape(self, by_ns: int | None) -> Scrape | None:
        if self._watched.metrics_path is None:
            return None
        now = time.monotonic_ns()
        if by_ns is not None and by_ns <= now:
            error = "There was no time left for the metrics page."
            return Scrape(body=b"", time_ns=time.time_ns(), duration_ms=0.0, error=error)
        timeout_s = _SCRAPE_TIMEOUT_S if by_ns is None else (by_ns - now) / 1e9
        return scrape(self._subject.url + self._watched.metrics_path, timeout_s=timeout_s)
