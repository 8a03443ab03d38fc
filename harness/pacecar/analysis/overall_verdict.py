"""From judgements to the conclusion of a whole comparison: one verdict, one sentence, what a reader should know."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.validity.pairs import Sifted
from pacecar.analysis.verdicts.budgets import margin_of
from pacecar.analysis.verdicts.reasons import show_estimate
from pacecar.model.comparison import (
    SEVERITY,
    Comparison,
    Finding,
    Flame,
    FrameChange,
    Judgement,
    Look,
    MetricKey,
    Noise,
    Scale,
    Verdict,
)


def conclude(
    *,
    judgements: Sequence[Judgement],
    frames: Sequence[FrameChange],
    finder: CauseFinder,
    sifted: Sifted,
    warnings: Sequence[str],
    mode: str,
    noise: Noise | None = None,
    flames: Sequence[Flame] = (),
) -> Comparison:
    """The comparison that these judgements make; its verdict is the gravest of the gated ones."""
    ordered = sorted(judgements, key=lambda judgement: (not judgement.gated, SEVERITY.index(judgement.verdict)))
    gated = [judgement for judgement in ordered if judgement.gated]
    verdict = gated[0].verdict if gated else Verdict.INCONCLUSIVE
    return Comparison(
        verdict=verdict,
        reason=_reason(verdict, gated),
        judgements=tuple(ordered),
        findings=finder.findings(ordered),
        frames=tuple(frames),
        pairs=len(sifted.taking_part),
        voided=sifted.voided,
        mode=mode,
        warnings=(*_left_out(sifted), *sifted.remarks, *warnings, *_outside_the_gate(ordered)),
        noise=noise or {},
        flames=tuple(flames),
    )


def nothing_to_judge(sifted: Sifted, *, deaths: Judgement | None, mode: str) -> Comparison:
    """The comparison of a run of which no pair can be trusted: what the deaths say, else invalid."""
    reason = "Nothing was measured."
    if sifted.voided:
        number, why = next(iter(sifted.voided.items()))
        reason = f"No {sifted.unit} can be trusted; {sifted.unit} {number}: {why}."
    return Comparison(
        verdict=deaths.verdict if deaths else Verdict.INVALID,
        reason=_reason(deaths.verdict, [deaths]) if deaths else reason,
        judgements=(deaths,) if deaths else (),
        findings=(Finding(judgement=deaths, causes=()),) if deaths else (),
        frames=(),
        pairs=0,
        voided=sifted.voided,
        mode=mode,
        warnings=tuple(_left_out(sifted)),
    )


def look_at(judgements: Sequence[Judgement], *, scheduled: bool, accepted: Collection[MetricKey] = ()) -> Look:
    """What these judgements of the pairs so far mean for going on.

    The gate is decided when nothing that can be measured is left undecided; or when something has regressed, and what
    is undecided does not look as if it had. What is accepted may regress for weeks, and must not end every run early.

    Args:
        judgements: of all metrics.
        scheduled: whether this many pairs may decide at all.
        accepted: metrics whose regression somebody lives with.
    """
    gated = [judgement for judgement in judgements if judgement.gated and judgement.estimate is not None]
    undecided = [judgement for judgement in gated if judgement.verdict is Verdict.INCONCLUSIVE]
    regressed = any(
        judgement.verdict is Verdict.REGRESSED and judgement.metric.key not in accepted for judgement in gated
    )
    settled = not undecided or (regressed and all(_used_up(judgement) < 1 for judgement in undecided))
    return Look(
        estimate=_worst_so_far(judgements),
        decided=scheduled and bool(gated) and settled,
        waits_for=tuple(judgement.metric.title for judgement in undecided),
    )


def _worst_so_far(judgements: Sequence[Judgement]) -> str:
    """The gated metric that has used up most of its budget, with its estimate; "" when none has an estimate."""
    shares = {
        _used_up(judgement): judgement for judgement in judgements if judgement.gated and judgement.estimate is not None
    }
    if not shares:
        return ""
    worst = shares[max(shares)]
    return f"{worst.metric.title} {show_estimate(worst.metric, worst.estimate)}" if worst.estimate else ""


def _used_up(judgement: Judgement) -> float:
    """The worsening as a share of the budget, on the scale on which verdicts compare the two."""
    metric, change = judgement.metric, judgement.estimate.change if judgement.estimate else 0.0
    if metric.scale is Scale.RATIO:
        change = math.log1p(change) if change > -1 else -math.inf
    return (change if metric.lower_is_better else -change) / (margin_of(metric, judgement.budget) or 1.0)


def _reason(verdict: Verdict, gated: Sequence[Judgement]) -> str:
    same = [judgement for judgement in gated if judgement.verdict is verdict]
    if not same:
        return "No metric is gated."
    if verdict is Verdict.UNCHANGED:
        return f"All {len(same)} gated metrics stay inside their budgets." if len(same) > 1 else _first(same)
    if len(same) == 1:
        return _first(same)
    return f"{len(same)} of {len(gated)} gated metrics {_VERBS[verdict]}; first {_first(same)}"


_VERBS = {
    Verdict.REGRESSED: "regressed",
    Verdict.INVALID: "cannot be trusted",
    Verdict.INCONCLUSIVE: "are undecided",
    Verdict.IMPROVED: "improved",
}


def _first(judgements: Sequence[Judgement]) -> str:
    return f"{judgements[0].metric.title}: {judgements[0].reason}."


def _left_out(sifted: Sifted) -> list[str]:
    unit = sifted.unit.capitalize()
    return [f"{unit} {number} was left out: {reason.rstrip('.')}." for number, reason in sifted.voided.items()]


def _outside_the_gate(judgements: Sequence[Judgement]) -> list[str]:
    worse = [j.metric.title for j in judgements if not j.gated and j.verdict is Verdict.REGRESSED]
    if not worse:
        return []
    more = f" and {len(worse) - 3} more" if len(worse) > 3 else ""
    return [f"Outside the gate, worse: {', '.join(worse[:3])}{more}."]
