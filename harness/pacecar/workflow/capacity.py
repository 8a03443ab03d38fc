"""How much load a build bears, or each of two: rates that rise, the same for both, until the latency budget breaks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pacecar.analysis.capacity import Staircase
from pacecar.analysis.capacity_change import change_of, verdict_of
from pacecar.analysis.stats.effect import Effect
from pacecar.errors import Interrupted, PacecarError
from pacecar.integrations import credentials
from pacecar.measurement.session.climbing import Climbing
from pacecar.measurement.session.forks_up import forks_up
from pacecar.measurement.session.request import Request
from pacecar.model.capacity import CapacityChange, Top
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Experiment, Side
from pacecar.system.resources import Resources
from pacecar.workflow.measuring import UNOBSERVED, Observer, alone

#: How long the steps of one staircase may take, for each build.
MOST_S = 300.0


@dataclass(frozen=True, kw_only=True)
class Borne:
    """What builds bear.

    Attributes:
        experiment: as it is configured.
        within_ms: the latency budget.
        staircases: one for each pair of forks.
        ended: what ended it before its time; the last staircase may then lack steps.
    """

    experiment: Experiment
    within_ms: float
    staircases: tuple[Staircase, ...]
    ended: Interrupted | PacecarError | None = None

    @property
    def change(self) -> CapacityChange | None:
        """By how much the candidate's capacity differs; None where that is not known."""
        effect = self._effect
        if effect is None:
            return None
        mean, low, high = (math.expm1(each) for each in (effect.mean, *effect.interval()))
        return CapacityChange(mean=mean, low=low, high=high, pairs=effect.replicates)

    def verdict(self, budget: float) -> Verdict | None:
        """On the change, where a loss of the fraction `budget` is tolerated; None where it is not known."""
        return None if self._effect is None else verdict_of(self._effect, budget=budget)

    @cached_property
    def _effect(self) -> Effect | None:
        """The change as a log-ratio."""
        whole = [each.capacities for each in self.staircases if each.top is not Top.EARLY]
        both = [capacities for capacities in whole if set(capacities) == set(Side)]
        return change_of(both) if both else None


def bear(
    request: Request,
    observer: Observer = UNOBSERVED,
    *,
    within_ms: float | None = None,
    pairs: int = 1,
    wait: bool = True,
    most_s: float = MOST_S,
) -> Borne:
    """Deploy the builds of `request` side by side and raise the load step by step until none keeps the latency budget.

    Nothing of it is kept.

    Args:
        request: from `requests.staircase`.
        observer: told what goes on.
        within_ms: the latency that 95 % of the requests must stay within; None for that of the scenario, where it names
            none for several times that of the first step, see `analysis.capacity`.
        pairs: how often that is done, with fresh forks each time.
        wait: for another measurement on this machine to end.
        most_s: no step is made that would not be over so many seconds, for each build, after the forks are up.

    Returns:
        All that was measured, however it ended.

    Raises:
        MachineBusy: when somebody else measures here and `wait` is False.
        PacecarError: when a build, a tool, a fork or the load generator fails before anything was measured.
    """
    scenario = request.experiment.scenario
    within_ms = scenario.within_ms if within_ms is None else within_ms
    found: list[Staircase] = []
    with alone(observer, wait=wait), credentials.withdrawn():
        for number in range(pairs):
            climbing = None
            try:
                with (
                    Resources() as resources,
                    forks_up(
                        request,
                        resources=resources,
                        tell=observer.progress,
                        most_s=most_s * len(request.experiment.builds),
                        settled_by_users=True,
                    ) as stepping,
                ):
                    climbing = Climbing(stepping=stepping, scenario=scenario, within_ms=within_ms)
                    found.append(climbing.climb())
                    within_ms = climbing.within_ms
            except (Interrupted, PacecarError) as early:
                if climbing is not None and climbing.made and len(found) == number:
                    found.append(Staircase(climbs=climbing.climbs, top=Top.EARLY))
                    within_ms = climbing.within_ms
                if not found:
                    raise
                return _borne(request, within_ms, found, ended=early)
    return _borne(request, within_ms, found)


def _borne(
    request: Request,
    within_ms: float | None,
    found: Sequence[Staircase],
    *,
    ended: Interrupted | PacecarError | None = None,
) -> Borne:
    return Borne(experiment=request.experiment, within_ms=within_ms or 0.0, staircases=tuple(found), ended=ended)
