"""Two builds measured side by side: pairs in, a `Comparison` out; or, while pairs are still measured, a `Look`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pacecar.analysis.causes import CauseFinder, explained, ledgers
from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.metrics.blocks import counted_alike
from pacecar.analysis.metrics.compilers import remarks, told_apart
from pacecar.analysis.metrics.counted import asked_endpoints, counted, in_mix
from pacecar.analysis.metrics.endpoints import endpoints_of, in_one_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.pace import Evened, at_one_pace
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.twins import Readings, failed_on_both, with_twins
from pacecar.analysis.metrics.unread_page import unread
from pacecar.analysis.overall_verdict import Told, conclude, look_at, nothing_to_judge, verdict_of
from pacecar.analysis.profiles.changes import frame_changes
from pacecar.analysis.profiles.contention import new_contention
from pacecar.analysis.profiles.flames import flames
from pacecar.analysis.profiles.gaps import gaps
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.stats.looks import Stage, looks_of
from pacecar.analysis.validity.pace import uneven_pace
from pacecar.analysis.validity.pairs import Sifted, sift, sift_counted, work_beside
from pacecar.analysis.validity.room import underused
from pacecar.analysis.verdicts.deaths import deaths_of, judge_deaths
from pacecar.analysis.verdicts.evidence import paired_evidence
from pacecar.analysis.verdicts.failing import failing, hopeless, with_failures
from pacecar.analysis.verdicts.judge_metrics import Judged, SideReadings, judge_metrics, with_deaths
from pacecar.analysis.verdicts.roles import judged_endpoints
from pacecar.model.catalogue import METRICS, title_in_place
from pacecar.model.causes import Strength
from pacecar.model.caution import Caution
from pacecar.model.comparison import Comparison, Judgement, Look, Noise, Role, Verdict
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Pair
from pacecar.model.tiers import Tier

#: Of pairs that were made for no plan: nothing is known beside them.
ALONE = Context()
#: Pairs after which a regression is told even without a cause: more of them name few frames that six could not.
_FOR_THE_CAUSE = 6
_LATENCY = "latency."


def compare_pairs(pairs: Sequence[Pair], criteria: Criteria, context: Context = ALONE) -> Comparison:
    """Judge two builds that were measured side by side.

    Args:
        pairs: all pairs of the run, in order.
        criteria: what they are held to.
        context: what is known beside them.
    """
    sifted = _sifted(pairs, criteria)
    deaths = _deaths(pairs)
    if not sifted.taking_part:
        return nothing_to_judge(sifted, deaths=deaths, mode="paired", tier=criteria.tier)
    forks = _forks(sifted.taking_part, criteria)
    read = _read(forks, criteria)

    def judge(*, last: bool) -> Judged:
        stage = Stage(pairs=len(forks), most=context.most, last=last)
        return _judge_pairs(read, criteria, history=context.history, stage=stage)

    before, after = [fork for fork, _ in forks], [fork for _, fork in forks]
    judged = judge(last=False)
    seen = look_at(judged.judgements, scheduled=True, accepted=criteria.tolerated)
    if context.ended and not seen.decided and not hopeless(before, after):
        judged = judge(last=True)
    quantities = _quantities(forks, criteria, context)
    closer = _of_profiled(criteria, context)
    told = closer or quantities
    judgements = with_deaths(with_failures(judged.judgements, before, after), deaths)
    uneven = uneven_pace(sifted.taking_part, verdict_of(judgements)) if read.pace_apart is None else []
    return conclude(
        judgements=judgements,
        finder=CauseFinder(quantities, profiled=closer),
        sifted=sifted,
        mode="paired",
        told=Told(
            frames=tuple(told.frames),
            flames=flames(told.sampled) if told.sampled is not None else (),
            cautions=_cautions(sifted.taking_part, judgements, quantities, known=[*judged.cautions, *uneven]),
            noise=judged.noise,
            earlier_runs=judged.earlier_runs,
            pace_apart=read.pace_apart,
            ledgers=ledgers(quantities, read.endpoints),
        ),
        tier=criteria.tier,
    )


def unexplained(comparison: Comparison, tier: Tier) -> str | None:
    """Title of the first metric that regressed, that more pairs may say why, and of which causes account for less than
    half; None for none. Those are latencies, and what the quick tier counts without a profile.

    A tripwire that no finding tells of regressed for the same reasons as another metric, or for none that is known.
    """
    causes = {finding.judgement.metric.key: finding.causes for finding in comparison.findings}
    told = next(filter(None, causes.values()), ())
    for judged in comparison.judgements:
        regressed = judged.verdict is Verdict.REGRESSED and judged.role.decides
        counted = tier is Tier.QUICK and _of_profile(judged) and not _comes_with_calls(judged, comparison)
        asked = judged.metric.name.startswith(_LATENCY) or counted
        if regressed and asked and not explained(causes.get(judged.metric.key, told)):
            return title_in_place(*judged.metric.key)
    return None


def _comes_with_calls(judged: Judgement, comparison: Comparison) -> bool:
    """Whether another count of the same requests rose for a reason that is certain, as statements do: what they
    allocate comes with them, and a profile would name it instead of them.
    """
    return any(
        finding.causes[0].strength is Strength.CERTAIN
        for finding in comparison.findings
        if finding.causes
        and finding.judgement.verdict is Verdict.REGRESSED
        and finding.judgement.metric.endpoint == judged.metric.endpoint
        and not _of_profile(finding.judgement)
    )


def _of_profile(judged: Judgement) -> bool:
    """Whether a profile may say where the change of a metric comes from."""
    kind = METRICS.get(judged.metric.name)
    return kind is not None and kind.profile is ProfileKind.ALLOCATION


def _cautions(
    pairs: Sequence[Pair], judgements: Sequence[Judgement], quantities: Quantities, *, known: Sequence[Caution]
) -> list[Caution]:
    """What a reader should know of the pairs, in the order of its weight; `known` is of the judgements."""
    before, after = [fork for fork, _ in quantities.pairs], [fork for _, fork in quantities.pairs]
    found = [*failing(before, after), *known, *unread(before, after)]
    return found if quantities.tier is Tier.QUICK else [*found, *_of_full_tier(pairs, judgements, quantities)]


def _of_full_tier(pairs: Sequence[Pair], judgements: Sequence[Judgement], quantities: Quantities) -> Iterator[Caution]:
    """What is known of load and profiles; blocks have neither. What regressed has causes of its own."""
    verdict = verdict_of(judgements)
    yield from underused(pairs, verdict)
    yield from remarks(pairs)
    yield from gaps(quantities.pairs)
    if verdict is not Verdict.REGRESSED and quantities.sampled is not None:
        yield from new_contention(quantities.sampled)


def look(pairs: Sequence[Pair], criteria: Criteria, context: Context) -> Look:
    """What the pairs so far show, and whether further ones are needed.

    Decided only after as many pairs as the schedule of `stats.looks` names, or where requests fail on both sides. See
    `compare_pairs` for the arguments.
    """
    sifted = _sifted(pairs, criteria)
    turns = None if criteria.tier is Tier.QUICK else work_beside(pairs)
    return replace(_look(pairs, sifted, criteria, context), voided=tuple(sifted.voided.values()), in_turns=turns)


def _look(pairs: Sequence[Pair], sifted: Sifted, criteria: Criteria, context: Context) -> Look:
    deaths = _deaths(pairs)
    killed = deaths is not None and deaths.verdict is not Verdict.INCONCLUSIVE
    if not sifted.taking_part:
        return Look(decided=killed)
    forks = _forks(sifted.taking_part, criteria)
    read = _read(forks, criteria)
    stage = Stage(pairs=len(forks), most=context.most)
    judged = _judge_pairs(read, criteria, history=context.history, stage=stage)
    scheduled = context.most is not None and len(forks) in looks_of(context.most)
    found = look_at(judged.judgements, scheduled=scheduled, accepted=criteria.tolerated)
    useless = hopeless([fork for fork, _ in forks], [fork for _, fork in forks])
    if useless or killed:
        return replace(found, decided=True)
    if found.decided and _lacks_its_cause(forks, judged, criteria, context):
        return replace(found, decided=False, waits_for=("the cause of what regressed",))
    return found


def _lacks_its_cause(
    forks: Sequence[tuple[MeasuredFork, MeasuredFork]], judged: Judged, criteria: Criteria, context: Context
) -> bool:
    """Whether something regressed, nothing says why yet, and a pair more might: profiles grow sharper with each.

    Where many comparisons share one question, as the steps of a search do, only the verdict counts.
    """
    regressed = [each for each in judged.judgements if each.verdict is Verdict.REGRESSED and each.role.decides]
    if not regressed or len(forks) >= _FOR_THE_CAUSE or criteria.comparisons > 1:
        return False
    quantities = _quantities(forks, criteria, context)
    if quantities.sampled is None or quantities.sampled.rows.empty:
        return False
    finder = CauseFinder(quantities)
    # Why a pool has more threads does not say why requests are slower.
    asked = [each for each in regressed if each.role is Role.GUARANTEED] or regressed
    return not any(finder.causes(each) for each in asked)


def _quantities(forks: Sequence[tuple[MeasuredFork, MeasuredFork]], criteria: Criteria, context: Context) -> Quantities:
    """What was recorded of the forks beside their metrics."""
    application, changed = criteria.application, context.changed_classes
    sampled = Sampled.of(forks, application=application, changed_classes=changed)
    frames = tuple(frame_changes(sampled, application=application, changed_classes=changed))
    return Quantities(pairs=forks, frames=frames, sampled=sampled, tier=criteria.tier)


def _of_profiled(criteria: Criteria, context: Context) -> Quantities | None:
    """What the pairs show that were profiled to see why; None where there are none that can be trusted."""
    pairs = _sifted(context.profiled, criteria).taking_part if context.profiled else ()
    return _quantities(_forks(pairs, criteria), criteria, context) if pairs else None


def _deaths(pairs: Sequence[Pair]) -> Judgement | None:
    before, after = (deaths_of(pairs, side) for side in (Side.BASELINE, Side.CANDIDATE))
    return judge_deaths(baseline=before, candidate=after, forks=(len(pairs), len(pairs)))


def _sifted(pairs: Sequence[Pair], criteria: Criteria) -> Sifted:
    return sift_counted(pairs) if criteria.tier is Tier.QUICK else sift(pairs)


def _forks(pairs: Sequence[Pair], criteria: Criteria) -> list[tuple[MeasuredFork, MeasuredFork]]:
    apart = told_apart(pairs)
    before, after = (
        [MeasuredFork.of(pair, side, compilers_apart=apart) for pair in pairs]
        for side in (Side.BASELINE, Side.CANDIDATE)
    )
    if criteria.tier is Tier.QUICK:
        before, after = ([in_mix(fork, criteria.weights) for fork in side] for side in (before, after))
    else:
        before, after = in_one_mix(before, after)
    return list(zip(*counted_alike(before, after), strict=True))


def _read(forks: Sequence[tuple[MeasuredFork, MeasuredFork]], criteria: Criteria) -> SideReadings:
    """Every metric of every fork."""
    before, after = [fork for fork, _ in forks], [fork for _, fork in forks]
    quick = criteria.tier is Tier.QUICK
    endpoints = asked_endpoints([*before, *after]) if quick else endpoints_of(before, after)
    judged = judged_endpoints(endpoints, entries=criteria.gate, budgets=criteria.budgets)
    pairs = [_of_pair(fork, twin, judged, criteria) for fork, twin in forks]
    evened = Evened(pairs=pairs) if quick else at_one_pace(forks, pairs)
    return SideReadings(
        baseline=[fork for fork, _ in evened.pairs],
        candidate=[twin for _, twin in evened.pairs],
        endpoints=endpoints,
        pace_apart=evened.apart,
    )


def _of_pair(
    before: MeasuredFork, after: MeasuredFork, judged: Sequence[str], criteria: Criteria
) -> tuple[Readings, Readings]:
    shared = failed_on_both(before, after)

    def read(fork: MeasuredFork) -> Readings:
        quick = criteria.tier is Tier.QUICK
        return with_twins(counted(fork, judged) if quick else readings(fork, judged, criteria.queries), shared)

    return read(before), read(after)


def _judge_pairs(read: SideReadings, criteria: Criteria, *, history: Sequence[Noise], stage: Stage) -> Judged:
    pairs = list(zip(read.baseline, read.candidate, strict=True))
    return judge_metrics(
        read,
        lambda metric: paired_evidence(metric, [(before[metric], after[metric]) for before, after in pairs]),
        criteria=criteria,
        history=history,
        stage=stage,
    )
