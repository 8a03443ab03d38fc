"""The time before the first window: both forks under load until they are steady, then moved to their own cores.

While they warm up until they are steady, forks may run on every core: nothing is measured yet, and compilers that need
not share a core with the service are done sooner. A warm-up of fixed length is spent on the cores of the measurement:
there both sides get the same share, while on every core the one that sits beside the load generator falls behind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle

import pandas as pd

from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.load.injector import Clock
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.live_heap import collect
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.warmup import Steadiness, Warmth
from pacecar.model.experiment import Side
from pacecar.model.tables import empty_table

_TICK_NS = 1_000_000_000
#: How long before the first window the heaps are collected at the latest, and forks at the measured rate left alone.
_LEAD_NS = 5_000_000_000
#: Where the burst ends no longer before the first window, the heaps are collected before it does: its users wait for
#: their answers, while arrivals would pile up behind a collection, and the service start threads for them.
_SOON_NS = 9_000_000_000


@dataclass(kw_only=True)
class Warming:
    """The warm-up of one pair.

    Attributes:
        context: plan, cores and who is told.
        reader: reads the forks' counters.
        rows: what was seen of each side, in the columns of `TABLES["warmup"]`.
        collected: whether their heaps were collected.
        live: what each had kept then, where that is known.
        unsettled: per side, in what way it was not steady when the first window began; None when it was.
    """

    context: RunContext
    reader: EdgeReader
    rows: dict[Side, list[dict[str, float]]] = field(default_factory=dict)
    collected: bool = False
    live: dict[Side, LiveHeap] = field(default_factory=dict)
    unsettled: dict[Side, str | None] = field(default_factory=dict)

    def until_measured(self, run: LoadRun, begun: Clock) -> Clock:
        """Watch the forks until shortly before the first window; from the end of the burst on, on the cores they keep.

        The kit announces when the first window begins once the burst is over, which is ended early if that is wanted; a
        warm-up without a burst has it announced from the start.

        Raises:
            ForkDied: when a fork dies.
            LoadError: when the load generator fails.
        """
        plan = self.context.experiment.plan
        watched = {side: Steadiness() for side in self.reader.forks}
        turns = cycle(watched)
        clock = begun
        for side in watched:  # what each has used before any load
            self._note(side, self.reader.now(), self.reader.warmth(side), run.sent().get(side, 0))
        if not plan.steady:
            self._share()
        while not clock.final:
            self._second(run, begun, watched, rehearsed=next(turns))
            steady = plan.steady and all(each.steady for each in watched.values())
            if steady or self._within(_LEAD_NS, clock):
                self.collect(by_ns=clock.measure_start_ns)
            if steady:
                run.end_burst()
            clock = run.clock() or clock
        if not begun.final and self._within(_SOON_NS, clock):
            self.collect(by_ns=clock.measure_start_ns)
        self.pin()
        while not self._within(_LEAD_NS, clock):
            self._second(run, begun, watched, rehearsed=next(turns))
        self.collect(by_ns=clock.measure_start_ns)
        if plan.steady:
            self.unsettled = {side: each.unsettled for side, each in watched.items()}
        return clock

    def pin(self) -> None:
        """Put the forks onto the cores of the measurement."""
        cores = self.context.cores
        if cores.target:
            for fork in self.reader.forks.values():
                # A compiler at work beside the requests makes them slow by chance; beside the generator it waits.
                fork.pin(cores.target, compilers=cores.generator, yielding=True)

    def collect(self, *, by_ns: int) -> None:
        """Have both sides begin with a collected heap, once, as far as that is done by `by_ns`.

        What a fork has promoted until then differs by chance, and stays: young collections of one take up to two fifths
        longer than its twin's in all windows (`benchmarks/noise`).
        """
        if self.collected:
            return
        self.collected = True
        left = (by_ns - self.reader.now()) / 1e9
        if left > 0:
            self.live = collect(self.reader.forks, timeout_s=left)

    def _within(self, ahead_ns: int, clock: Clock) -> bool:
        """Whether the first window begins in no more than `ahead_ns`."""
        return self.reader.now() >= clock.measure_start_ns - ahead_ns

    def _share(self) -> None:
        """Put the forks onto the cores of the measurement; their compilers there hold back the one that is ahead."""
        cores = self.context.cores
        if cores.target:
            for fork in self.reader.forks.values():
                fork.pin(cores.target)

    def table(self, side: Side) -> pd.DataFrame:
        """What was seen of one side, in the columns of `TABLES["warmup"]`."""
        rows = self.rows.get(side, [])
        return pd.DataFrame(rows) if rows else empty_table("warmup")

    def _second(self, run: LoadRun, begun: Clock, watched: dict[Side, Steadiness], *, rehearsed: Side) -> None:
        """Wait for a second, look at the forks, and ask one of them for its metrics page."""
        self.reader.wait_until(self.reader.now() + _TICK_NS)
        run.require_going()
        self._look(run, begun, watched)
        self.reader.rehearse(rehearsed)
        self.context.say(Phase.WARMUP, ", ".join(f"{side.value} {each.state}" for side, each in watched.items()))

    def _look(self, run: LoadRun, begun: Clock, watched: dict[Side, Steadiness]) -> None:
        sent = run.sent()
        for side, steadiness in watched.items():
            now = self.reader.now()
            counters = self.reader.warmth(side)
            jit_ns = counters["jit_cpu_ns"]
            jit_ms = self._note(side, now, counters, sent.get(side, 0))
            steadiness.add(
                Warmth(
                    time_s=(now - begun.load_start_ns) / 1e9,
                    requests=sent.get(side, 0),
                    cpu_s=(counters["cpu_ns"] - (jit_ns if math.isfinite(jit_ns) else 0.0)) / 1e9,
                    jit_s=jit_ms / 1e3 if math.isfinite(jit_ms) else math.nan,
                )
            )

    def _note(self, side: Side, now: int, counters: Mapping[str, float], requests: int) -> float:
        """Add a row; returns the time of the compilers in it."""
        jit_ns = counters["jit_cpu_ns"]
        jit_ms = jit_ns / 1e6 if math.isfinite(jit_ns) else counters["jit_ms"]
        self.rows.setdefault(side, []).append(
            {"time_ns": now, "requests": requests, "cpu_ns": counters["cpu_ns"], "jit_ms": jit_ms}
        )
        return jit_ms
