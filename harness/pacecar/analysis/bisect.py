"""Which commit made the service slower: what each comparison means for the search, and which commit comes next.

Every commit is compared with the good one, never with its neighbour. So a change that came in many small steps adds
up, and a commit counts as bad once it carries half of the whole change: a commit that carries all of it and one that
carries none are then equally far from the threshold, where a wrong answer is least likely either way.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.stats.effect import CONFIDENCE, POWER, t_quantile
from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.stats.noninferiority import bound_level
from pacecar.model.bisection import Bisection, BisectionStep, Candidate, Followed, Outcome, Seen
from pacecar.model.comparison import Metric, Scale, Verdict
from pacecar.model.experiment import Budget
from pacecar.model.options import Terms

#: What a budget may be, as a fraction; a user's `budgets.worse` has the same bounds.
_LEAST, _MOST = 0.001, 10.0
#: Metrics followed at most: each takes its part of what all of them may be wrong.
_FOLLOWED = 5
#: A change that leaves next to nothing; -1 itself has no logarithm.
_NOTHING = -1 + 1e-9


def followed(seen: Sequence[Seen], *, most: int) -> tuple[Followed, ...]:
    """The metrics that decide what is bad: those that regressed, and of which a plan can tell both ways.

    A metric too noisy for that would only make commits be skipped. Where all are, the clearest one is followed. Of
    dozens that moved together, the clearest few tell as much as all of them.

    Args:
        seen: metrics of the comparison of the bad commit with the good one that decide its verdict.
        most: pairs of the plan.
    """
    worse = [each for each in seen if each.verdict is Verdict.REGRESSED and (each.change or 0) > 0 and _known(each)]
    ranked = sorted(worse, key=lambda each: -_clearness(each, most))
    clear = [each for each in ranked[:_FOLLOWED] if _clearness(each, most) >= 1]
    chosen = [each for each in worse if each in (clear or ranked[:1])]
    return tuple(
        Followed(metric=each.metric, endpoint=each.endpoint, change=each.change, threshold=_half(each, each.change))
        for each in chosen
        if each.change is not None
    )


def terms_of_ends(metric: str | None, endpoint: str | None) -> Terms:
    """What the comparison of the ends is judged by: the metric that was asked for alone, else what is configured."""
    return Terms() if metric is None else Terms(gate=(_entry(metric, endpoint),))


def terms_of_step(metrics: Sequence[Followed], *, candidates: int) -> Terms:
    """What a step is judged by: its gate, what each metric is held against, how many steps share the level.

    Args:
        metrics: those followed.
        candidates: commits that could be it when the search began.
    """
    return Terms(
        gate=tuple(_entry(each.metric, each.endpoint) for each in metrics),
        budgets=tuple(_budget(each) for each in metrics),
        comparisons=max(1, steps_left(candidates)),
    )


def outcome_of(seen: Sequence[Seen], metrics: Sequence[Followed]) -> tuple[Outcome, str]:
    """What a commit is by its comparison with the good one, and why, in a few words.

    Bad when any of `metrics` regressed, good when each of them is known not to have; all else teaches nothing.
    """
    by_key = {each.key: each for each in seen}
    told = [(each, by_key[each.key]) for each in metrics if each.key in by_key]
    said = ", ".join(_said(found) for _, found in told) or "nothing could be measured"
    if any(found.verdict is Verdict.REGRESSED for _, found in told):
        return Outcome.BAD, said
    if len(told) == len(metrics) and all(_cleared(found, each.threshold) for each, found in told):
        return Outcome.GOOD, said
    return Outcome.SKIPPED, f"not decided: {said}"


def next_commit(candidates: Sequence[Candidate], *, bad: str, skipped: Collection[str]) -> str | None:
    """The commit to be measured next; None when the search has ended.

    Commits that cannot be built mostly lie side by side. So each one skipped doubles the distance by which the next
    try leaves the middle, as far as commits that still halve the rest well.

    Args:
        candidates: those left, in git's order: the one that halves them best first.
        bad: the earliest commit known to be bad, which is one of them.
        skipped: commits of which nothing could be learnt.
    """
    untried = [each.commit for each in candidates if each.commit != bad and each.commit not in skipped]
    if not untried:
        return None
    lost = min(20, sum(each.commit in skipped for each in candidates))
    return untried[min((1 << lost) - 1, (len(untried) - 1) // 2)]


def suspects(candidates: Sequence[Candidate], *, bad: str, skipped: Collection[str]) -> tuple[str, ...]:
    """The commits of which one made the service slower, once the search has ended: `bad`, and what was skipped."""
    return (bad, *(each.commit for each in candidates if each.commit != bad and each.commit in skipped))


def steps_left(candidates: int) -> int:
    """About how many more commits must be measured until one of so many candidates is left."""
    return math.ceil(math.log2(max(1, candidates)))


def same_build(bisection: Bisection, sha256: str) -> BisectionStep | None:
    """The step that has measured this very artifact already; for that of the good commit, a good one."""
    if sha256 == bisection.good_sha256:
        return BisectionStep(commit=bisection.good.commit, outcome=Outcome.GOOD, reason="")
    return next((step for step in bisection.measured if step.artifact_sha256 == sha256), None)


def _cleared(seen: Seen, threshold: float) -> bool:
    """Whether the metric is known to be below `threshold`.

    Of what is inconclusive for another reason, the upper end of the 95 % interval decides.
    """
    if seen.verdict is Verdict.INCONCLUSIVE:
        return seen.high is not None and seen.high < threshold
    return seen.verdict in (Verdict.PASSED, Verdict.UNCHANGED, Verdict.IMPROVED)


def _said(seen: Seen) -> str:
    return f"{seen.title} {seen.shown}" if seen.change is not None else f"{seen.title} was not measured"


def _known(seen: Seen) -> bool:
    return None not in (seen.change, seen.low, seen.high) and seen.pairs > 1 and metric_of(*seen.key) is not None


def _clearness(seen: Seen, most: int) -> float:
    """Half of the change over what `most` pairs need to rule it out, mostly; 1 and more is enough."""
    low, high, change = (_additive(seen, value or 0.0) for value in (seen.low, seen.high, seen.change))
    error = (high - low) / 2 / t_quantile(0.5 + CONFIDENCE / 2, seen.pairs - 1) * math.sqrt(seen.pairs / most)
    degrees = max(1, most - 1)
    level = bound_level(Stage(pairs=most, most=most))
    needed = (t_quantile(1 - level, degrees) + t_quantile(POWER, degrees)) * error
    return math.inf if needed <= 0 else change / 2 / needed


def _half(seen: Seen, change: float) -> float:
    """Half of a change: of a ratio the root, so that two halves make the whole."""
    half = _additive(seen, change) / 2
    return math.expm1(half) if _metric(seen).scale is Scale.RATIO else half


def _additive(seen: Seen, change: float) -> float:
    return math.log1p(max(change, _NOTHING)) if _metric(seen).scale is Scale.RATIO else change


def _metric(each: Seen | Followed) -> Metric:
    metric = metric_of(*each.key)
    assert metric is not None, each
    return metric


def _entry(metric: str, endpoint: str | None) -> str:
    """An entry of `Experiment.gate`."""
    return f"{metric} of {endpoint}" if endpoint else metric


def _budget(each: Followed) -> Budget:
    metric, worse = _metric(each), each.threshold
    if metric.scale is Scale.DIFFERENCE and metric.unit == "%":
        worse /= 100
    if metric.scale is Scale.RATIO or metric.unit == "%":
        worse = min(max(worse, _LEAST), _MOST)
    return Budget(metric=each.metric, endpoint=each.endpoint or None, relative=worse, allowance=worse)
