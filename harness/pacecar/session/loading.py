"""Putting the forks of a pair under load, window by window.

A simulation on the kit serves the whole pair in one Gatling process that switches between the sides by itself.
Any other simulation gets a process per window, and before the first one an unmeasured process per side.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pacecar import schedule
from pacecar.experiment import Side
from pacecar.load.clock import Clock
from pacecar.load.errors import LoadError
from pacecar.load.gatling import GatlingRun, Generator
from pacecar.load.plan import write_plan
from pacecar.recording import Window
from pacecar.session.bench import Bench
from pacecar.session.edges import EdgeReader
from pacecar.session.progress import Phase
from pacecar.session.warming import Warming

_GATLING_START_S = 60.0
_GATLING_END_S = 30.0


@dataclass(frozen=True, kw_only=True)
class GeneratorLog:
    """One Gatling process's files; `window` is None when the process served all windows of the pair."""

    log: Path
    gc_log: Path
    window: int | None


@dataclass(kw_only=True)
class Loaded:
    """What the load has left behind so far; grows window by window, so that a death loses only the rest.

    Attributes:
        first_window: index of the first window, within the pair.
        windows: those that are over.
        logs: of the load generator.
        arrivals: planned and real sending; its slices are counted from 0.
        notes: what a reader should know.
    """

    first_window: int = 0
    windows: list[Window] = field(default_factory=list)
    logs: list[GeneratorLog] = field(default_factory=list)
    arrivals: Path | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class Loading:
    """The load on one pair.

    Attributes:
        bench: tools, plan and who is told.
        number: of the pair.
        order: the side under load in each window.
        urls: base URL per side; its sides are warmed in this order.
        reader: reads the edges of each window.
        folder: where the load generator's files go.
        warming: watches the forks until they are measured.
        done: what has been measured so far.
    """

    bench: Bench
    number: int
    order: Sequence[Side]
    urls: dict[Side, str]
    reader: EdgeReader
    folder: Path
    warming: Warming
    done: Loaded = field(default_factory=Loaded)

    def drive(self) -> None:
        """Warm the forks and measure every window. Raises ForkDied or LoadError; `done` keeps what came before."""
        if self.bench.experiment.scenario.sliced:
            self._drive_slices()
        else:
            self._drive_long_windows()

    def _drive_slices(self) -> None:
        experiment, plan = self.bench.experiment, self.bench.experiment.plan
        self.bench.say(Phase.LOAD, "starting the load generator")
        plan_file = write_plan(
            self.folder / "plan.json",
            scenario=experiment.scenario,
            plan=plan,
            order=self.order,
            urls=self.urls,
            seed=schedule.pair_seed(plan, self.number),
        )
        with GatlingRun.start_sliced(plan_file, scenario=experiment.scenario, generator=self._generator()) as run:
            self.reader.generator = run
            self.done.arrivals = run.arrivals_path
            with self.bench.stopwatch.phase(Phase.LOAD):
                begun = run.await_clock(_GATLING_START_S)
            with self.bench.stopwatch.phase(Phase.WARMUP):
                clock = self.warming.until_measured(run, begun)
                self.reader.wait_until(clock.measure_start_ns - int(plan.gap_s * 1e9))
            with self.bench.stopwatch.phase(Phase.LOAD):
                try:
                    self._slices(clock)
                    self._end(run)
                finally:
                    self._keep(run, window=None)

    def _end(self, run: GatlingRun) -> None:
        # A service that is swamped keeps the generator waiting. What was answered is measured all the same, and the
        # judge decides whether it can be trusted.
        self.reader.wait_for_generator(_GATLING_END_S)
        if run.poll() is not None:
            run.finish(timeout_s=0)
            return
        run.close()
        self.done.notes.append(
            f"{_GATLING_END_S:.0f} s after the last window requests were still unanswered; they are not in the record."
        )

    def _slices(self, clock: Clock) -> None:
        for index, side in enumerate(self.order):
            start_ns = clock.measure_start_ns + index * (clock.slice_ns + clock.gap_ns)
            window = Window(
                index=self.done.first_window + index, side=side, start_ns=start_ns, end_ns=start_ns + clock.slice_ns
            )
            self.bench.say(Phase.LOAD, f"window {index + 1} of {len(self.order)}, {side.value}")
            self.reader.window(window, gap_s=self.bench.experiment.plan.gap_s)
            self.done.windows.append(window)

    def _drive_long_windows(self) -> None:
        plan = self.bench.experiment.plan
        self.warming.pin()
        for side in self.urls:
            with self.bench.stopwatch.phase(Phase.WARMUP):
                self.bench.say(Phase.WARMUP, side.value)
                self._plain_run(side, folder=self.folder / f"warmup-{side.value}", seconds=plan.warmup_s)
        for index, side in enumerate(self.order):
            with self.bench.stopwatch.phase(Phase.LOAD):
                self.bench.say(Phase.LOAD, f"window {index + 1} of {len(self.order)}, {side.value}")
                self._long_window(self.done.first_window + index, side)

    def _long_window(self, index: int, side: Side) -> None:
        # When such a simulation begins is its own affair: the counters are read around the whole process, which
        # costs the target nothing while the generator boots.
        self.reader.read(index, side, "start")
        start_ns = time.time_ns()
        folder = self.folder / f"window-{index}"
        run = self._plain_run(side, folder=folder, seconds=self.bench.experiment.plan.slice_s)
        end_ns = time.time_ns()
        self.reader.read(index, side, "end")
        self.done.windows.append(Window(index=index, side=side, start_ns=start_ns, end_ns=end_ns))
        self._keep(run, window=index)

    def _plain_run(self, side: Side, *, folder: Path, seconds: float) -> GatlingRun:
        scenario = self.bench.experiment.scenario
        with GatlingRun.start_plain(
            folder, scenario=scenario, url=self.urls[side], seconds=seconds, generator=self._generator()
        ) as run:
            self.reader.generator = run
            self.reader.wait_for_generator(_GATLING_START_S + 2 * seconds)
            run.finish(_GATLING_END_S)
            self.reader.generator = None
        return run

    def _keep(self, run: GatlingRun, *, window: int | None) -> None:
        # A generator that was ended early may have left no log; what there is, is kept.
        with contextlib.suppress(LoadError):
            self.done.logs.append(GeneratorLog(log=run.log_path, gc_log=run.gc_log, window=window))

    def _generator(self) -> Generator:
        return Generator(
            custody=self.bench.custody,
            classpath=self.bench.toolchain.classpath,
            java=self.bench.java,
            cpus=self.bench.cores.generator,
        )
