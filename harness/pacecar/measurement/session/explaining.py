"""A pair that is measured to see why latency regressed: requests are told one by one, and threads are looked at often.

That slows the service, on both sides alike, so no verdict rests on it.
"""

from __future__ import annotations

from dataclasses import replace

from pacecar.model.experiment import Experiment
from pacecar.model.recording import RunKind
from pacecar.model.scenario import LoadModel

#: Between two wall-clock samples of a thread: a request of some tens of milliseconds is to have several.
_WALL_INTERVAL_MS = 5.0


def may_explain(experiment: Experiment, kind: RunKind) -> bool:
    """Whether such a pair could tell anything: both sides can be profiled, and their requests begin traces.

    Where many comparisons share one question, as the steps of a search do, only the verdict counts.
    """
    return (
        kind is RunKind.PAIRED
        and experiment.comparisons == 1
        and experiment.plan.explain
        and not experiment.plan.quick
        and experiment.scenario.sliced
        and all(build.profiler and build.spans for build in experiment.builds.values())
    )


def explaining(experiment: Experiment) -> Experiment:
    """`experiment` as that pair is measured: nothing follows its windows."""
    scenario, profiler = replace(experiment.scenario, traced=True), experiment.profiler
    if scenario.model is LoadModel.STAIRCASE:
        scenario = replace(scenario, model=LoadModel.OPEN, within_ms=None)
    return replace(
        experiment,
        scenario=scenario,
        plan=replace(experiment.plan, counted=None),
        profiler=replace(
            profiler, spans=True, traces=True, wall_interval_ms=min(profiler.wall_interval_ms, _WALL_INTERVAL_MS)
        ),
    )
