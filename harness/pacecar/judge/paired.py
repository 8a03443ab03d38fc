"""Two builds measured side by side: pairs in, a `Comparison` out; or, while pairs are still measured, a `Look`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pacecar.comparison import Comparison, Look, Metric, MetricKey, Noise
from pacecar.experiment import Budget, Query, Side
from pacecar.judge.causes import CauseFinder
from pacecar.judge.compilers import remarks, told_apart
from pacecar.judge.conclusion import conclude, look_at, nothing_to_judge
from pacecar.judge.deaths import deaths_of, judge_deaths
from pacecar.judge.evidence import paired_evidence
from pacecar.judge.failing import failing, hopeless, with_failures
from pacecar.judge.gate import judged_endpoints
from pacecar.judge.judging import Judged, judge_metrics, with_deaths
from pacecar.judge.measured import MeasuredFork, endpoints_of
from pacecar.judge.metrics import readings
from pacecar.judge.profiles.changes import frame_changes
from pacecar.judge.profiles.flames import flames
from pacecar.judge.profiles.gaps import gaps
from pacecar.judge.reading import Reading
from pacecar.judge.validity import sift
from pacecar.judge.verdicts import Levels, levels_of
from pacecar.recording import Pair
from pacecar.stats.looks import looks_of


@dataclass(frozen=True, kw_only=True)
class _Read:
    """Every metric of every fork.

    Attributes:
        endpoints: see `measured.endpoints_of`.
        pairs: (baseline, candidate) of each pair.
    """

    endpoints: Sequence[str]
    pairs: Sequence[tuple[dict[Metric, Reading], dict[Metric, Reading]]]

    @classmethod
    def of(
        cls,
        forks: Sequence[tuple[MeasuredFork, MeasuredFork]],
        *,
        queries: Sequence[Query],
        gate: Sequence[str],
        budgets: Sequence[Budget],
    ) -> _Read:
        endpoints = endpoints_of([before for before, _ in forks], [after for _, after in forks])
        judged = judged_endpoints(endpoints, entries=gate, budgets=budgets)
        pairs = [(readings(before, judged, queries), readings(after, judged, queries)) for before, after in forks]
        return cls(endpoints=endpoints, pairs=pairs)


def compare_pairs(
    pairs: Sequence[Pair],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    application: Sequence[str],
    history: Sequence[Noise] = (),
    most: int | None = None,
    ended: bool = False,
    changed_classes: Collection[str] = (),
    queries: Sequence[Query] = (),
    comparisons: int = 1,
    accepted: Collection[MetricKey] = (),
) -> Comparison:
    """Judge two builds that were measured side by side.

    Args:
        pairs: all pairs of the run, in order.
        budgets: what was promised; metrics without one fall back to `budgets.DEFAULTS`.
        gate: metrics that decide the verdict, see `gate.choose`; empty for the default.
        application: prefixes of the class names that are the user's own code.
        history: noise of earlier runs of the same target and design on the same kind of machine.
        most: pairs of the whole plan, when the run was looked at as it went on; None when this is the only look.
        ended: the plan or its time came to an end, so that no look will follow; a run ends early only by a look that
            decided it.
        changed_classes: names of classes whose code differs between the builds; their frames are believed sooner.
        queries: metrics that Prometheus was asked for.
        comparisons: how many comparisons share the level of one, as the steps of a bisection do.
        accepted: metrics whose regression somebody lives with, so that it decided no look.
    """
    sifted = sift(pairs)
    deaths = judge_deaths(
        baseline=deaths_of(pairs, Side.BASELINE),
        candidate=deaths_of(pairs, Side.CANDIDATE),
        forks=(len(pairs), len(pairs)),
    )
    if not sifted.taking_part:
        return nothing_to_judge(sifted, deaths=deaths, mode="paired")
    forks = _forks(sifted.taking_part)
    read = _Read.of(forks, queries=queries, gate=gate, budgets=budgets)

    def judge(*, last: bool) -> Judged:
        levels = levels_of(len(forks), most=most, last=last, comparisons=comparisons)
        return _judge_pairs(read, budgets=budgets, gate=gate, history=history, levels=levels)

    before, after = [fork for fork, _ in forks], [fork for _, fork in forks]
    judged = judge(last=False)
    undecided = (
        not hopeless(before, after) and not look_at(judged.judgements, scheduled=True, accepted=accepted).decided
    )
    if ended and undecided:
        judged = judge(last=True)
    frames = frame_changes(forks, application=application, changed_classes=changed_classes)
    return conclude(
        judgements=with_deaths(with_failures(judged.judgements, before, after), deaths),
        frames=frames,
        finder=CauseFinder(baseline=before, candidate=after, frames=frames),
        sifted=sifted,
        warnings=[*failing(before, after), *remarks(sifted.taking_part), *judged.warnings, *gaps(forks)],
        mode="paired",
        noise=judged.noise,
        flames=flames(forks, application=application),
    )


def look(
    pairs: Sequence[Pair],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    history: Sequence[Noise],
    most: int,
    queries: Sequence[Query] = (),
    comparisons: int = 1,
    accepted: Collection[MetricKey] = (),
) -> Look:
    """What the pairs so far show, and whether further ones are needed.

    Decided only after as many pairs as the schedule of `stats.looks` names, or where requests fail on both sides. See
    `compare_pairs` for the arguments.
    """
    sifted = sift(pairs)
    voided = tuple(sifted.voided.values())
    if not sifted.taking_part:
        return Look(voided=voided)
    forks = _forks(sifted.taking_part)
    read = _Read.of(forks, queries=queries, gate=gate, budgets=budgets)
    levels = levels_of(len(sifted.taking_part), most=most, comparisons=comparisons)
    judged = _judge_pairs(read, budgets=budgets, gate=gate, history=history, levels=levels)
    found = look_at(judged.judgements, scheduled=len(sifted.taking_part) in looks_of(most), accepted=accepted)
    useless = hopeless([fork for fork, _ in forks], [fork for _, fork in forks])
    return replace(found, decided=found.decided or useless, voided=voided)


def _forks(pairs: Sequence[Pair]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    apart = told_apart(pairs)
    return [
        (
            MeasuredFork.of(pair, Side.BASELINE, compilers_apart=apart),
            MeasuredFork.of(pair, Side.CANDIDATE, compilers_apart=apart),
        )
        for pair in pairs
    ]


def _judge_pairs(
    read: _Read, *, budgets: Sequence[Budget], gate: Sequence[str], history: Sequence[Noise], levels: Levels
) -> Judged:
    return judge_metrics(
        [before for before, _ in read.pairs],
        [after for _, after in read.pairs],
        lambda metric: paired_evidence(metric, [(before[metric], after[metric]) for before, after in read.pairs]),
        endpoints=read.endpoints,
        budgets=budgets,
        gate=gate,
        history=history,
        levels=levels,
    )
