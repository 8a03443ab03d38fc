"""A recording against one of another day: forks of either side in, a `Comparison` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pacecar.comparison import Comparison, Metric
from pacecar.experiment import Budget, Query, Side
from pacecar.judge.causes import CauseFinder
from pacecar.judge.compilers import remarks, told_apart
from pacecar.judge.conclusion import conclude, nothing_to_judge
from pacecar.judge.deaths import deaths_of, judge_deaths
from pacecar.judge.evidence import Evidence, stored_evidence
from pacecar.judge.failing import failing, with_failures
from pacecar.judge.gate import judged_endpoints
from pacecar.judge.judging import judge_metrics, with_deaths
from pacecar.judge.measured import MeasuredFork, endpoints_of
from pacecar.judge.metrics import readings
from pacecar.judge.profiles.changes import described_frames
from pacecar.judge.profiles.flames import flames
from pacecar.judge.profiles.gaps import gaps
from pacecar.judge.profiles.merged import unpaired
from pacecar.judge.reading import Reading
from pacecar.judge.validity import Sifted, sift
from pacecar.judge.yardstick import Yardstick, yardstick_of
from pacecar.recording import Pair
from pacecar.stats.unpaired import MACHINE_DRIFT, NORMALISED_DRIFT

_ANOTHER_DAY = "a stored baseline cannot tell it from the machine of another day; measure both builds side by side"
_ANOTHER_JVM = "the JVM is another one ({why}), which alone may change it; measure both builds side by side"
_ANOTHER_MACHINE = "the baseline was recorded on another machine: {why}; measure both builds side by side"

#: Counts that a JVM decides as much as the code does.
_BY_JVM = frozenset({"allocation", "gc.count", "rss", "threads", "memory", "memory.limit"})


def compare_stored(
    baseline: Sequence[Pair],
    candidate: Sequence[Pair],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    application: Sequence[str],
    machine_mismatch: str = "",
    jvm_mismatch: str = "",
    earlier: Sequence[Sequence[Pair]] = (),
    queries: Sequence[Query] = (),
) -> Comparison:
    """Judge a recording against a stored baseline.

    Metrics that depend on the machine's speed can at most be `unchanged`: what another day does to a machine is as
    large as most regressions. Allocation, errors and other counts keep their full verdict where the JVM is the same.

    Args:
        baseline: pairs of the stored run; of two forks the candidate's is taken, which was the new build then.
        candidate: pairs of the run to judge, likewise.
        budgets: as in `compare_pairs`.
        gate: as in `compare_pairs`.
        application: as in `compare_pairs`.
        machine_mismatch: why the two machines are not of one kind; "" when they are.
        jvm_mismatch: which JVMs were used, where they differ: what they decide can then at most be `unchanged`, too.
        earlier: further recordings of the baseline; the spread of enough of them replaces an assumed drift.
        queries: as in `compare_pairs`.
    """
    runs = [baseline, candidate, *earlier]
    apart = told_apart(*runs)
    stored, new, *recorded = (_sift_recording(pairs, compilers_apart=apart) for pairs in runs)
    deaths = judge_deaths(baseline=stored.died, candidate=new.died, forks=(len(baseline), len(candidate)))
    if not stored.forks or not new.forks:
        lacking = new.sifted if not new.forks else stored.sifted
        nothing = nothing_to_judge(lacking, deaths=deaths, mode="stored")
        return replace(nothing, voided=new.sifted.voided, baseline_voided=stored.sifted.voided)
    endpoints = endpoints_of(stored.forks, new.forks)
    judged_one_by_one = judged_endpoints(endpoints, entries=gate, budgets=budgets)
    others = [recording for recording in recorded if recording.forks]
    yardstick = yardstick_of(
        stored.sifted.taking_part,
        *(other.sifted.taking_part for other in others),
        candidate=new.sifted.taking_part,
    )
    before, after, *further = (
        _readings(side, judged_one_by_one, yardstick, queries) for side in (stored, new, *others)
    )

    def evidence_on(metric: Metric) -> Evidence:
        return stored_evidence(
            metric,
            [fork[metric] for fork in before],
            [fork[metric] for fork in after],
            earlier=[[fork[metric] for fork in recording] for recording in further],
            caveat=_caveat(metric, machine_mismatch=machine_mismatch, jvm_mismatch=jvm_mismatch),
            comparable=not (metric.machine_bound and machine_mismatch),
            drift=NORMALISED_DRIFT if yardstick else MACHINE_DRIFT,
        )

    judged = judge_metrics(before, after, evidence_on, endpoints=endpoints, budgets=budgets, gate=gate)
    forks = unpaired(stored.forks, new.forks)
    frames = described_frames(stored.forks, new.forks, application=application)
    said = [*remarks(*runs), *([yardstick.remark(stored.sifted.taking_part)] if yardstick else [])]
    left_out = [f"Fork {number} of the baseline was left out: {why}." for number, why in stored.sifted.voided.items()]
    comparison = conclude(
        judgements=with_deaths(with_failures(judged.judgements, stored.forks, new.forks), deaths),
        frames=frames,
        finder=CauseFinder(baseline=stored.forks, candidate=new.forks, frames=frames),
        sifted=new.sifted,
        warnings=[*left_out, *failing(stored.forks, new.forks), *said, *judged.warnings, *gaps(forks)],
        mode="stored",
        flames=flames(forks, application=application),
    )
    return replace(comparison, baseline_voided=stored.sifted.voided)


def _caveat(metric: Metric, *, machine_mismatch: str, jvm_mismatch: str) -> str:
    """Why a change of `metric` may be none of the build's; "" when it can only be the build's."""
    if metric.machine_bound:
        return _ANOTHER_MACHINE.format(why=machine_mismatch) if machine_mismatch else _ANOTHER_DAY
    return _ANOTHER_JVM.format(why=jvm_mismatch) if jvm_mismatch and metric.name in _BY_JVM else ""


def as_baseline(pairs: Sequence[Pair]) -> list[Pair]:
    """A stored run as the baseline it now is: the forks that `compare_stored` takes, all on the baseline's side."""
    side = _recorded_side(pairs)
    return [_moved(pair, side) for pair in pairs]


