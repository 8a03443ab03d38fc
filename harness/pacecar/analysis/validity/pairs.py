"""Which pairs take part. Every rule here is blind to the outcome: it never looks at what is compared.

A pair is voided for causes outside the builds: the load generator, other tenants of the machine, a fork that never
came up. That a build cannot keep up with the load is not such a cause but a result. A build that works while the other
one is measured slows what it is compared with: such pairs give way to those in which the sides took turns, whichever
side it was and whatever they show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import LiteralString

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.validity.clocks import clocks_apart, clocks_noted
from pacecar.analysis.validity.machine import kept_busy, taken_by_connected, taken_by_others
from pacecar.analysis.validity.room import COLLECTING, LARGER_HEAP, collecting, crowded, overloaded
from pacecar.analysis.validity.stalls import Stalls, with_one_build, without_stalls
from pacecar.model.caution import Caution, CautionKind, Figure, Statement, Subject
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Largest tolerated gap between requests recorded and arrivals planned, as a fraction.
SHORTFALL = 0.10
#: Largest tolerated 99th percentile of the generator's own delay, in rounds that take part (`stalls`).
LAG_MS = 50.0
#: How far from its window's edge a counter may be read, outside and inside the window.
COUNTERS_OUTSIDE_S = 2.0
COUNTERS_INSIDE_S = 0.05
#: Share of the other side's windows that a service may work for without a word: it still collects and compiles.
BACKLOG = 0.10
#: From this share on the other side's latencies are no longer its own. Then the sides take turns, and what was measured
#: before that is left out.
TURNS = 0.25
#: Largest tolerated share of its cores that the load generator used, of the time that its collections took, and of the
#: time that it stood still for any reason: then most of what is slow is its own.
GENERATOR_CPU = 0.90
GENERATOR_PAUSES = 0.05
GENERATOR_STILL = 0.10
#: What helps where a load generator has too little to run on.
_FOR_THE_GENERATOR = "Lower the rate, or give the load generator a core of its own."
#: Where nothing helps but to look.
_LOOK = "See the pairs in the report."
_SPARE = "Whatever drains or preempts nodes must spare pods that are measured: kubectl get events."
#: Figures of `warmup.Warming.unsettled`, which a recording keeps as text: shares that differ from fork to fork.
_RECORDED_FIGURE = re.compile(r"(?<!\d)(\d{1,9})%", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Sifted:
    """Which pairs take part.

    Attributes:
        taking_part: without the rounds that do not.
        left_out: pair number -> why another does not.
        remarks: on those that do.
        unit: the word for them: "pair", or "fork" where one side alone was asked for.
    """

    taking_part: tuple[Pair, ...]
    left_out: dict[int, Caution] = field(default_factory=dict)
    remarks: tuple[Caution, ...] = ()
    unit: str = "pair"

    @property
    def voided(self) -> dict[int, str]:
        """Pair number -> why it does not take part, in words."""
        return {number: str(caution.statement) for number, caution in self.left_out.items()}

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All that a reader should know of it."""
        return (*self.left_out.values(), *self.remarks)

    def of_side(self, side: Side) -> Sifted:
        """The same, of a recording of `side` whose numbers are its own."""
        return replace(self, left_out={number: _of_side(each, side) for number, each in self.left_out.items()})


