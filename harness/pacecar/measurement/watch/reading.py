"""What is read of one fork at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pacecar.measurement.probes.calls import CallCounts
from pacecar.measurement.probes.peers import Peer
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.probes.threads import ThreadTimes


@dataclass(frozen=True, kw_only=True)
class CounterReading:
    """The counters of one fork at one moment.

    Attributes:
        time_ns: when they were read.
        rows: table -> column -> value, for each table that probes have read something for.
        peers: processes that the service is connected to.
        dependencies: name -> CPU time in ns of each process that was started for the fork.
        threads: of the service, by their ids.
        calls: counts of calls; None where nobody counts any.
        page: the metrics page; None where there is none.
        notes: why counters are missing.
    """

    time_ns: int
    rows: Mapping[str, Mapping[str, float]]
    peers: tuple[Peer, ...] = ()
    dependencies: Mapping[str, int] = field(default_factory=dict)
    threads: Mapping[int, ThreadTimes] = field(default_factory=dict)
    calls: CallCounts | None = None
    page: Scrape | None = None
    notes: tuple[str, ...] = ()
