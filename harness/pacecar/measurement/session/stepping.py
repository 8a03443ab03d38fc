"""Forks that are up, put under one load after the other: what finds a load that fits, or is too much.

Each step has windows of its own load on the same forks, and begins when nothing of the one before is under way any
more. What it records has the shape of a pair, so that the judge's own readers tell how busy the service was; it is kept
nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from pacecar.measurement.deploy.fork import Fork
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.session import tables
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.loading import Loading
from pacecar.measurement.session.striking import out_of_pair
from pacecar.measurement.session.warming import Warming
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.watch.watch import Watched
from pacecar.model.experiment import Plan, Side
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord
from pacecar.model.scenario import Scenario
from pacecar.model.tables import empty_table
from pacecar.text.hidden import Struck

#: Windows of a side in a step, and their length: at 10 requests a second some 60 requests.
WINDOWS = 2
WINDOW_S = 3.0
#: Between them; where sides take turns, what one of them could not answer at once is not to be in the other's way.
_GAP_S, _GAP_OF_TURNS_S = 0.5, 1.0
#: Load before the windows: first as fast as the service answers, until it is steady or for so long, then at the step's
#: own rate. After 15 s a large service still needs three times the CPU per request that it needs after a minute, and a
#: load that fits it then leaves it idle in a comparison. Where no burst is wanted, nothing ends the first load early.
_BURST_AT_MOST_S = 45.0
_FIRST_LOAD_S = 15.0
_SETTLING_S = 2.0
#: How long after a step answers are waited for: whoever needs longer does not keep up.
_PATIENCE_S = 3.0
#: How long a step takes beside the load, until one was made.
_OVERHEAD_S = 8.0


def step_seconds(*, first: bool, sides: int = 1) -> float:
    """How long load is sent in a step, at most."""
    return (_BURST_AT_MOST_S if first else 0.0) + _SETTLING_S + sides * WINDOWS * (WINDOW_S + _gap_s(sides))


def _gap_s(sides: int) -> float:
    return _GAP_S if sides == 1 else _GAP_OF_TURNS_S


def _order(sides: Sequence[Side]) -> tuple[Side, ...]:
    """There and back, so that what drifts meets both alike."""
    return (*sides, *reversed(sides))


@dataclass(kw_only=True)
class Stepping:
    """Forks that are up, to be put under one load after the other.

    Attributes:
        context: of their deployment.
        forks: by side.
        folder: of the load generator's files; each step has a folder in it.
        struck: what is struck out of whatever is recorded.
        warmed: they have served load already.
        deadline: by the monotonic clock, when the last step is to be over.
        settled_by_users: before the windows of a step, users ask who wait for their answers, so that nothing piles up;
            else requests come at the step's own rate.
    """

    context: RunContext
    forks: dict[Side, Fork]
    folder: Path
    struck: Struck
    deadline: float
    warmed: bool = False
    settled_by_users: bool = False
    _steps: int = 0
    _longest_s: float = _OVERHEAD_S

    @property
    def time_for_another(self) -> bool:
        """Whether one more step would end in time; there is always time for the first."""
        longest_s = max(self._longest_s, step_seconds(first=False, sides=len(self.forks)) + _OVERHEAD_S)
        return self._steps == 0 or time.monotonic() + longest_s + _PATIENCE_S <= self.deadline

    def step(self, scenario: Scenario, sides: Sequence[Side] | None = None) -> Pair:
        """The forks under the load of `scenario`, one in turn with the other.

        Args:
            scenario: the load on the side whose turn it is.
            sides: that take part; all where None is named.

        Raises:
            ForkDied: when one dies.
            LoadError: when the load generator fails.
        """
        began, first = time.monotonic(), self._steps == 0
        self._steps += 1
        experiment = self.context.experiment
        order = _order(tuple(self.forks) if sides is None else sides)
        plan = plan_of_step(
            experiment.plan, cold=first and not self.warmed, sides=len(set(order)), by_users=self.settled_by_users
        )
        context = replace(
            self.context, experiment=replace(experiment, scenario=replace(scenario, traced=False), plan=plan)
        )
        load = self._loading(context, order)
        try:
            load.drive()
        except ProcessGone:
            self._check()  # says how the fork ended
            raise
        pair = out_of_pair(self._pair(load), self.struck)
        if not first:
            self._longest_s = max(self._longest_s, time.monotonic() - began)
        return pair

    def _check(self) -> None:
        for fork in self.forks.values():
            fork.check()

    def _loading(self, context: RunContext, order: Sequence[Side]) -> Loading:
        reader = EdgeReader(forks=self.forks, watched=Watched(), check=self._check, buckets=False)
        return Loading(
            context=context,
            number=self._steps,
            order=order,
            urls={side: fork.url for side, fork in self.forks.items() if side in order},
            reader=reader,
            folder=self.folder / f"step-{self._steps}",
            warming=Warming(context=context, reader=reader, collected=True),  # a heap as it is will do
            patience_s=_PATIENCE_S,
        )

    def _pair(self, load: Loading) -> Pair:
        done = load.done
        arrivals = tables.arrivals([(record, done.first_window) for record in done.sliced], done.windows)
        requests = tables.refined(tables.requests(done.kept, done.windows).tables, arrivals)
        forks = {side: self._of_fork(load, side, requests=requests, arrivals=arrivals) for side in load.urls}
        about = PairRecord(
            number=self._steps,
            first=load.order[0],
            windows=tuple(done.windows),
            forks={side: fork.record for side, fork in forks.items()},
            generator_cpus=self.context.cores.generator,
        )
        return Pair(record=about, forks=forks)

    def _of_fork(
        self, load: Loading, side: Side, *, requests: Mapping[Side, pd.DataFrame], arrivals: Mapping[Side, pd.DataFrame]
    ) -> ForkData:
        fork = self.forks[side]
        generators = [kept.record for kept in load.done.kept]
        return ForkData(
            record=ForkRecord(side=side, command=fork.command, ready_s=fork.ready_s, cpus=fork.cpus),
            tables={
                "requests": requests.get(side, empty_table("requests")),
                "arrivals": arrivals.get(side, empty_table("arrivals")),
                **load.reader.tables(side),
                "pauses": tables.pauses(target=fork.gc_log, generators=generators),
                "stalls": tables.stalls(fork.gc_log),
                "hiccups": tables.hiccups(generators),
            },
        )


def with_load(scenario: Scenario, amount: float) -> Scenario:
    """`scenario` with `amount` requests per second, or users."""
    if scenario.by_the_clock:
        return replace(scenario, rate_per_s=amount)
    return replace(scenario, users=int(amount))


def plan_of_step(plan: Plan, *, cold: bool, sides: int, by_users: bool) -> Plan:
    """What a step is measured by.

    Args:
        plan: of the comparison.
        cold: the forks have served no load yet.
        sides: that take part.
        by_users: see `Stepping.settled_by_users`.
    """
    warming_s = 0.0 if not cold else _BURST_AT_MOST_S if plan.burst_s else _FIRST_LOAD_S
    users_s = warming_s + (_SETTLING_S if by_users else 0.0)
    return replace(
        plan,
        pairs=1,
        side_s=WINDOWS * WINDOW_S,
        slice_s=WINDOW_S,
        gap_s=_gap_s(sides),
        warmup_s=warming_s + _SETTLING_S,
        # Where no burst is wanted, the first load warms by itself.
        burst_s=users_s if plan.burst_s or by_users else 0.0,
        steady=cold and bool(plan.burst_s),
    )
