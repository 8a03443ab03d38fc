"""Forks that are up, put under a rate that rises step by step, until none of them keeps its latency budget."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from pacecar.analysis.capacity import Staircase, budget_after, next_step, step_of
from pacecar.analysis.metrics.climb import Climb
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.errors import Interrupted, PacecarError
from pacecar.measurement.deploy import ForkDied
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.stepping import Stepping, with_load
from pacecar.model.capacity import LoadStep, Top
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, Window
from pacecar.model.scenario import Scenario
from pacecar.model.tables import empty_table


@dataclass(frozen=True, kw_only=True)
class MadeStep:
    """A step of one side. One that died made none of its windows.

    Attributes:
        step: what it did.
        windows: of the step.
        used_ns: window -> its CPU time, compilers included, of those of which it is known.
        pool_cpu: the same by pools, as in `TABLES["pool_cpu"]`.
    """

    step: LoadStep
    windows: tuple[Window, ...] = ()
    used_ns: pd.Series[float] = field(default_factory=lambda: pd.Series(dtype="float64"))
    pool_cpu: pd.DataFrame = field(default_factory=lambda: empty_table("pool_cpu"))

    @property
    def cores(self) -> float:
        """That it used, on average."""
        seconds = sum(window.seconds for window in self.windows if window.index in self.used_ns.index)
        return float(self.used_ns.sum()) / 1e9 / seconds if seconds else 0.0


@dataclass(kw_only=True)
class Climbing:
    """The staircase of forks that are up, as far as it has got.

    Attributes:
        stepping: puts them under one load after the other.
        scenario: what they are asked; its rate is that of the first step.
        within_ms: the latency budget; None for one that follows from the first step.
        lowest_per_s: how far the rate may be lowered where the first step breaks the budget.
        made: the steps of each side.
        notes: what a reader should know.
        interrupted: by whom it was ended.
    """

    stepping: Stepping
    scenario: Scenario
    within_ms: float | None = None
    lowest_per_s: float = math.inf
    made: dict[Side, list[MadeStep]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    interrupted: Interrupted | None = None

    def climb(self) -> Staircase:
        """Make every step.

        A fork that dies has broken the budget: it is not measured any further, nor is what was up beside it.

        Raises:
            DeployError: when a fork dies in the first step.
            LoadError: when the load generator fails.
        """
        sides: Sequence[Side] = tuple(self.stepping.forks)
        rate = self.scenario.rate_per_s
        for number in itertools.count(1):
            self.stepping.context.say(Phase.LOAD, f"step {number}, {rate:g}/s")
            try:
                pair = self.stepping.step(with_load(self.scenario, rate), sides)
            except ForkDied as death:
                if number == 1:
                    raise
                self.notes.append(f"Under {rate:g} requests/s: {death.message}")
                self._note_deaths(rate)
                return Staircase(climbs=self.climbs, top=Top.DIED)
            self._note(pair, sides, rate)
            following = next_step(self.climbs, lowest_per_s=self.lowest_per_s)
            if isinstance(following, Top):
                return Staircase(climbs=self.climbs, top=following)
            if not self.stepping.time_for_another:
                return Staircase(climbs=self.climbs, top=Top.TIME)
            rate, sides = following
        raise AssertionError  # steps are counted without an end

    def climb_if_possible(self) -> None:
        """The same where more hangs on it than this: raises nothing, see `notes` and `interrupted`.

        A staircase that was ended early has none of its steps kept: it would look like one that found no limit.
        """
        try:
            self.climb()
        except Interrupted as interrupted:
            self.interrupted = interrupted
            self._lose("The run was interrupted while the load was raised step by step")
        except PacecarError as error:
            self._lose(f"While the load was raised step by step: {error.message}")

    @property
    def climbs(self) -> dict[Side, Climb]:
        """What each side has done so far."""
        within_ms = self.within_ms or math.inf
        return {
            side: Climb(steps=tuple(each.step for each in made), within_ms=within_ms)
            for side, made in self.made.items()
        }

    def _note(self, pair: Pair, sides: Sequence[Side], rate: float) -> None:
        for side in sides:
            fork = MeasuredFork.of(pair, side)
            self.made.setdefault(side, []).append(
                MadeStep(
                    step=step_of(pair, side, rate_per_s=rate),
                    windows=fork.windows,
                    used_ns=fork.growth("cpu_ns"),
                    pool_cpu=fork.inside("pool_cpu"),
                )
            )
        if self.within_ms is None:
            self.within_ms = max(budget_after(made[0].step) for made in self.made.values())

    def _note_deaths(self, rate: float) -> None:
        for side, fork in self.stepping.forks.items():
            try:
                fork.check()
            except ForkDied:
                broke = LoadStep(rate_per_s=rate, answered_per_s=0.0, latency_ms=math.inf, busy=math.nan)
                self.made[side].append(MadeStep(step=broke))

    def _lose(self, why: str) -> None:
        self.made.clear()
        self.notes.append(f"{why.rstrip('.')}; its capacity is missing from this pair.")
