"""What the forks say about one metric: readings of both sides to one effect.

Ratio metrics are compared by the logarithm of candidate / baseline, so that twice and half are equally far
apart; shares, which may be zero, by their difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.moderation import Prior, moderated, spread_of
from pacecar.analysis.stats.pairs import RESOLUTION, paired_effect
from pacecar.analysis.stats.rates import rate_effect, rule_of_three
from pacecar.analysis.stats.unpaired import ENOUGH_RECORDINGS, MACHINE_DRIFT, predicted_effect, welch_effect
from pacecar.model.comparison import Estimate, Metric, Scale, Spread

#: The one metric that is a count out of a count, with a noise of its own kind.
ERRORS = "errors"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything known about one metric.

    Attributes:
        metric: which.
        effect: candidate against baseline: log-ratio, or difference in the metric's unit. None when `missing`.
        level: the candidate's own value, on the same scale (logarithm, or the metric's unit).
        baseline: mean over forks, metric's unit (geometric on the ratio scale).
        candidate: the same.
        per_pair: change in each pair, as `comparison.Estimate`; empty when the forks were not paired.
        missing: why nothing could be estimated; None when it could.
        nothing: zero on both sides in every fork: there is nothing to test, and nothing has changed.
        requests: requests behind the candidate's value.
        caveat: why this evidence can at most show equality; None when it can show a change.
        lacking: how many pairs (or forks) carried the metric, and why others did not; None when all did.
        one_sided: the candidate lacked it where the baseline did not. What is lacking may be its worst part, so neither
            equality nor an improvement can be shown.
        coarse: why a change could hide in the steps of the clock, so that equality cannot be shown; None when none can.
        prior: what earlier runs say of the scatter of `effect`; None when nothing.
    """

    metric: Metric
    effect: Effect | None = None
    level: Effect | None = None
    baseline: float = 0.0
    candidate: float = 0.0
    per_pair: tuple[float, ...] = ()
    missing: str | None = None
    nothing: bool = False
    requests: int = 0
    caveat: str | None = None
    lacking: str | None = None
    one_sided: bool = False
    coarse: str | None = None
    prior: Prior | None = None

    @property
    def tested(self) -> Effect | None:
        """`effect` as verdicts see it, and as it is shown: its variance moderated by `prior`."""
        return None if self.effect is None else moderated(self.effect, self.prior)

    @property
    def spread(self) -> Spread | None:
        """How much the pairs scattered, for later runs to build on; None for what is no mean over pairs."""
        if self.effect is None or self.nothing or not self.per_pair or self.metric.name == ERRORS:
            return None
        return spread_of(self.effect)

    @property
    def largest_unseen(self) -> float:
        """What a metric that was zero in every fork may yet be, with 95 % confidence, in its unit."""
        return 100 * rule_of_three(self.requests) if self.metric.name == ERRORS and self.requests else 0.0

    def as_change(self, amount: float) -> float:
        """From the scale of `effect` to that of `comparison.Estimate`: a log-ratio becomes a fraction."""
        if self.metric.scale is Scale.DIFFERENCE:
            return amount
        return math.inf if amount > 700 else math.expm1(amount)

    def estimate(self, *, level: float, margin: float = 0.0) -> Estimate | None:
        """The estimate as it is shown.

        Args:
            level: two-sided level of a single test.
            margin: the budget on the scale of `effect`, from which on a change counts.
        """
        tested = self.tested
        if self.effect is None or tested is None:
            return None
        # A single pair knows nothing of its scatter, and an interval by the prior alone would look as if it did.
        low, high = (tested if self.effect.certain else self.effect).interval()
        smallest = self.as_change(tested.smallest_visible(level, margin=margin))
        if self.nothing:
            low = high = 0.0
            smallest = self.largest_unseen or math.inf
        return Estimate(
            pairs=self.effect.replicates,
            baseline=self.baseline,
            candidate=self.candidate,
            change=self.as_change(self.effect.mean),
            low=self.as_change(low) if math.isfinite(low) else -math.inf,
            high=self.as_change(high),
            per_pair=self.per_pair,
            p_value=1.0 if self.nothing else tested.p_value(),
            smallest_visible=smallest,
        )