def sift(pairs: Sequence[Pair], *, sides: Sequence[Side] = tuple(Side)) -> Sifted:
    """Separate the pairs that can be trusted from those that cannot; `sides` must be present in each."""
    taking_part: list[Pair] = []
    left_out: dict[int, Caution] = {}
    remarks: list[Caution] = []
    stalls: list[Stalls] = []
    unit = "pair" if len(sides) > 1 else "fork"
    turned = any(pair.record.in_turns for pair in pairs)
    for pair in pairs:
        subject = Subject(unit=unit, number=pair.record.number)
        outside = replace(subject, left_out=True)
        if reason := _incomplete(pair, sides):
            left_out[subject.number] = replace(reason, about=outside)
            continue
        forks = {side: MeasuredFork.of(pair, side) for side in sides}
        steady, stalled = without_stalls(pair, sides)
        reason = clocks_apart(forks) or _late(steady, sides) or _disturbed(forks) or _generator_busy(pair, forks)
        if reason := reason or (_beside(forks) if turned else None):
            left_out[subject.number] = replace(reason, about=outside)
        else:
            taking_part.append(steady)
            stalls.append(stalled)
            found = [*_shortfalls(forks), *_unsettled(forks), *_backlogs(forks), *taken_by_connected(forks)]
            found += kept_busy(forks, cores=len(pair.record.generator_cpus))
            found += [*filter(None, [stalled.remark]), *clocks_noted(forks)]
            remarks += [replace(remark, about=subject) for remark in found]
    of_all = [*crowded(taking_part), *overloaded(taking_part)] if Side.BASELINE in sides else []
    of_all += filter(None, [with_one_build(stalls)])
    return Sifted(taking_part=tuple(taking_part), left_out=left_out, remarks=(*of_all, *remarks), unit=unit)


def work_beside(pairs: Sequence[Pair]) -> str | None:
    """Why the sides had better take turns, in half a sentence; None where each left the other alone."""
    whole = [pair for pair in pairs if _incomplete(pair, tuple(Side)) is None]
    found = (_beside({side: MeasuredFork.of(pair, side) for side in Side}) for pair in whole)
    return next((str(caution.statement) for caution in found if caution is not None), None)


def _of_side(caution: Caution, side: Side) -> Caution:
    return replace(caution, about=replace(caution.about, side=side)) if caution.about else caution


def sift_counted(pairs: Sequence[Pair]) -> Sifted:
    """The same for pairs of the quick tier: whoever else uses the machine, what is counted stays the same."""
    taking_part: list[Pair] = []
    left_out: dict[int, Caution] = {}
    remarks: list[Caution] = []
    for pair in pairs:
        subject = Subject(unit="pair", number=pair.record.number)
        if reason := _incomplete(pair, tuple(Side)) or _unequal(pair):
            left_out[subject.number] = replace(reason, about=replace(subject, left_out=True))
            continue
        taking_part.append(pair)
        forks = {side: MeasuredFork.of(pair, side) for side in Side}
        remarks += [replace(remark, about=subject) for remark in _shortfalls(forks)]
    return Sifted(taking_part=tuple(taking_part), left_out=left_out, remarks=tuple(remarks))


def _unequal(pair: Pair) -> Caution | None:
    """Why the sides did not get the same blocks: then one has loaded, compiled and cached more than the other."""
    blocks = {side: [window.endpoint for window in pair.record.windows if window.side is side] for side in Side}
    if blocks[Side.BASELINE] == blocks[Side.CANDIDATE]:
        return None
    return Caution.of(CautionKind.ASKED_OF_ONE_SIDE, "the sides did not get the same blocks")


def _incomplete(pair: Pair, sides: Sequence[Side]) -> Caution | None:
    if (lost := pair.record.lost) is not None:
        taken = any(fork.record.lost is not None for fork in pair.forks.values())
        kind, remedy = (CautionKind.TAKEN_AWAY, _SPARE) if taken else (CautionKind.GENERATOR, _LOOK)
        return Caution.of(kind, "{how}", how=lost.rstrip("."), remedy=remedy)
    for side in sides:
        if side not in pair.forks:
            return _lacking("the {side} was not measured", side)
        if (died := pair.forks[side].record.died) is not None:
            return Caution.of(
                CautionKind.DEATH,
                "the {side} died: {how}",
                side=side,
                how=died,
                remedy="See the service's log in the run's folder.",
            )
        if not any(window.side is side for window in pair.record.windows):
            return _lacking("no window of the {side} was measured", side)
        if MeasuredFork.of(pair, side).requests.empty:  # a request that fails is recorded too
            return _lacking("no request to the {side} was recorded", side)
    return None