def _moved(pair: Pair, side: Side) -> Pair:
    mine = {Side.BASELINE: pair.forks[side]} if side in pair.forks else {}
    forks = {to: replace(fork, record=replace(fork.record, side=to)) for to, fork in mine.items()}
    windows = [replace(window, side=Side.BASELINE) for window in pair.record.windows if window.side is side]
    record = replace(
        pair.record,
        first=Side.BASELINE,
        windows=tuple(windows),
        forks={to: fork.record for to, fork in forks.items()},
    )
    return Pair(record=record, forks=forks)


@dataclass(frozen=True, kw_only=True)
class _Recording:
    """One side by itself: the forks that take part, and how others died."""

    forks: list[MeasuredFork]
    sifted: Sifted
    died: list[str]


def _sift_recording(pairs: Sequence[Pair], *, compilers_apart: bool) -> _Recording:
    side = _recorded_side(pairs)
    sifted = sift(pairs, sides=(side,))
    forks = [MeasuredFork.of(pair, side, compilers_apart=compilers_apart) for pair in sifted.taking_part]
    return _Recording(forks=forks, sifted=sifted, died=deaths_of(pairs, side))


def _recorded_side(pairs: Sequence[Pair]) -> Side:
    return Side.CANDIDATE if any(Side.CANDIDATE in pair.forks for pair in pairs) else Side.BASELINE


def _readings(
    side: _Recording, endpoints: Sequence[str], yardstick: Yardstick | None, queries: Sequence[Query]
) -> list[dict[Metric, Reading]]:
    plain = [readings(fork, endpoints, queries) for fork in side.forks]
    if yardstick is None:
        return plain
    return [yardstick.normalised(fork, pair) for fork, pair in zip(plain, side.sifted.taking_part, strict=True)]
