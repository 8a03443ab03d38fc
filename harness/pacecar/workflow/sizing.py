"""Which load fits a service on this machine, found by trying before the first comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pacecar.analysis.sizing import Range, next_load, proposed, step_of
from pacecar.integrations import credentials
from pacecar.measurement.session.forks_up import forks_up
from pacecar.measurement.session.request import Request
from pacecar.measurement.session.stepping import Stepping, step_seconds, with_load
from pacecar.model.experiment import Experiment
from pacecar.model.sizing import MOST_RATE, Step, StopReason
from pacecar.system.resources import Resources
from pacecar.workflow.measuring import UNOBSERVED, Observer, alone

_LEAST_RATE = 0.1
_MOST_USERS = 200.0
#: In all steps together, those of the first burst not counted.
_MOST_REQUESTS = 60_000.0
#: How long all steps may take together.
MOST_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Sizing:
    """What was tried, and what follows.

    Attributes:
        experiment: as it is configured.
        steps: in their order.
        end: why no other load was tried.
    """

    experiment: Experiment
    steps: tuple[Step, ...]
    end: StopReason

    @property
    def proposed(self) -> Step | None:
        """The load that fits; None when none of those that were tried does."""
        return proposed(self.steps)

    @property
    def fitted(self) -> Experiment:
        """The experiment with that load."""
        fitting = self.proposed
        if fitting is None:
            return self.experiment
        return replace(self.experiment, scenario=with_load(self.experiment.scenario, fitting.amount))


def size(request: Request, observer: Observer = UNOBSERVED, *, wait: bool = True, most_s: float = MOST_S) -> Sizing:
    """Deploy the build of `request` once and put it under one load after the other, until one fits or none will.

    Nothing of it is kept.

    Args:
        request: from `requests.sizing`.
        observer: told what goes on.
        wait: for another measurement on this machine to end.
        most_s: no load is tried that would not be over so many seconds after the service is up; the first one is.

    Raises:
        MachineBusy: when somebody else measures here and `wait` is False.
        PacecarError: when a build, a tool, the fork or the load generator fails.
    """
    with (
        alone(observer, wait=wait),
        credentials.withdrawn(),
        Resources() as resources,
        forks_up(request, resources=resources, tell=observer.progress, most_s=most_s) as stepping,
    ):
        return _stepped(request.experiment, stepping)


def range_of(experiment: Experiment) -> Range:
    """The loads that may be tried on the service of `experiment`."""
    scenario = experiment.scenario
    if not scenario.by_the_clock:
        return Range(start=scenario.users, least=1.0, most=_MOST_USERS, whole=True)
    return Range(start=scenario.rate_per_s, least=_LEAST_RATE, most=MOST_RATE)


def _stepped(experiment: Experiment, stepping: Stepping) -> Sizing:
    steps: list[Step] = []
    limits, asked = range_of(experiment), 0.0
    while True:
        found = next_load(steps, limits)
        if isinstance(found, StopReason):
            return Sizing(experiment=experiment, steps=tuple(steps), end=found)
        if experiment.scenario.by_the_clock:
            asked += found * step_seconds(first=False)
        if steps and (asked > _MOST_REQUESTS or not stepping.time_for_another):
            return Sizing(experiment=experiment, steps=tuple(steps), end=StopReason.TIME)
        pair = stepping.step(with_load(experiment.scenario, found))
        steps.append(step_of(pair, amount=found))