def _lacking(template: LiteralString, side: Side) -> Caution:
    return Caution.of(CautionKind.INCOMPLETE, template, side=side, remedy=_LOOK)


def _late(pair: Pair, sides: Sequence[Side]) -> Caution | None:
    for side in sides:
        fork = MeasuredFork.of(pair, side)
        if (lag := _lag_ms(fork)) > LAG_MS:
            late = Statement.of(
                "the load generator sent requests to the {side} late: 99th percentile {lag} ms, at most {tolerated} "
                "ms is tolerated",
                side=side,
                lag=Figure(value=lag, shown=f"{lag:.0f}"),
                tolerated=f"{LAG_MS:.0f}",
            )
            # Where both are so, the heap is the first thing to look at.
            if (share := collecting(fork)) > COLLECTING:
                return Caution.of(
                    CautionKind.GENERATOR,
                    "{late}, and the JVM of that side collected garbage for {share} of the time",
                    late=late,
                    share=Figure.percent(share),
                    remedy=f"{LARGER_HEAP}.",
                )
            return Caution(kind=CautionKind.GENERATOR, statement=late, remedy=_FOR_THE_GENERATOR)
    return None


def _disturbed(forks: Mapping[Side, MeasuredFork]) -> Caution | None:
    for side, fork in forks.items():
        if late := _late_counters(fork):
            return Caution.of(
                CautionKind.INCOMPLETE,
                "the counters of the {side} were read {late} s away from the edge of a window",
                side=side,
                late=Figure(value=late, shown=f"{late:.1f}"),
                remedy=_LOOK,
            )
        others = [other for name, other in forks.items() if name is not side]
        if taken := taken_by_others(fork, side, others=others):
            return taken
    # Both sides short of requests: the generator did not deliver. One side alone: that build did not keep up.
    short = _fell_short(forks)
    if len(forks) > 1 and len(short) == len(forks):
        before, after = short
        return Caution.of(
            CautionKind.GENERATOR,
            "the load generator did not deliver the load: {before}, {after}",
            before=before,
            after=after,
            remedy=_FOR_THE_GENERATOR,
        )
    return None


def _generator_busy(pair: Pair, forks: Mapping[Side, MeasuredFork]) -> Caution | None:
    cores = len(pair.record.generator_cpus)
    for side, fork in forks.items():
        if fork.inside("arrivals").empty:  # see `machine`; such windows also hold the generator's start
            continue
        seconds = sum(window.seconds for window in fork.windows)
        used = float(fork.growth("generator_cpu_ns").sum()) / 1e9
        if cores and used > GENERATOR_CPU * cores * seconds:
            busy_for = Figure.percent(used / seconds / cores)
            return _generator("the load generator was busy for {share} of the windows of the {side}", busy_for, side)
        if (paused := fork.pause_ms("generator") / 1e3) > GENERATOR_PAUSES * seconds:
            share = Figure.percent(paused / seconds)
            return _generator(
                "the load generator collected garbage for {share} of the windows of the {side}", share, side
            )
        if (still := sum(fork.generator_stood_still_ms.values()) / 1e3) > GENERATOR_STILL * seconds:
            share = Figure.percent(still / seconds)
            return _generator("the load generator stood still for {share} of the windows of the {side}", share, side)
    return None


def _generator(template: LiteralString, share: Figure, side: Side) -> Caution:
    return Caution.of(CautionKind.GENERATOR, template, share=share, side=side, remedy=_FOR_THE_GENERATOR)


