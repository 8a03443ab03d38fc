"""What a plan takes and what it carries, known before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pacecar.analysis.metrics.carried import Carried, carried
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.schedule import counted_seconds, pair_seconds
from pacecar.measurement.session.explaining import explaining, explaining_pairs, may_explain
from pacecar.model.experiment import Experiment, Side
from pacecar.model.recording import RunKind
from pacecar.system.resources import Resources


def seconds_of_pair(experiment: Experiment) -> float:
    """About how long a pair takes, both sides together or one after the other."""
    return pair_seconds(
        experiment.plan,
        sides=len(experiment.builds),
        together=turns_of(experiment) is None,
        endpoints=len(experiment.scenario.endpoints),
        steps_s=experiment.scenario.steps_s,
    )


def seconds_of(experiment: Experiment) -> float:
    """About how long it takes if every pair is measured, builds and downloads not counted."""
    each = seconds_of_pair(experiment)
    most = experiment.plan.pairs * each
    return most if experiment.plan.time_s is None else min(most, max(experiment.plan.time_s, each))


def seconds_of_blocks(experiment: Experiment) -> float | None:
    """About how long the blocks after the windows of a pair take; None where there are none."""
    blocks = experiment.plan.counted
    return None if blocks is None else counted_seconds(blocks, endpoints=len(experiment.scenario.endpoints))


def seconds_to_explain(experiment: Experiment) -> float | None:
    """About how long the pairs take that are measured to see why something regressed; None where none ever are."""
    if len(experiment.builds) < len(Side) or not may_explain(experiment, RunKind.PAIRED):
        return None
    return explaining_pairs(experiment.plan) * seconds_of_pair(explaining(experiment))


def turns_of(experiment: Experiment) -> str | None:
    """Why the sides are up one after the other; None where they are up together, and for one side alone."""
    if len(experiment.builds) < len(Side):
        return None
    with Resources() as resources:
        return deployer_of(experiment.target, resources=resources).why_not_both()


def carried_by(experiment: Experiment) -> Sequence[Carried]:
    """What each endpoint is asked and lacks, all of them together first; empty where nobody knows beforehand."""
    return carried(experiment.scenario, experiment.plan)


@dataclass(frozen=True, kw_only=True)
class LongerSide:
    """A `plan.side` with which every quantile of every endpoint is carried, and how long a pair then takes."""

    side_s: float
    pair_s: float


def longer_side(experiment: Experiment) -> LongerSide | None:
    """The shortest such side; None where that of the plan is one already."""
    plan, scenario = experiment.plan, experiment.scenario
    factor = max((factor for each in carried_by(experiment) for factor in each.lacks.values()), default=1.0)
    if factor <= 1:
        return None
    side_s = plan.slice_s * math.ceil(plan.slices_per_side * factor)
    longer, endpoints = replace(plan, side_s=side_s), len(scenario.endpoints)
    return LongerSide(side_s=side_s, pair_s=pair_seconds(longer, endpoints=endpoints, steps_s=scenario.steps_s))
