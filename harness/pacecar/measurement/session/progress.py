"""What a run is doing, and where its time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from pacecar.model.comparison import Look


class Phase(StrEnum):
    """Where the time of a run goes. Everything that is not one of the first four is the harness's own."""

    BUILD = "build"
    DEPLOY = "deploy"
    WARMUP = "warm-up"
    LOAD = "load"
    HARNESS = "harness"


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One thing worth telling the person who waits.

    Attributes:
        phase: what is going on.
        detail: a few words, such as `window 3 of 8, candidate`.
        pair: number of the pair in flight, 0 before the first.
        pairs: pairs planned at most.
        look: what the pairs so far show.
        remaining_s: about how long the run still takes.
    """

    phase: Phase
    detail: str
    pair: int
    pairs: int
    look: Look
    remaining_s: float


Tell = Callable[[Progress], None]


@dataclass(kw_only=True)
class Stopwatch:
    """Seconds per phase. Phases do not nest: time inside a phase belongs to that phase alone."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Add the time spent inside to `phase`."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.add(phase, time.monotonic() - started)

    def add(self, phase: Phase, seconds: float) -> None:
        """Add `seconds` to `phase`."""
        self.seconds[phase.value] = self.seconds.get(phase.value, 0.0) + seconds
