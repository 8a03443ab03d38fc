"""Asks for the causes of a metric that supposedly regressed."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.analysis.causes.finder import CauseFinder
from pacecar.analysis.metrics.endpoints import in_one_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.changes import frame_changes
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.causes import Cause
from pacecar.model.comparison import Estimate, Judgement, Metric, Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair


def causes_of(
    pairs: Sequence[Pair], metric: str, *, endpoint: str = ALL, application: tuple[str, ...] = ("shop.",)
) -> tuple[Cause, ...]:
    """What all kinds together say of it."""
    before, after = ([MeasuredFork.of(pair, side, compilers_apart=metric == "jit") for pair in pairs] for side in Side)
    forks = list(zip(*in_one_mix(before, after), strict=True))
    sampled = Sampled.of(forks, application=application)
    frames = frame_changes(sampled, application=application)
    return CauseFinder(Quantities(pairs=forks, frames=frames, sampled=sampled)).causes(
        _judgement(Metric(name=metric, endpoint=endpoint))
    )


def _judgement(metric: Metric) -> Judgement:
    estimate = Estimate(
        pairs=5,
        baseline=1.0,
        candidate=2.0,
        change=1.0,
        low=0.9,
        high=1.1,
        per_pair=(1.0,) * 5,
        p_value=1e-6,
        smallest_visible=0.1,
    )
    return Judgement(
        metric=metric,
        verdict=Verdict.REGRESSED,
        reason="",
        role=Role.GUARANTEED,
        budget=None,
        estimate=estimate,
    )
