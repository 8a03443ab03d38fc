"""Pairs that are measured to see why something regressed, and not how much: no verdict rests on them.

In the full tier one looks at latency: requests are told one by one, and threads are looked at often, which slows the
service. In the quick tier two or three look at allocation: they are profiled, and a profiler allocates.
"""

from __future__ import annotations

from dataclasses import replace

from pacecar.model.experiment import Experiment, Plan
from pacecar.model.recording import RunKind
from pacecar.model.scenario import LoadModel

#: Between two wall-clock samples of a thread: a request of some tens of milliseconds is to have several.
_WALL_INTERVAL_MS = 5.0
#: A block has some twenty requests to an endpoint, and a request of a small service allocates some kilobytes.
_ALLOCATION_BYTES = 8_192
_UPLOAD_INTERVAL_S = 1.0
#: Pairs of the quick tier: of one alone nobody knows how much what it shows scatters. Where two do not tell, another
#: one follows.
_FEWEST_PROFILED = 2


def may_explain(experiment: Experiment, kind: RunKind) -> bool:
    """Whether such pairs could tell anything: both sides can be profiled and, in the full tier, their requests begin
    traces.

    Where many comparisons share one question, as the steps of a search do, only the verdict counts.
    """
    builds, quick = experiment.builds.values(), experiment.plan.quick
    return (
        kind is RunKind.PAIRED
        and experiment.comparisons == 1
        and experiment.plan.explain
        and experiment.scenario.sliced
        and all(build.profiler and (quick or build.spans) for build in builds)
    )


def explaining_pairs(plan: Plan) -> int:
    """How many such pairs there are at most."""
    return _FEWEST_PROFILED + 1 if plan.quick else 1


def may_tell(measured: int) -> bool:
    """Whether so many such pairs may be enough, where more could follow."""
    return measured >= _FEWEST_PROFILED


def announcement(plan: Plan, *, title: str, takes: str) -> str:
    """What follows, and how long it takes, before it begins."""
    then = (
        "Two or three more pairs are profiled, and count for nothing else"
        if plan.quick
        else "One more pair looks at single requests"
    )
    return f"No cause found so far explains {title}. {then}: about {takes}."


def explaining(experiment: Experiment) -> Experiment:
    """`experiment` as such a pair is measured: nothing follows its windows."""
    return _profiled(experiment) if experiment.plan.quick else _traced(experiment)


def _profiled(experiment: Experiment) -> Experiment:
    profiler = experiment.profiler
    return replace(
        experiment,
        plan=replace(experiment.plan, profiled=True),
        profiler=replace(
            profiler,
            allocation_bytes=min(profiler.allocation_bytes, _ALLOCATION_BYTES),
            upload_interval_s=min(profiler.upload_interval_s, _UPLOAD_INTERVAL_S),
            spans=False,
            traces=False,
        ),
    )


def _traced(experiment: Experiment) -> Experiment:
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
