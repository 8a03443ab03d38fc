"""From judgements to the conclusion of a whole comparison: one verdict, one sentence, what a reader should know."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.validity.pairs import Sifted
from pacecar.analysis.verdicts.budgets import margin_of
from pacecar.analysis.verdicts.reasons import show_bound, show_estimate
from pacecar.analysis.verdicts.rules import order
from pacecar.model.catalogue import title_in_place, title_of
from pacecar.model.causes import Ledger
from pacecar.model.caution import Caution, CautionKind, Statement
from pacecar.model.comparison import (
    SEVERITY,
    Comparison,
    Finding,
    Judgement,
    Look,
    MetricKey,
    Noise,
    Role,
    Scale,
    Verdict,
)
from pacecar.model.frames import Flame, FrameChange
from pacecar.model.recording import Sameness
from pacecar.model.tiers import Tier

#: A tripwire whose change reaches its budget and has a p-value below this is waited for, as long as there are pairs: by
#: chance one in fifty looks so, in either direction.
_LOOKS_CHANGED = 0.02
#: What every verdict of the quick tier leaves open.
NO_LATENCY = "Latency was not looked at."
_NO_LATENCY = Caution(kind=CautionKind.NO_LATENCY, statement=Statement(words=(NO_LATENCY,)))
#: Metrics whose bound is told of every endpoint, too.
_OF_ENDPOINTS = ("latency.p50", "allocation", "statements", "connections.taken", "calls")
#: Guaranteed metrics whose bound stands in the sentence; a user may name dozens.
_TOLD = 8
#: Files that differ and do not count, in the sentence.
_TOLD_FILES = 3
_LONGEST_PATH = 80


@dataclass(frozen=True, kw_only=True)
class Told:
    """What goes with the judgements into the conclusion, besides them.

    Attributes:
        frames: changed frames.
        flames: a flame graph for each kind of profile.
        cautions: what a reader should know.
        noise: how much the pairs scattered.
        earlier_runs: how many earlier runs' noise the verdicts rest on.
        ledgers: what mean latencies are made of.
        pace_apart: see `Comparison`.
    """

    frames: Sequence[FrameChange] = ()
    flames: Sequence[Flame] = ()
    cautions: Sequence[Caution] = ()
    noise: Noise | None = None
    earlier_runs: int = 0
    ledgers: Sequence[Ledger] = ()
    pace_apart: float | None = None


def conclude(
    *,
    judgements: Sequence[Judgement],
    finder: CauseFinder,
    sifted: Sifted,
    mode: str,
    told: Told,
    tier: Tier = Tier.FULL,
) -> Comparison:
    """The comparison that these judgements make."""
    ordered = sorted(judgements, key=order)
    verdict = verdict_of(ordered)
    quick = tier is Tier.QUICK
    # The sentence on a regression is not shown beside it everywhere; warnings are.
    warned = [_NO_LATENCY] if quick and verdict is Verdict.REGRESSED else []
    return Comparison(
        verdict=verdict,
        reason=" ".join([_reason(verdict, ordered), *([NO_LATENCY] if quick else [])]),
        judgements=tuple(ordered),
        findings=finder.findings(ordered),
        frames=tuple(told.frames),
        pairs=len(sifted.taking_part),
        voided=sifted.voided,
        mode=mode,
        cautions=(*warned, *sifted.cautions, *told.cautions),
        noise=told.noise or {},
        earlier_runs=told.earlier_runs,
        flames=tuple(told.flames),
        ledgers=tuple(told.ledgers),
        pace_apart=told.pace_apart,
    )


def verdict_of(judgements: Sequence[Judgement]) -> Verdict:
    """The verdict of the whole.

    Whatever has a budget can fail it; only guaranteed metrics can leave it undecided, or make it better.
    """
    if any(each.verdict is Verdict.REGRESSED and each.role.decides for each in judgements):
        return Verdict.REGRESSED
    guaranteed = {each.verdict for each in judgements if each.role is Role.GUARANTEED}
    return min(guaranteed, key=SEVERITY.index, default=Verdict.INCONCLUSIVE)


def nothing_to_judge(sifted: Sifted, *, deaths: Judgement | None, mode: str, tier: Tier = Tier.FULL) -> Comparison:
    """The comparison of a run of which no pair can be trusted: what the deaths say, else invalid."""
    reason = "Nothing was measured."
    if sifted.voided:
        number, why = next(iter(sifted.voided.items()))
        reason = f"No {sifted.unit} can be trusted; {sifted.unit} {number}: {why}."
    return Comparison(
        verdict=deaths.verdict if deaths else Verdict.INVALID,
        reason=_first([deaths]) if deaths else reason,
        judgements=(deaths,) if deaths else (),
        findings=(Finding(judgement=deaths, causes=()),) if deaths else (),
        frames=(),
        pairs=0,
        voided=sifted.voided,
        mode=mode,
        cautions=(*([_NO_LATENCY] if tier is Tier.QUICK else []), *sifted.left_out.values()),
    )


def nothing_to_measure(same: Sameness) -> Comparison:
    """The comparison of builds that are the same: passed, and nothing more is claimed."""
    return Comparison(
        verdict=Verdict.PASSED,
        reason=f"Nothing was measured: the builds are the same{_but_for(same)}.",
        judgements=(),
        findings=(),
        frames=(),
        pairs=0,
        mode="unmeasured",
    )


def _but_for(same: Sameness) -> str:
    if same.identical:
        return ", byte for byte"
    parts = []
    if same.lines:
        parts.append(f"line numbers in {same.lines} class{'' if same.lines == 1 else 'es'}")
    if same.unloaded:
        more = max(0, len(same.unloaded) - _TOLD_FILES) + same.more
        named = [*map(_shown_path, same.unloaded[:_TOLD_FILES]), *([f"{more} more"] if more else [])]
        parts.append(f"files that only describe a build or that the service never loads ({', '.join(named)})")
    return f" except for {' and '.join(parts) or 'times, order or compression in their archives'}"


def _shown_path(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"…{path[1 - _LONGEST_PATH :]}"


def look_at(judgements: Sequence[Judgement], *, scheduled: bool, accepted: Collection[MetricKey] = ()) -> Look:
    """What these judgements of the pairs so far mean for going on.

    A run ends when it is answered: something regressed that nobody accepted; or every guaranteed metric has passed (or
    improved) and nothing else looks as if it had changed. Once one improved, others that look better are not waited
    for, as the whole is improved already. It also ends when a guaranteed metric can no longer be decided in the pairs
    that are left, for then the whole cannot pass. What is accepted may regress for weeks, and must not end every run
    early.

    Args:
        judgements: of all metrics.
        scheduled: whether this many pairs may decide at all.
        accepted: metrics whose regression somebody lives with.
    """
    measured = [each for each in judgements if each.estimate is not None and each.role.decides]
    guaranteed = [each for each in measured if each.role is Role.GUARANTEED]
    undecided = [each for each in guaranteed if each.verdict is Verdict.INCONCLUSIVE]
    regressed = any(each.verdict is Verdict.REGRESSED and each.metric.key not in accepted for each in measured)
    improved = any(each.verdict is Verdict.IMPROVED for each in guaranteed)
    changed = [each for each in measured if _looks_changed(each)]
    waited_for = [
        *undecided,
        *(each for each in changed if each not in undecided and not (improved and _used_up(each) < 0)),
    ]
    hopeless = any(each.futile for each in undecided) and not changed
    return Look(
        estimate=_worst_so_far(measured),
        decided=scheduled and bool(guaranteed) and (regressed or not waited_for or hopeless),
        waits_for=tuple(title_in_place(*each.metric.key) for each in waited_for),
    )


def _looks_changed(judgement: Judgement) -> bool:
    """Whether a metric that is not called changed yet may well be, in either direction."""
    if judgement.estimate is None or judgement.verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        return False
    # Only guaranteed metrics make a comparison `improved`, so an improvement elsewhere is worth no further pair.
    used = _used_up(judgement)
    reached = abs(used) >= 1 if judgement.role is Role.GUARANTEED else used >= 1
    return reached and judgement.estimate.p_value < _LOOKS_CHANGED


def _worst_so_far(judgements: Sequence[Judgement]) -> str | None:
    """The metric that has used up most of its budget, with its estimate; None when none has moved.

    A tripwire is named only where it regressed or looks changed: of dozens, some are far off by chance. What is exactly
    as before, as the share of failed requests often is, tells nobody how the others are doing.
    """
    named = [each for each in judgements if each.verdict is Verdict.REGRESSED or _looks_changed(each)]
    named += [each for each in judgements if each.role is Role.GUARANTEED]
    shares = {_used_up(each): each for each in named if each.estimate is not None and each.estimate.change != 0}
    worst = shares[max(shares)] if shares else None
    if worst is None or worst.estimate is None:
        return None
    return f"{title_in_place(*worst.metric.key)} {show_estimate(worst.metric, worst.estimate)}"


def _used_up(judgement: Judgement) -> float:
    """The worsening as a share of the budget, on the scale on which verdicts compare the two."""
    metric, change = judgement.metric, judgement.estimate.change if judgement.estimate else 0.0
    if metric.scale is Scale.RATIO:
        change = math.log1p(change) if change > -1 else -math.inf
    return (change if metric.lower_is_better else -change) / (margin_of(metric, judgement.budget) or math.inf)


def _reason(verdict: Verdict, judgements: Sequence[Judgement]) -> str:
    same = [each for each in judgements if each.verdict is verdict and each.role.decides]
    if verdict is Verdict.PASSED:
        return _ruled_out(judgements) or "Nothing regressed."
    if verdict is Verdict.IMPROVED:
        return f"{_several(same, 'improved')} {_ruled_out(judgements)}".strip()
    if verdict is Verdict.REGRESSED:
        return _several(same, "regressed")
    guaranteed = [each for each in same if each.role is Role.GUARANTEED]
    if not guaranteed:
        return "No guaranteed metric could be measured."
    return _several(guaranteed, "are undecided" if verdict is Verdict.INCONCLUSIVE else "cannot be trusted")


def _several(judgements: Sequence[Judgement], verb: str) -> str:
    if len(judgements) == 1:
        return _first(judgements)
    return f"{len(judgements)} metrics {verb}; first {_first(judgements)}"


def _first(judgements: Sequence[Judgement]) -> str:
    return f"{title_in_place(*judgements[0].metric.key)}: {judgements[0].reason}."


def _ruled_out(judgements: Sequence[Judgement]) -> str:
    """What the whole comparison rules out, metric by metric; "" where it rules out nothing.

    `Ruled out: CPU per request more than 2.1% worse, tail latency 11%; any one endpoint's p50 18%; any worsening of
    errors.`
    """
    shown = [each for each in judgements if each.role is Role.GUARANTEED and each.ruled_out is not None][:_TOLD]
    bounds = [f"{_name(each)} {_bound(each)}" for each in shown if _may_be_worse(each)]
    spared = [_name(each) for each in shown if not _may_be_worse(each)]
    if bounds:
        first = next(each for each in shown if _may_be_worse(each))
        bounds[0] = f"{_name(first)} more than {_bound(first, worse=True)}"
    parts = [
        ", ".join(bounds),
        _of_any_endpoint(judgements) if bounds else "",
        f"any worsening of {' and '.join(spared)}" if spared else "",
    ]
    told = "; ".join(filter(None, parts))
    return f"Ruled out: {told}." if told else ""


def _of_any_endpoint(judgements: Sequence[Judgement]) -> str:
    """The largest bound of one endpoint, which holds of each that could be judged; for each metric of which that is
    told.
    """
    worst = [
        max(of_endpoints, key=lambda each: each.ruled_out.bound if each.ruled_out else 0.0)
        for name in _OF_ENDPOINTS
        if (of_endpoints := [each for each in judgements if each.metric.name == name and _is_of_endpoint(each)])
    ]
    shown = [each for each in worst if _may_be_worse(each)]
    told = [f"{title_of(each.metric.name)} {_bound(each)}" for each in shown]
    return f"any one endpoint's {', '.join(told)}{_without(judgements, shown)}" if told else ""


def _without(judgements: Sequence[Judgement], shown: Sequence[Judgement]) -> str:
    """Of how many endpoints such a bound does not hold, for they could not be judged; "" for none."""
    names = {each.metric.name for each in shown}
    unknown = {
        each.metric.endpoint
        for each in judgements
        if each.metric.name in names and each.metric.endpoint != ALL and _has_no_bound(each)
    }
    if not unknown:
        return ""
    return f" ({len(unknown)} endpoint{'s' if len(unknown) > 1 else ''} could not be judged)"


def _has_no_bound(judgement: Judgement) -> bool:
    """Whether nothing is ruled out of a metric that is held to a change: too few of its requests, or too few pairs."""
    held = judgement.budget is None or judgement.budget.relative is not None
    return judgement.estimate is None or (held and judgement.ruled_out is None)


def _is_of_endpoint(judgement: Judgement) -> bool:
    return judgement.metric.endpoint != ALL and judgement.ruled_out is not None


def _may_be_worse(judgement: Judgement) -> bool:
    return judgement.ruled_out is not None and judgement.ruled_out.bound > 0


def _name(judgement: Judgement) -> str:
    title, endpoint = title_of(judgement.metric.name), judgement.metric.endpoint
    return f"{title} of {endpoint}" if endpoint else title


def _bound(judgement: Judgement, *, worse: bool = False) -> str:
    ruled_out = judgement.ruled_out
    if ruled_out is None:
        return ""
    return (
        show_bound(judgement.metric, ruled_out.bound)
        + (" worse" if worse else "")
        + (" (weak)" if ruled_out.weak else "")
    )
