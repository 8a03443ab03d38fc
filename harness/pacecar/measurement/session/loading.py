"""Putting the forks of a pair under load, window by window.

A simulation on the kit serves the whole pair in one Gatling process that switches between the sides by itself.
Any other simulation gets a process per window, and before the first one an unmeasured process per side.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.measurement import schedule
from pacecar.measurement.load import load_run
from pacecar.measurement.load.injector import Clock, LoadGenerator, LoadRecord, SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.load.steady_clock import SteadyClock
from pacecar.measurement.pods.clock import Offset
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.counting import Counting
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.warming import Warming
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.model.experiment import Side
from pacecar.model.recording import Window

_GENERATOR_START_S = 60.0
_GENERATOR_END_S = 30.0
#: How long a collection before the first window is waited for, where no clock of the generator's says when that begins.
_COLLECTION_NS = 20_000_000_000


@dataclass(frozen=True, kw_only=True)
class KeptRecord:
    """What one injector has left behind; `window` is None when it served all windows of the pair."""

    record: LoadRecord
    window: int | None

    @property
    def suffix(self) -> str:
        """Of the names of its files, which tells them from those of the pair's other runs and injectors."""
        of_window = "" if self.window is None else f"-{self.window}"
        return of_window + (f"-injector-{self.record.injector}" if self.record.injector else "")


@dataclass(kw_only=True)
class Loaded:
    """What the load has left behind so far; grows window by window, so that a death loses only the rest.

    Attributes:
        first_window: index of the first window, within the pair.
        windows: those that are over.
        kept: what injectors have left behind.
        warmed: what those have left behind that did nothing but warm one side.
        sliced: of those that switch between the sides, and tell of planned and real sending.
        notes: what a reader should know.
        stepped: how far this machine's clock was set meanwhile; None while that is not known.
    """

    first_window: int = 0
    windows: list[Window] = field(default_factory=list)
    kept: list[KeptRecord] = field(default_factory=list)
    warmed: dict[Side, LoadRecord] = field(default_factory=dict)
    sliced: tuple[LoadRecord, ...] = ()
    notes: list[str] = field(default_factory=list)
    stepped: Offset | None = None


