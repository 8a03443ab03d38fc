"""The judge's door: pairs in, a `Comparison` out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pacecar.comparison import Comparison, FrameChange, Judgement, Look, Metric, Noise
from pacecar.experiment import Budget, Side
from pacecar.judge.budgets import budget_for
from pacecar.judge.case import Case
from pacecar.judge.causes import CauseFinder
from pacecar.judge.conclusion import conclude, look_at, nothing_to_judge
from pacecar.judge.deaths import deaths_of, judge_deaths
from pacecar.judge.evidence import Evidence, paired_evidence, stored_evidence
from pacecar.judge.frames import described_frames, frame_changes
from pacecar.judge.gate import choose, unmatched_judgement
from pacecar.judge.measured import MeasuredFork, busiest_endpoints
from pacecar.judge.metrics import MOST_ENDPOINTS, readings
from pacecar.judge.noise import informed, noise_of
from pacecar.judge.reading import Missing, Reading
from pacecar.judge.validity import Sifted, sift
from pacecar.judge.verdicts import GATE, judge
from pacecar.judge.yardstick import Yardstick, yardstick_of
from pacecar.recording import Pair
from pacecar.stats.looks import looks_of, nominal_level
from pacecar.stats.unpaired import MACHINE_DRIFT, NORMALISED_DRIFT

_ANOTHER_DAY = "a stored baseline cannot tell it from the machine of another day; measure both builds side by side"
_ANOTHER_MACHINE = "the baseline was recorded on another machine: {why}; measure both builds side by side"


def compare_pairs(
    pairs: Sequence[Pair],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    application: Sequence[str],
    history: Sequence[Noise] = (),
    most: int | None = None,
) -> Comparison:
    """Judge two builds that were measured side by side.

    Args:
        pairs: all pairs of the run, in order.
        budgets: what was promised; metrics without one fall back to `budgets.DEFAULTS`.
        gate: metrics that decide the verdict, see `gate.choose`; empty for the default.
        application: prefixes of the class names that are the user's own code.
        history: noise of earlier runs of the same target and design on the same kind of machine.
        most: pairs of the whole plan, when the run was looked at as it went on; None when this is the only look.
    """
    sifted = sift(pairs)
    deaths = judge_deaths(
        baseline=deaths_of(pairs, Side.BASELINE), candidate=deaths_of(pairs, Side.CANDIDATE), pairs=len(pairs)
    )
    if not sifted.taking_part:
        return nothing_to_judge(sifted, deaths=deaths, mode="paired")
    forks = _forks(sifted.taking_part)
    judged = _judge_pairs(forks, budgets=budgets, gate=gate, history=history, most=most)
    frames = frame_changes(forks, application=application)
    return conclude(
        judgements=_with_deaths(judged.judgements, deaths),
        frames=frames,
        finder=CauseFinder(
            baseline=[before for before, _ in forks],
            candidate=[after for _, after in forks],
            application=application,
            cpu_frames=frames,
            paired=True,
        ),
        sifted=sifted,
        warnings=judged.warnings,
        mode="paired",
        noise=judged.noise,
    )


def compare_stored(
    baseline: Sequence[Pair],
    candidate: Sequence[Pair],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    application: Sequence[str],
    machine_mismatch: str = "",
    earlier: Sequence[Sequence[Pair]] = (),
) -> Comparison:
    """Judge a recording against a stored baseline.

    Metrics that depend on the machine's speed can at most be `unchanged`: what another day does to a machine is as
    large as most regressions. Allocation, errors and other counts keep their full verdict.

    Args:
        baseline: pairs of the stored run; of two forks the candidate's is taken, which was the new build then.
        candidate: pairs of the run to judge, likewise.
        budgets: as in `compare_pairs`.
        gate: as in `compare_pairs`.
        application: as in `compare_pairs`.
        machine_mismatch: why the two machines are not of one kind; "" when they are.
        earlier: further recordings of the baseline; the spread of enough of them replaces an assumed drift.
    """
    stored, new = (_sift_recording(pairs) for pairs in (baseline, candidate))
    deaths = judge_deaths(baseline=stored.died, candidate=new.died, pairs=len(candidate))
    if not stored.forks or not new.forks:
        lacking = new.sifted if not new.forks else stored.sifted
        return nothing_to_judge(lacking, deaths=deaths, mode="stored")
    endpoints = busiest_endpoints([*stored.forks, *new.forks])
    others = [recording for recording in map(_sift_recording, earlier) if recording.forks]
    yardstick = yardstick_of(
        stored.sifted.taking_part,
        *(other.sifted.taking_part for other in others),
        candidate=new.sifted.taking_part,
    )
    before, after, *further = (_readings(side, endpoints, yardstick) for side in (stored, new, *others))

    def evidence_on(metric: Metric) -> Evidence:
        bound = metric.machine_bound
        caveat = _ANOTHER_MACHINE.format(why=machine_mismatch) if machine_mismatch else _ANOTHER_DAY
        return stored_evidence(
            metric,
            [fork[metric] for fork in before],
            [fork[metric] for fork in after],
            earlier=[[fork[metric] for fork in recording] for recording in further],
            caveat=caveat if bound else "",
            comparable=not (bound and machine_mismatch),
            drift=NORMALISED_DRIFT if yardstick else MACHINE_DRIFT,
        )

    judged = _judge([*before, *after], evidence_on, endpoints=endpoints, budgets=budgets, gate=gate)
    frames: tuple[FrameChange, ...] = described_frames(stored.forks, new.forks, application=application)
    remarks = [yardstick.remark(stored.sifted.taking_part)] if yardstick else []
    left_out = [f"Fork {number} of the baseline was left out: {why}." for number, why in stored.sifted.voided.items()]
    return conclude(
        judgements=_with_deaths(judged.judgements, deaths),
        frames=frames,
        finder=CauseFinder(
            baseline=stored.forks, candidate=new.forks, application=application, cpu_frames=frames, paired=False
        ),
        sifted=new.sifted,
        warnings=[*left_out, *remarks, *judged.warnings],
        mode="stored",
    )


def look(
    pairs: Sequence[Pair], *, budgets: Sequence[Budget], gate: Sequence[str], history: Sequence[Noise], most: int
) -> Look:
    """What the pairs so far show, and whether further ones are needed.

    Decided only after as many pairs as the schedule of `stats.looks` names. See `compare_pairs` for the arguments.
    """
    sifted = sift(pairs)
    if not sifted.taking_part:
        return Look()
    judged = _judge_pairs(_forks(sifted.taking_part), budgets=budgets, gate=gate, history=history, most=most)
    return look_at(judged.judgements, scheduled=len(sifted.taking_part) in looks_of(most))


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """Judgements on metrics, and what a reader should know about how they were chosen."""

    judgements: tuple[Judgement, ...]
    warnings: tuple[str, ...]
    noise: Noise


@dataclass(frozen=True, kw_only=True)
class _Recording:
    """One side by itself: the forks that take part, and how others died."""

    forks: list[MeasuredFork]
    sifted: Sifted
    died: list[str]


def _sift_recording(pairs: Sequence[Pair]) -> _Recording:
    side = Side.CANDIDATE if any(Side.CANDIDATE in pair.forks for pair in pairs) else Side.BASELINE
    sifted = sift(pairs, sides=(side,))
    forks = [MeasuredFork.of(pair, side) for pair in sifted.taking_part]
    return _Recording(forks=forks, sifted=sifted, died=deaths_of(pairs, side))


def _readings(side: _Recording, endpoints: Sequence[str], yardstick: Yardstick | None) -> list[dict[Metric, Reading]]:
    plain = [readings(fork, endpoints) for fork in side.forks]
    if yardstick is None:
        return plain
    return [yardstick.normalised(fork, pair) for fork, pair in zip(plain, side.sifted.taking_part, strict=True)]


def _forks(pairs: Sequence[Pair]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    return [(MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)) for pair in pairs]


def _judge_pairs(
    forks: Sequence[tuple[MeasuredFork, MeasuredFork]],
    *,
    budgets: Sequence[Budget],
    gate: Sequence[str],
    history: Sequence[Noise],
    most: int | None,
) -> _Judged:
    endpoints = busiest_endpoints([fork for pair in forks for fork in pair])
    read = [(readings(before, endpoints), readings(after, endpoints)) for before, after in forks]
    return _judge(
        [fork for pair in read for fork in pair],
        lambda metric: paired_evidence(metric, [(before[metric], after[metric]) for before, after in read]),
        endpoints=endpoints,
        budgets=budgets,
        gate=gate,
        history=history,
        gate_level=GATE.level if most is None else nominal_level(len(forks), most=most, level=GATE.level),
    )


def _judge(
    forks: Sequence[dict[Metric, Reading]],
    evidence_on: Callable[[Metric], Evidence],
    *,
    endpoints: Sequence[str],
    budgets: Sequence[Budget],
    gate: Sequence[str],
    history: Sequence[Noise] = (),
    gate_level: float = GATE.level,
) -> _Judged:
    """Every metric of which an instrument was there, all gated ones, and every gate entry that names none of them."""
    chosen = choose(gate, forks=forks, endpoints=endpoints)
    evidence = [
        evidence_on(metric)
        for metric in forks[0]
        if metric in chosen.metrics or any(not _absent(fork[metric]) for fork in forks)
    ]
    cases = [
        Case(evidence=each, budget=budget_for(each.metric, budgets), gated=each.metric in chosen.metrics)
        for each in informed(evidence, history)
    ]
    unmatched = tuple(unmatched_judgement(entry, endpoints=endpoints) for entry in chosen.unmatched)
    return _Judged(
        judgements=(*unmatched, *judge(cases, gate_level=gate_level)),
        warnings=(*chosen.warnings, *_too_many(endpoints), *_rests_on(cases, history)),
        noise=noise_of(evidence),
    )


def _absent(reading: Reading) -> bool:
    return isinstance(reading, Missing) and reading.absent


def _too_many(endpoints: Sequence[str]) -> list[str]:
    if len(endpoints) <= MOST_ENDPOINTS:
        return []
    return [f"Only the {MOST_ENDPOINTS} busiest of {len(endpoints):,} endpoints were judged one by one."]


def _rests_on(cases: Sequence[Case], history: Sequence[Noise]) -> list[str]:
    if not any(case.evidence.prior for case in cases):
        return []
    return [
        f"Verdicts also rest on how much the pairs of {len(history)} earlier runs scattered; "
        "the intervals shown rest on this run's pairs alone."
    ]


def _with_deaths(judgements: Sequence[Judgement], deaths: Judgement | None) -> tuple[Judgement, ...]:
    return tuple(judgements) if deaths is None else (deaths, *judgements)
