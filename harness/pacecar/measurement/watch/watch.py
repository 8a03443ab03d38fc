"""What the session asks of a fork while its windows are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from pacecar.errors import MeasurementError
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.watch.reading import CounterReading

Edge = Literal["start", "end"]


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What is read of a fork.

    Attributes:
        metrics_path: its Prometheus page; None for none.
        calls: whether its counter agent counts calls, which it does from when it is first asked for them.
        calls_in_windows: whether it is asked for them at the edges of windows, and not only where one endpoint is
            asked after them.
    """

    metrics_path: str | None = None
    calls: bool = False
    calls_in_windows: bool = False


class WatchLost(MeasurementError):
    """What reads a fork does not answer any more; whether the fork is gone, too, the fork itself may know."""


class Watch(Protocol):
    """Reads one fork. Every method raises ProcessGone when the fork has ended, and may raise WatchLost."""

    def at_edge(self, edge: Edge, *, page_within_s: float | None) -> CounterReading:
        """All counters now, with the metrics page: before them at the start of a window, after them at its end.

        Args:
            edge: which.
            page_within_s: from now on, how long until the page must be there, whatever the counters take; None for the
                usual patience.
        """

    def counters(self) -> CounterReading:
        """The counters now, without what takes long: threads, what is around the service, the page."""

    def warmth(self) -> CounterReading:
        """The few counters by which a warm-up is watched."""

    def page(self) -> Scrape | None:
        """The metrics page now; None where there is none."""

    def rehearse(self, *, within_s: float) -> None:
        """Do what is slow the first time, the metrics page within `within_s`, and keep nothing of it."""