def paired_evidence(metric: Metric, readings: Sequence[tuple[Reading, Reading]]) -> Evidence:
    """Evidence from forks measured side by side.

    Args:
        metric: what was read.
        readings: (baseline, candidate) of each pair; pairs in which either is missing do not take part.
    """
    carried = [(b, c) for b, c in readings if isinstance(b, Value) and isinstance(c, Value)]
    if not carried:
        missing = _why_missing([reading for pair in readings for reading in pair])
        return _of_candidate(metric, [c for _, c in readings if isinstance(c, Value)], missing=missing)
    lost = [(b, c) for b, c in readings if isinstance(b, Missing) or isinstance(c, Missing)]
    if not lost:
        return _evidence_of_pairs(metric, carried)
    return replace(
        _evidence_of_pairs(metric, carried),
        lacking=f"in {len(carried)} of {len(readings)} pairs; {_why_missing([each for pair in lost for each in pair])}",
        one_sided=any(isinstance(b, Value) for b, _ in lost),
    )


def _evidence_of_pairs(metric: Metric, carried: Sequence[tuple[Value, Value]]) -> Evidence:
    before, after = _off_zero(metric, [b for b, _ in carried], [c for _, c in carried])
    if problem := _no_ratio(metric, before, after):
        return _of_candidate(metric, after, missing=problem)
    if _all_zero(before, after):
        return replace(_nothing(metric, before, after), per_pair=(0.0,) * len(before))
    changes = [_scaled(metric, c) - _scaled(metric, b) for b, c in zip(before, after, strict=True)]
    if metric.name == ERRORS:
        effect = _errors_effect(before, after)
    else:
        effect = paired_effect(changes, resolution=_resolution(metric, [*before, *after]))
    evidence = _described(metric, effect, before, after)
    return replace(evidence, per_pair=tuple(evidence.as_change(change) for change in changes))


def stored_evidence(
    metric: Metric,
    baseline: Sequence[Reading],
    candidate: Sequence[Reading],
    *,
    earlier: Sequence[Sequence[Reading]] = (),
    caveat: str | None = None,
    drift: float = MACHINE_DRIFT,
) -> Evidence:
    """Evidence from forks of different days.

    Args:
        metric: what was read.
        baseline: one reading per fork of the stored baseline.
        candidate: one per fork of the candidate.
        earlier: the same of further recordings of the baseline; with enough of them their spread takes the
            place of an assumed drift of the machine.
        caveat: see `Evidence`.
        drift: standard deviation of what another day does to a metric that depends on the machine's speed; infinite
            when the machines differ, so that nothing is known of how far their values may lie apart.
    """
    before = [reading for reading in baseline if isinstance(reading, Value)]
    after = [reading for reading in candidate if isinstance(reading, Value)]
    if not before or not after:
        missing = _why_missing([*baseline, *candidate])
        return replace(_of_candidate(metric, after, missing=missing), caveat=caveat)
    lacking = (
        None
        if len(before) == len(baseline) and len(after) == len(candidate)
        else (
            f"in {len(before)} of {len(baseline)} forks of the baseline and {len(after)} of {len(candidate)} of the "
            f"candidate; {_why_missing([*baseline, *candidate])}"
        )
    )
    one_sided = len(after) < len(candidate)
    if problem := _no_ratio(metric, before, after):
        return replace(_of_candidate(metric, after, missing=problem), caveat=caveat)
    if _all_zero(before, after):
        return replace(_nothing(metric, before, after), caveat=caveat, lacking=lacking, one_sided=one_sided)
    known = math.isfinite(drift)
    effect = _stored_effect(metric, before, after, earlier, drift=drift if known else MACHINE_DRIFT)
    if not known:
        effect = replace(effect, standard_error=math.inf)
    return replace(_described(metric, effect, before, after), caveat=caveat, lacking=lacking, one_sided=one_sided)


def _stored_effect(
    metric: Metric,
    before: Sequence[Value],
    after: Sequence[Value],
    earlier: Sequence[Sequence[Reading]],
    *,
    drift: float,
) -> Effect:
    if metric.name == ERRORS:
        return _errors_effect(before, after)
    resolution = _resolution(metric, [*before, *after])
    recordings = [before, *([r for r in recording if isinstance(r, Value)] for recording in earlier)]
    usable = [recording for recording in recordings if recording and not _no_ratio(metric, recording, after)]
    if metric.machine_bound and len(usable) >= ENOUGH_RECORDINGS:
        recorded = [[_scaled(metric, value) for value in recording] for recording in usable]
        return predicted_effect(recorded, [_scaled(metric, value) for value in after], resolution=resolution)
    own_drift = drift if metric.machine_bound else 0.0
    if metric.scale is Scale.DIFFERENCE:
        own_drift *= abs(_mean([value.amount for value in before]))
    return welch_effect(
        [_scaled(metric, value) for value in before],
        [_scaled(metric, value) for value in after],
        drift=own_drift,
        resolution=resolution,
    )


