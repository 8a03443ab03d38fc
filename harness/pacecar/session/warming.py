"""The time before the first window: both forks under load until they are steady, then moved to their own cores.

While they warm up until they are steady, forks may run on every core: nothing is measured yet, and compilers that need
not share a core with the service are done sooner. A warm-up of fixed length is spent on the cores of the measurement:
there both sides get the same share, while on every core the one that sits beside the load generator falls behind.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from itertools import cycle

import pandas as pd

from pacecar.experiment import Side
from pacecar.load.clock import Clock
from pacecar.load.errors import LoadError
from pacecar.load.gatling import GatlingRun
from pacecar.recording import empty_table
from pacecar.session.bench import Bench
from pacecar.session.edges import EdgeReader
from pacecar.session.progress import Phase
from pacecar.warmup import Steadiness, Warmth

_TICK_NS = 1_000_000_000
#: How long before the planned end of the warm-up the heaps are collected at the latest: the first window must not wait.
_COLLECT_NS = 5_000_000_000


@dataclass(kw_only=True)
class Warming:
    """The warm-up of one pair.

    Attributes:
        bench: plan, cores and who is told.
        reader: reads the forks' counters.
        rows: what was seen of each side, in the columns of `TABLES["warmup"]`.
        unsettled: per side, in what way it was not steady when the first window began; "" when it was.
    """

    bench: Bench
    reader: EdgeReader
    rows: dict[Side, list[dict[str, float]]] = field(default_factory=dict)
    unsettled: dict[Side, str] = field(default_factory=dict)

    def until_measured(self, run: GatlingRun, begun: Clock) -> Clock:
        """Watch the burst until the kit has announced when the first window begins; end it early if that is wanted.

        Raises:
            ForkDied: when a fork dies.
            LoadError: when the load generator fails.
        """
        watched = {side: Steadiness() for side in self.reader.forks}
        turns = cycle(watched)
        clock = begun
        collected = False
        if not self.bench.experiment.plan.steady:
            self._share()
        while not clock.final:
            self.reader.wait_until(time.time_ns() + _TICK_NS)
            if run.poll() is not None:
                raise LoadError("The load generator ended before the first window.", hint=f"Its output: {run.log}")
            self._look(run, begun, watched)
            self.reader.rehearse(next(turns))
            steady = self.bench.experiment.plan.steady and all(each.steady for each in watched.values())
            if not collected and (steady or time.time_ns() >= begun.measure_start_ns - _COLLECT_NS):
                self._collect()
                collected = True
            if steady:
                run.end_burst()
            states = (f"{side.value} {each.state}" for side, each in watched.items())
            self.bench.say(Phase.WARMUP, ", ".join(states))
            clock = run.clock() or clock
        self.pin()
        if self.bench.experiment.plan.steady:
            self.unsettled = {side: each.unsettled for side, each in watched.items()}
        return clock

    def pin(self) -> None:
        """Put the forks onto the cores of the measurement."""
        cores = self.bench.cores
        if cores.target:
            for fork in self.reader.forks.values():
                # A compiler at work beside the requests makes them slow by chance; beside the generator it waits.
                fork.pin(cores.target, compilers=cores.generator, yielding=True)

    def _share(self) -> None:
        """Put the forks onto the cores of the measurement; their compilers there hold back the one that is ahead."""
        cores = self.bench.cores
        if cores.target:
            for fork in self.reader.forks.values():
                fork.pin(cores.target)

    def table(self, side: Side) -> pd.DataFrame:
        """What was seen of one side, in the columns of `TABLES["warmup"]`."""
        rows = self.rows.get(side, [])
        return pd.DataFrame(rows) if rows else empty_table("warmup")

    def _collect(self) -> None:
        """Have both sides begin with a collected heap.

        What a fork has promoted until then differs by chance, and stays: young collections of one take up to two fifths
        longer than its twin's in all windows (`benchmarks/noise`).
        """
        for fork in self.reader.forks.values():
            fork.collect()

    def _look(self, run: GatlingRun, begun: Clock, watched: dict[Side, Steadiness]) -> None:
        sent = run.sent()
        for side, steadiness in watched.items():
            now = time.time_ns()
            counters = self.reader.warmth(side)
            jit_ns = counters["jit_cpu_ns"]
            apart = math.isfinite(jit_ns)
            jit_ms = jit_ns / 1e6 if apart else counters["jit_ms"]
            self.rows.setdefault(side, []).append(
                {"time_ns": now, "requests": sent.get(side, 0), "cpu_ns": counters["cpu_ns"], "jit_ms": jit_ms}
            )
            steadiness.add(
                Warmth(
                    time_s=(now - begun.load_start_ns) / 1e9,
                    requests=sent.get(side, 0),
                    cpu_s=(counters["cpu_ns"] - (jit_ns if apart else 0.0)) / 1e9,
                    jit_s=jit_ms / 1e3 if math.isfinite(jit_ms) else math.nan,
                )
            )
