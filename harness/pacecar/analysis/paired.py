"""Two builds measured side by side: pairs in, a `Comparison` out; or, while pairs are still measured, a `Look`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.criteria import Context, Criteria
from pacecar.analysis.metrics.compilers import remarks, told_apart
from pacecar.analysis.metrics.measured import MeasuredFork, endpoints_of, in_one_mix
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.overall_verdict import Told, conclude, look_at, nothing_to_judge
from pacecar.analysis.profiles.changes import frame_changes
from pacecar.analysis.profiles.flames import flames
from pacecar.analysis.profiles.gaps import gaps
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.stats.looks import Stage, looks_of
from pacecar.analysis.validity.pairs import sift
from pacecar.analysis.verdicts.deaths import deaths_of, judge_deaths
from pacecar.analysis.verdicts.evidence import paired_evidence
from pacecar.analysis.verdicts.failing import failing, hopeless, with_failures
from pacecar.analysis.verdicts.judge_metrics import Judged, Read, judge_metrics, with_deaths
from pacecar.analysis.verdicts.roles import judged_endpoints
from pacecar.model.comparison import Comparison, Judgement, Look, Noise, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Of pairs that were made for no plan: nothing is known beside them.
ALONE = Context()


def compare_pairs(pairs: Sequence[Pair], criteria: Criteria, context: Context = ALONE) -> Comparison:
    """Judge two builds that were measured side by side.

    Args:
        pairs: all pairs of the run, in order.
        criteria: what they are held to.
        context: what is known beside them.
    """
    sifted = sift(pairs)
    deaths = _deaths(pairs)
    if not sifted.taking_part:
        return nothing_to_judge(sifted, deaths=deaths, mode="paired")
    forks = _forks(sifted.taking_part)
    read = _read(forks, criteria)

    def judge(*, last: bool) -> Judged:
        stage = Stage(pairs=len(forks), most=context.most, last=last)
        return _judge_pairs(read, criteria, history=context.history, stage=stage)

    before, after = [fork for fork, _ in forks], [fork for _, fork in forks]
    judged = judge(last=False)
    seen = look_at(judged.judgements, scheduled=True, accepted=criteria.tolerated)
    if context.ended and not seen.decided and not hopeless(before, after):
        judged = judge(last=True)
    sampled = Sampled.of(forks, application=criteria.application)
    frames = frame_changes(sampled, application=criteria.application, changed_classes=context.changed_classes)
    return conclude(
        judgements=with_deaths(with_failures(judged.judgements, before, after), deaths),
        finder=CauseFinder(baseline=before, candidate=after, frames=frames),
        sifted=sifted,
        mode="paired",
        told=Told(
            frames=frames,
            flames=flames(sampled),
            warnings=[*failing(before, after), *remarks(sifted.taking_part), *judged.warnings, *gaps(forks)],
            noise=judged.noise,
            earlier_runs=judged.earlier_runs,
        ),
    )


def look(pairs: Sequence[Pair], criteria: Criteria, context: Context) -> Look:
    """What the pairs so far show, and whether further ones are needed.

    Decided only after as many pairs as the schedule of `stats.looks` names, or where requests fail on both sides. See
    `compare_pairs` for the arguments.
    """
    sifted = sift(pairs)
    voided = tuple(sifted.voided.values())
    deaths = _deaths(pairs)
    killed = deaths is not None and deaths.verdict is not Verdict.INCONCLUSIVE
    if not sifted.taking_part:
        return Look(voided=voided, decided=killed)
    forks = _forks(sifted.taking_part)
    read = _read(forks, criteria)
    stage = Stage(pairs=len(forks), most=context.most)
    judged = _judge_pairs(read, criteria, history=context.history, stage=stage)
    scheduled = context.most is not None and len(forks) in looks_of(context.most)
    found = look_at(judged.judgements, scheduled=scheduled, accepted=criteria.tolerated)
    useless = hopeless([fork for fork, _ in forks], [fork for _, fork in forks])
    return replace(found, decided=found.decided or useless or killed, voided=voided)


def _deaths(pairs: Sequence[Pair]) -> Judgement | None:
    before, after = (deaths_of(pairs, side) for side in (Side.BASELINE, Side.CANDIDATE))
    return judge_deaths(baseline=before, candidate=after, forks=(len(pairs), len(pairs)))


def _forks(pairs: Sequence[Pair]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    apart = told_apart(pairs)
    before, after = (
        [MeasuredFork.of(pair, side, compilers_apart=apart) for pair in pairs]
        for side in (Side.BASELINE, Side.CANDIDATE)
    )
    return list(zip(*in_one_mix(before, after), strict=True))


def _read(forks: Sequence[tuple[MeasuredFork, MeasuredFork]], criteria: Criteria) -> Read:
    """Every metric of every fork."""
    endpoints = endpoints_of([before for before, _ in forks], [after for _, after in forks])
    judged = judged_endpoints(endpoints, entries=criteria.gate, budgets=criteria.budgets)
    return Read(
        baseline=[readings(before, judged, criteria.queries) for before, _ in forks],
        candidate=[readings(after, judged, criteria.queries) for _, after in forks],
        endpoints=endpoints,
    )


def _judge_pairs(read: Read, criteria: Criteria, *, history: Sequence[Noise], stage: Stage) -> Judged:
    pairs = list(zip(read.baseline, read.candidate, strict=True))
    return judge_metrics(
        read,
        lambda metric: paired_evidence(metric, [(before[metric], after[metric]) for before, after in pairs]),
        criteria=criteria,
        history=history,
        stage=stage,
    )