def _of_candidate(metric: Metric, after: Sequence[Value], *, missing: str) -> Evidence:
    """Evidence without anything to compare with: the largest tolerated value holds whatever the baseline does."""
    if not after or any(_no_logarithm(metric, value) for value in after):
        return Evidence(metric=metric, missing=missing)
    return Evidence(
        metric=metric,
        level=_level(metric, after),
        candidate=_middle(metric, after),
        missing=missing,
        requests=sum(value.requests for value in after),
    )


def _no_logarithm(metric: Metric, value: Value) -> bool:
    return not math.isfinite(value.amount) or (metric.scale is Scale.RATIO and value.amount <= 0)


def _level(metric: Metric, after: Sequence[Value]) -> Effect:
    return paired_effect([_scaled(metric, value) for value in after], resolution=_resolution(metric, after))


def _described(metric: Metric, effect: Effect, before: Sequence[Value], after: Sequence[Value]) -> Evidence:
    return Evidence(
        metric=metric,
        effect=effect,
        level=_level(metric, after),
        coarse=next((value.coarse for value in (*before, *after) if value.coarse), None),
        baseline=_middle(metric, before),
        candidate=_middle(metric, after),
        requests=sum(value.requests for value in after),
    )


def _nothing(metric: Metric, before: Sequence[Value], after: Sequence[Value]) -> Evidence:
    zero = paired_effect([0.0] * min(len(before), len(after)))
    described = Evidence(metric=metric, effect=zero, level=None, nothing=True)
    return replace(described, requests=sum(value.requests for value in after))


def _errors_effect(before: Sequence[Value], after: Sequence[Value]) -> Effect:
    baseline, candidate = ([(round(v.amount / 100 * v.requests), v.requests) for v in side] for side in (before, after))
    paired = any(value.shared for value in before)
    return rate_effect(baseline, candidate, shared=[v.shared for v in before] if paired else ()).scaled(100)


def _scaled(metric: Metric, value: Value) -> float:
    return value.amount if metric.scale is Scale.DIFFERENCE else math.log(value.amount)


def _middle(metric: Metric, values: Sequence[Value]) -> float:
    if metric.name == ERRORS:  # pooled, as its effect
        return sum(value.amount * value.requests for value in values) / sum(value.requests for value in values)
    mean = _mean([_scaled(metric, value) for value in values])
    return mean if metric.scale is Scale.DIFFERENCE else math.exp(mean)


def _mean(amounts: Sequence[float]) -> float:
    return math.fsum(amounts) / len(amounts)


def _resolution(metric: Metric, values: Sequence[Value]) -> float:
    """The floor of a standard deviation on the metric's scale: a fraction, or that fraction of the largest value.

    Of what has steps no less than one of them: two builds alike may by chance lie on two sides of one.
    """
    step = max(value.step for value in values)
    if metric.scale is Scale.RATIO:
        return max([RESOLUTION, *(math.log1p(step / value.amount) for value in values if step and value.amount > 0)])
    return max(step, RESOLUTION * max(1e-9, *(abs(value.amount) for value in values)))


def _all_zero(before: Sequence[Value], after: Sequence[Value]) -> bool:
    return all(value.amount == 0 for value in (*before, *after))


def _off_zero(
    metric: Metric, before: Sequence[Value], after: Sequence[Value]
) -> tuple[Sequence[Value], Sequence[Value]]:
    """Counts of which some are zero, all of them half a step higher, so that there is a ratio (Anscombe, "On estimating
    binomial response relations", Biometrika 43, 1956): a build that collects garbage where the other never had to is
    no build that cannot be judged.
    """
    every = [*before, *after]
    counts = metric.scale is Scale.RATIO and all(value.step > 0 for value in every)
    if not counts or all(value.amount > 0 for value in every) or _all_zero(before, after):
        return before, after
    lifted = [replace(value, amount=value.amount + value.step / 2) for value in every]
    return lifted[: len(before)], lifted[len(before) :]


def _no_ratio(metric: Metric, before: Sequence[Value], after: Sequence[Value]) -> str | None:
    if not all(math.isfinite(value.amount) for value in (*before, *after)):
        return "a value was not a finite number"
    if metric.scale is Scale.DIFFERENCE or _all_zero(before, after):
        return None
    for side, values in (("baseline", before), ("candidate", after)):
        if zeros := sum(value.amount <= 0 for value in values):
            return f"it was not above zero in {zeros} of {len(values)} forks of the {side}, so there is no ratio"
    return None


def _why_missing(readings: Sequence[Reading]) -> str:
    return next((reading.reason for reading in readings if isinstance(reading, Missing)), "no fork recorded it")
