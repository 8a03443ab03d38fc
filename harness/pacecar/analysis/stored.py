"""A recording against one of another day: forks of either side in, a `Comparison` out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.criteria import Criteria, StoredContext
from pacecar.analysis.metrics.blocks import counted_alike
from pacecar.analysis.metrics.compilers import remarks, told_apart
from pacecar.analysis.metrics.endpoints import endpoints_of, in_one_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Reading
from pacecar.analysis.metrics.unread_page import unread
from pacecar.analysis.overall_verdict import Told, conclude, nothing_to_judge
from pacecar.analysis.profiles.changes import described_frames
from pacecar.analysis.profiles.flames import flames
from pacecar.analysis.profiles.gaps import gaps
from pacecar.analysis.profiles.sampled import Sampled, unpaired
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.stats.unpaired import MACHINE_DRIFT, NORMALISED_DRIFT
from pacecar.analysis.validity.pairs import Sifted, sift
from pacecar.analysis.validity.yardstick import Yardstick, yardstick_of
from pacecar.analysis.verdicts.deaths import Death, deaths_of, judge_deaths
from pacecar.analysis.verdicts.evidence import Evidence, stored_evidence
from pacecar.analysis.verdicts.failing import failing, with_failures
from pacecar.analysis.verdicts.judge_metrics import Judged, SideReadings, judge_metrics, with_deaths
from pacecar.analysis.verdicts.roles import judged_endpoints
from pacecar.model.catalogue import METRICS
from pacecar.model.caution import Caution
from pacecar.model.comparison import Comparison, Metric
from pacecar.model.experiment import Query, Side
from pacecar.model.recording import Pair

_ANOTHER_DAY = "with a stored baseline it cannot be told from a change of the machine; measure both builds side by side"
_ANOTHER_JVM = "the JVM is a different one ({why}), which alone may change it; measure both builds side by side"
_ANOTHER_MACHINE = "the baseline was recorded on another machine: {why}; measure both builds side by side"


#: Of recordings of one machine and one JVM.
ALIKE = StoredContext()


def compare_stored(
    baseline: Sequence[Pair], candidate: Sequence[Pair], criteria: Criteria, context: StoredContext = ALIKE
) -> Comparison:
    """Judge a recording against a stored baseline.

    Metrics that depend on the machine's speed can at most have `passed`: what another day does to a machine is as
    large as most regressions. Allocation, errors and other counts keep their full verdict where the JVM is the same.

    Args:
        baseline: pairs of the stored run; of two forks the candidate's is taken, which was the new build then.
        candidate: pairs of the run to judge, likewise.
        criteria: what they are held to.
        context: what is known beside them.
    """
    runs = [baseline, candidate, *context.earlier]
    apart = told_apart(*runs)
    stored, new, *recorded = (_sift_recording(pairs, compilers_apart=apart) for pairs in runs)
    deaths = judge_deaths(baseline=stored.died, candidate=new.died, forks=(len(baseline), len(candidate)))
    if not stored.forks or not new.forks:
        lacking = new.sifted if not new.forks else stored.sifted
        nothing = nothing_to_judge(lacking, deaths=deaths, mode="stored")
        return replace(nothing, voided=new.sifted.voided, baseline_voided=stored.sifted.voided)
    stored, new, *recorded = _alike(stored, new, *recorded)
    endpoints = endpoints_of(stored.forks, new.forks)
    judged_one_by_one = judged_endpoints(endpoints, entries=criteria.gate, budgets=criteria.budgets)
    others = [recording for recording in recorded if recording.forks]
    yardstick = yardstick_of(
        stored.sifted.taking_part,
        *(other.sifted.taking_part for other in others),
        candidate=new.sifted.taking_part,
    )
    read = [_readings(side, judged_one_by_one, yardstick, criteria.queries) for side in (stored, new, *others)]
    judged = judge_metrics(
        SideReadings(baseline=read[0], candidate=read[1], endpoints=endpoints),
        lambda metric: _evidence_on(metric, read, context=context, timed=yardstick is not None),
        criteria=criteria,
    )
    forks = unpaired(stored.forks, new.forks)
    sampled = Sampled.of(forks, application=criteria.application)
    frames = described_frames(sampled, application=criteria.application)
    comparison = conclude(
        judgements=with_deaths(with_failures(judged.judgements, stored.forks, new.forks), deaths),
        finder=CauseFinder(Quantities(pairs=())),
        sifted=new.sifted,
        mode="stored",
        told=Told(
            frames=frames,
            flames=flames(sampled),
            cautions=_cautions(stored, new, judged, yardstick=yardstick, remarks=remarks(*runs)),
        ),
    )
    return replace(comparison, baseline_voided=stored.sifted.voided)


def _cautions(
    stored: _Recording, new: _Recording, judged: Judged, *, yardstick: Yardstick | None, remarks: Sequence[Caution]
) -> list[Caution]:
    """What a reader should know before relying on it."""
    return [
        *stored.sifted.of_side(Side.BASELINE).left_out.values(),
        *failing(stored.forks, new.forks),
        *remarks,
        *([yardstick.remark(stored.sifted.taking_part)] if yardstick else []),
        *judged.cautions,
        *unread(stored.forks, new.forks),
        *gaps(unpaired(stored.forks, new.forks)),
    ]


def _evidence_on(
    metric: Metric, read: Sequence[Sequence[Mapping[Metric, Reading]]], *, context: StoredContext, timed: bool
) -> Evidence:
    """What `read` says of one metric: of the stored baseline, of the candidate, and of earlier baselines."""
    before, after, *earlier = ([fork[metric] for fork in recording] for recording in read)
    drift = NORMALISED_DRIFT if timed else MACHINE_DRIFT
    incomparable = metric.machine_bound and context.machine_mismatch
    return stored_evidence(
        metric,
        before,
        after,
        earlier=earlier,
        caveat=_caveat(metric, context),
        drift=math.inf if incomparable else drift,
    )


def _caveat(metric: Metric, context: StoredContext) -> str | None:
    """Why a change of `metric` may be none of the build's; None when it can only be the build's."""
    if metric.machine_bound:
        return _ANOTHER_MACHINE.format(why=context.machine_mismatch) if context.machine_mismatch else _ANOTHER_DAY
    by_jvm = metric.name in METRICS and METRICS[metric.name].by_jvm
    return _ANOTHER_JVM.format(why=context.jvm_mismatch) if context.jvm_mismatch and by_jvm else None


def as_baseline(pairs: Sequence[Pair]) -> list[Pair]:
    """A stored run as the baseline it now is: the forks that `compare_stored` takes, all on the baseline's side."""
    side = _recorded_side(pairs)
    return [_moved(pair, side) for pair in pairs]