@dataclass(kw_only=True)
class Loading:
    """The load on one pair.

    Attributes:
        context: tools, plan and who is told.
        number: of the pair.
        order: the side under load in each window.
        urls: base URL per side; its sides are warmed in this order.
        reader: reads the edges of each window.
        folder: where the load generator's files go.
        warming: watches the forks until they are measured.
        done: what has been measured so far.
        patience_s: how long after the gap of the last window answers are waited for.
    """

    context: RunContext
    number: int
    order: Sequence[Side]
    urls: dict[Side, str]
    reader: EdgeReader
    folder: Path
    warming: Warming
    done: Loaded = field(default_factory=Loaded)
    patience_s: float = _GENERATOR_END_S

    def drive(self) -> None:
        """Warm the forks and measure every window. Raises ForkDied or LoadError; `done` keeps what came before."""
        steady = SteadyClock()
        try:
            if self.context.experiment.plan.quick:
                self._drive_blocks()
            elif self.context.experiment.scenario.sliced:
                self._drive_slices()
            else:
                self._drive_long_windows()
        finally:
            self.done.stepped = steady.stepped()

    def _drive_slices(self) -> None:
        plan = self.context.experiment.plan
        with self._sliced(seed=schedule.pair_seed(plan, self.number)) as run:
            with self.context.stopwatch.phase(Phase.LOAD):
                begun = run.await_clock(_GENERATOR_START_S)
            with self.context.stopwatch.phase(Phase.WARMUP):
                clock = self.warming.until_measured(run, begun)
                self.reader.wait_until(clock.measure_start_ns - int(plan.gap_s * 1e9))
            with self.context.stopwatch.phase(Phase.LOAD):
                try:
                    self._slices(clock)
                    self._end(run)
                finally:
                    self._keep(run, window=None)

    @contextlib.contextmanager
    def _sliced(self, *, seed: int) -> Iterator[LoadRun]:
        """A load that switches between the sides, on its way up; what it has left behind is noted in any case."""
        experiment = self.context.experiment
        self.context.say(Phase.LOAD, "starting the load generator")
        load = SlicedLoad(
            plan=experiment.plan, order=self.order, urls=self.urls, seed=seed, made=self.reader.made_addresses
        )
        injectors = experiment.scenario.injectors
        with load_run.sliced(self._generator(), self.folder, load, injectors=injectors) as run:
            self.reader.generator = run
            try:
                yield run
            finally:
                run.close()
                self.done.sliced = run.records()

    def _drive_blocks(self) -> None:
        plan = self.context.experiment.plan
        # In each pair the same requests: a count then differs by nothing but noise.
        with self._sliced(seed=schedule.pair_seed(plan, 1)) as run, self.context.stopwatch.phase(Phase.LOAD):
            run.await_clock(_GENERATOR_START_S)
            counting = Counting(
                blocks=plan.blocks,
                run=run,
                reader=self.reader,
                sides=tuple(dict.fromkeys(self.order)),
                first_window=self.done.first_window,
                windows=self.done.windows,
                notes=self.done.notes,
                say=self.context.say,
            )
            try:
                counting.drive()
                self._end(run)
            finally:
                self._keep(run, window=None)

    def _end(self, run: LoadRun) -> None:
        # A service that is swamped keeps the generator waiting. What was answered is measured all the same, and the
        # judge decides whether it can be trusted. The generator lasts until the gap after the last window is over.
        patience_s = self.context.experiment.plan.gap_s + self.patience_s
        self.reader.wait_for_generator(patience_s)
        if run.over:
            run.finish(timeout_s=0)
            return
        run.close()
        self.done.notes.append(
            f"{patience_s:.0f} s after the last window requests were still unanswered; they are not in the record."
        )

    def _slices(self, clock: Clock) -> None:
        for index, side in enumerate(self.order):
            start_ns = clock.measure_start_ns + index * (clock.slice_ns + clock.gap_ns)
            window = Window(
                index=self.done.first_window + index, side=side, start_ns=start_ns, end_ns=start_ns + clock.slice_ns
            )
            self.context.say(Phase.LOAD, f"window {index + 1} of {len(self.order)}, {side.value}")
            self.reader.window(window, gap_s=self.context.experiment.plan.gap_s)
            self.done.windows.append(window)

    def _drive_long_windows(self) -> None:
        plan = self.context.experiment.plan
        self.warming.pin()
        for side in self.urls:
            with self.context.stopwatch.phase(Phase.WARMUP):
                self.context.say(Phase.WARMUP, side.value)
                run = self._plain_run(side, folder=self.folder / f"warmup-{side.value}", seconds=plan.warmup_s)
                (self.done.warmed[side],) = run.records()
        self.warming.collect(by_ns=self.reader.now() + _COLLECTION_NS)
        for index, side in enumerate(self.order):
            with self.context.stopwatch.phase(Phase.LOAD):
                self.context.say(Phase.LOAD, f"window {index + 1} of {len(self.order)}, {side.value}")
                self._long_window(self.done.first_window + index, side)

    def _long_window(self, index: int, side: Side) -> None:
        # When such a simulation begins is its own affair: the counters are read around the whole process, which
        # costs the target nothing while the generator boots.
        self.reader.read(index, side, "start")
        steady = SteadyClock()
        start_ns = steady.now_ns()
        folder = self.folder / f"window-{index}"
        run = self._plain_run(side, folder=folder, seconds=self.context.experiment.plan.slice_s)
        end_ns = steady.now_ns()
        self.reader.read(index, side, "end")
        self.done.windows.append(Window(index=index, side=side, start_ns=start_ns, end_ns=end_ns))
        self._keep(run, window=index)

    def _plain_run(self, side: Side, *, folder: Path, seconds: float) -> LoadRun:
        with load_run.plain(
            self._generator(), folder, url=self.urls[side], seconds=seconds, made=self.reader.made_addresses
        ) as run:
            self.reader.generator = run
            self.reader.wait_for_generator(_GENERATOR_START_S + 2 * seconds)
            run.finish(_GENERATOR_END_S)
            self.reader.generator = None
        return run

    def _keep(self, run: LoadRun, *, window: int | None) -> None:
        self.done.kept += [KeptRecord(record=record, window=window) for record in run.records() if record.written]

    def _generator(self) -> LoadGenerator:
        return self.context.generator(self.context.experiment.scenario)