def _unsettled(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    """That forks were not steady; in what way, where the other side was: then one build may look dearer than it is."""
    hows = {side: fork.data.record.unsettled for side, fork in forks.items() if fork.data.record.unsettled is not None}
    if len(hows) == len(Side):
        return [_unsteady("neither build was steady yet when it was measured")]
    template: LiteralString = "the {side} was not steady yet when it was measured: {how}"
    return [_unsteady(template, side=side, how=_recorded(how)) for side, how in hows.items()]


def _unsteady(template: LiteralString, **said: Side | Statement) -> Caution:
    return Caution.of(CautionKind.UNSTEADY, template, remedy="Warm up longer: plan.warmup.", **said)


def _recorded(text: str) -> Statement:
    """A clause that a recording holds as text, with the figures it is known to have."""
    figures = tuple(Figure(value=float(found[1]), shown=found[0]) for found in _RECORDED_FIGURE.finditer(text))
    return Statement(words=tuple(_RECORDED_FIGURE.split(text)[::2]), figures=figures)


def _beside(forks: Mapping[Side, MeasuredFork]) -> Caution | None:
    """That a side took the core that both share, while the other one was measured."""
    shares = {side: fork.aside_s[0] / fork.aside_s[1] for side, fork in forks.items() if fork.aside_s[1] > 0}
    side = max(shares, key=shares.__getitem__, default=Side.CANDIDATE)
    if shares.get(side, 0.0) <= TURNS:
        return None
    return Caution.of(
        CautionKind.BACKLOG,
        "the {side} was busy for {share} of the other side's windows",
        side=side,
        share=Figure.percent(shares[side]),
        remedy="Pairs in which the sides took turns are judged in place of these.",
    )


def _backlogs(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    found = []
    for side, fork in forks.items():
        used_s, lasted_s = fork.aside_s
        if used_s > BACKLOG * lasted_s:
            found.append(
                Caution.of(
                    CautionKind.BACKLOG,
                    "the {side} was busy for {share} of the other side's windows and slowed them: it did not keep up "
                    "with the load, or works in the background",
                    side=side,
                    share=Figure.percent(used_s / lasted_s),
                    remedy="Lower the rate, or make plan.gap longer.",
                )
            )
    return found


def _shortfalls(forks: Mapping[Side, MeasuredFork]) -> list[Caution]:
    return [
        Caution(kind=CautionKind.SHORTFALL, statement=each, remedy="Lower the rate until both builds keep up.")
        for each in _fell_short(forks)
    ]


def _fell_short(forks: Mapping[Side, MeasuredFork]) -> list[Statement]:
    found = []
    for side, fork in forks.items():
        offered, recorded = len(fork.inside("arrivals")), len(fork.requests)
        if offered and abs(recorded - offered) > SHORTFALL * offered:
            found.append(
                Statement.of(
                    "{recorded} requests were recorded, but {offered} arrivals were planned for the {side}",
                    recorded=Figure(value=recorded, shown=f"{recorded:,}"),
                    offered=Figure(value=offered, shown=f"{offered:,}"),
                    side=side,
                )
            )
    return found


def _lag_ms(fork: MeasuredFork) -> float:
    lags = fork.inside("arrivals")["lag_ms"].dropna().to_numpy(dtype="float64")
    return float(np.quantile(lags, 0.99)) if len(lags) else 0.0


def _late_counters(fork: MeasuredFork) -> float:
    """Seconds by which the worst reading missed its window's edge; 0 when all are near enough.

    A machine too busy for the harness to be on time would charge one window with another's work.
    """
    rows = fork.inside("counters")
    edges: dict[str, dict[int, int]] = {"start": {}, "end": {}}
    for window in fork.windows:
        edges["start"][window.index], edges["end"][window.index] = window.start_ns, window.end_ns
    worst = 0.0
    for edge, outwards in (("start", -1), ("end", 1)):
        at_edge = rows[rows["edge"] == edge]
        outside_s = outwards * (at_edge["time_ns"] - at_edge["window"].map(edges[edge])) / 1e9
        late = outside_s[~outside_s.between(-COUNTERS_INSIDE_S, COUNTERS_OUTSIDE_S)].abs()
        worst = max(worst, float(late.max()) if len(late) else 0.0)
    return worst