def _moved(pair: Pair, side: Side) -> Pair:
    mine = {Side.BASELINE: pair.forks[side]} if side in pair.forks else {}
    forks = {to: replace(fork, record=replace(fork.record, side=to)) for to, fork in mine.items()}
    windows, blocks = (
        tuple(replace(each, side=Side.BASELINE) for each in measured if each.side is side)
        for measured in (pair.record.windows, pair.record.blocks)
    )
    record = replace(
        pair.record,
        first=Side.BASELINE,
        windows=windows,
        blocks=blocks,
        forks={to: fork.record for to, fork in forks.items()},
    )
    return Pair(record=record, forks=forks)


@dataclass(frozen=True, kw_only=True)
class _Recording:
    """One side by itself: the forks that take part, and how others died."""

    forks: list[MeasuredFork]
    sifted: Sifted
    died: list[Death]


def _sift_recording(pairs: Sequence[Pair], *, compilers_apart: bool) -> _Recording:
    side = _recorded_side(pairs)
    sifted = sift(pairs, sides=(side,))
    forks = [MeasuredFork.of(pair, side, compilers_apart=compilers_apart) for pair in sifted.taking_part]
    return _Recording(forks=forks, sifted=sifted, died=deaths_of(pairs, side))


def _alike(*recordings: _Recording) -> list[_Recording]:
    """The recordings with requests in one mix, and with calls that were counted in one way."""
    sides = counted_alike(*in_one_mix(*(recording.forks for recording in recordings)))
    return [replace(recording, forks=forks) for recording, forks in zip(recordings, sides, strict=True)]


def _recorded_side(pairs: Sequence[Pair]) -> Side:
    return Side.CANDIDATE if any(Side.CANDIDATE in pair.forks for pair in pairs) else Side.BASELINE


def _readings(
    side: _Recording, endpoints: Sequence[str], yardstick: Yardstick | None, queries: Sequence[Query]
) -> list[dict[Metric, Reading]]:
    plain = [readings(fork, endpoints, queries) for fork in side.forks]
    if yardstick is None:
        return plain
    return [yardstick.normalised(fork, pair) for fork, pair in zip(plain, side.sifted.taking_part, strict=True)]
