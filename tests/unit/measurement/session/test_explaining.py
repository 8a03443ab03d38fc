from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.measurement.session.explaining import announcement, explaining, explaining_pairs, may_explain, may_tell
from pacecar.model.experiment import BuildKind, BuildRequest, Experiment, Side
from pacecar.model.recording import RunKind
from pacecar.model.scenario import LoadModel
from pacecar.model.tiers import Blocks, Tier
from unit.measurement.session.test_striking import _experiment


@pytest.fixture
def experiment() -> Experiment:
    build = BuildRequest(kind=BuildKind.JAR, value="a.jar", label="a")
    return replace(_experiment(), builds={Side.BASELINE: build, Side.CANDIDATE: build})


def test_requests_are_told_one_by_one_and_nothing_follows_the_windows(experiment: Experiment) -> None:
    scenario = replace(experiment.scenario, model=LoadModel.STAIRCASE, within_ms=50.0)
    plan = replace(experiment.plan, counted=Blocks())
    asked = explaining(replace(experiment, scenario=scenario, plan=plan))
    assert (asked.profiler.spans, asked.profiler.traces, asked.profiler.wall_interval_ms) == (True, True, 5.0)
    assert asked.plan.counted is None
    assert not asked.climbs
    assert asked.scenario.by_the_clock


def test_whoever_samples_more_often_goes_on_doing_so(experiment: Experiment) -> None:
    often = replace(experiment, profiler=replace(experiment.profiler, wall_interval_ms=2.0))
    assert explaining(often).profiler.wall_interval_ms == 2.0


def test_the_quick_tier_profiles_two_or_three_pairs_more(experiment: Experiment) -> None:
    builds = {side: replace(build, spans=False) for side, build in experiment.builds.items()}
    quick = replace(experiment, plan=replace(experiment.plan, tier=Tier.QUICK), builds=builds)
    assert may_explain(quick, RunKind.PAIRED)
    assert not any(quick.profiles(side) for side in Side)
    asked = explaining(quick)
    assert all(asked.profiles(side) for side in Side)
    assert asked.profiler.allocation_bytes < quick.profiler.allocation_bytes
    assert asked.scenario == quick.scenario
    assert explaining_pairs(quick.plan) == 3
    assert [may_tell(measured) for measured in range(3)] == [False, False, True]
    assert announcement(quick.plan, title="allocation per request", takes="30 s") == (
        "No cause found so far explains allocation per request. "
        "Two or three more pairs are profiled, and count for nothing else: about 30 s."
    )


def test_a_side_that_cannot_be_profiled_is_not(experiment: Experiment) -> None:
    builds = experiment.builds | {Side.BASELINE: replace(experiment.builds[Side.BASELINE], profiler=False)}
    quick = replace(experiment, plan=replace(experiment.plan, tier=Tier.QUICK), builds=builds)
    assert not may_explain(quick, RunKind.PAIRED)


def test_where_it_could_tell_nothing_it_is_not_measured(experiment: Experiment) -> None:
    assert may_explain(experiment, RunKind.PAIRED)
    assert not may_explain(experiment, RunKind.RECORDING)
    plan, builds = experiment.plan, experiment.builds
    unseen = replace(builds[Side.BASELINE], profiler=False)
    for other in (
        replace(experiment, plan=replace(plan, explain=False)),
        replace(experiment, comparisons=2),
        replace(experiment, scenario=replace(experiment.scenario, sliced=False)),
        replace(experiment, builds=builds | {Side.BASELINE: unseen}),
        replace(experiment, builds=builds | {Side.BASELINE: replace(builds[Side.BASELINE], spans=False)}),
    ):
        assert not may_explain(other, RunKind.PAIRED)
