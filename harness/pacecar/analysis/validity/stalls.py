"""Rounds in which the load generator stood still, on whichever side it was.

For some tenths of a second a shared machine runs nothing at all, and the load generator, which has a core to itself,
then sends what is due all at once. The requests of that moment wait for each other, and a single such moment decides
the p99 of half a minute. Answers that come meanwhile are as late. The rule is blind to the outcome: it reads when
requests left and when the generator's own watch woke late, not how long requests took. The round is left out on both
sides, for they answer the same requests in it.

A build can still cause stalls, as when its compilers run on the generator's core. They then come on its own side more
often than on the other's, which a sign test sees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Largest tolerated 99th percentile of the generator's own delay in one window. Most have less than half a millisecond.
STALLED_MS = 10.0
#: Largest tolerated share of a window in which the generator stood still: from there on it may decide the window's p99.
STOOD_STILL = 0.01
#: Largest share of a pair's rounds that is left out: what happens more often may be the doing of a build.
MOST = 0.2
#: Two-sided p-value of the sign test below which stalls are said to come with one of the builds.
ONE_SIDED = 0.05


@dataclass(frozen=True, kw_only=True)
class Stalls:
    """Rounds of one pair that were left out.

    Attributes:
        remark: what to tell a reader; None where the pair is whole.
        on: side -> its windows in which the generator stood still.
    """

    remark: Caution | None = None
    on: Mapping[Side, int] = field(default_factory=dict)


def without_stalls(pair: Pair, sides: Sequence[Side]) -> tuple[Pair, Stalls]:
    """The pair without such rounds, and what was left out.

    Args:
        pair: of which all `sides` were measured.
        sides: whose windows make a round, the first with the first, and so on.
    """
    forks = {side: MeasuredFork.of(pair, side) for side in sides}
    round_of = {window.index: number for fork in forks.values() for number, window in enumerate(fork.windows)}
    many = len(set(round_of.values()))
    late = {side: _sent_late(fork) for side, fork in forks.items()}
    # On a machine on which it stands still all the time, at least the worst moments are left out.
    either = {side: _longest(late[side], _stood_still(fork)) for side, fork in forks.items()}
    for found in (either, late):
        stalled = _longest(*({round_of[window]: ms for window, ms in each.items()} for each in found.values()))
        if 0 < len(stalled) <= MOST * many:
            break
    else:
        return pair, Stalls()
    on = {side: len(each) for side, each in found.items()}
    windows = tuple(window for window in pair.record.windows if round_of.get(window.index) not in stalled)
    latest = max(stalled.values())
    remark = Caution.of(
        CautionKind.STALLS,
        "{stalled} of {many} rounds left out: the load generator stood still for up to {latest} ms",
        stalled=Figure(value=len(stalled), shown=str(len(stalled))),
        many=Figure(value=many, shown=str(many)),
        latest=Figure(value=latest, shown=f"{latest:.0f}"),
        remedy="A quieter machine has fewer such stalls.",
    )
    return replace(pair, record=replace(pair.record, windows=windows)), Stalls(remark=remark, on=on)


def _sent_late(fork: MeasuredFork) -> dict[int, float]:
    """Window -> the generator's delay in it, in ms, of those in which that was too long."""
    lags = fork.inside("arrivals").groupby("window")["lag_ms"].quantile(0.99)
    return {int(str(window)): float(lag) for window, lag in lags.items() if lag > STALLED_MS}


def _stood_still(fork: MeasuredFork) -> dict[int, float]:
    """Window -> ms that the generator stood still in it, of those in which it did so for too long."""
    most_ms = {window.index: 1e3 * STOOD_STILL * window.seconds for window in fork.windows}
    found = fork.generator_stood_still_ms
    return {window: lasted_ms for window, lasted_ms in found.items() if lasted_ms > most_ms[window]}


def _longest(*found: Mapping[int, float]) -> dict[int, float]:
    """All keys, each with its largest value."""
    return {key: max(each.get(key, 0.0) for each in found) for key in sorted({key for each in found for key in each})}


def with_one_build(found: Sequence[Stalls]) -> Caution | None:
    """What to tell a reader where stalls come with one of the builds; None where chance explains whom they hit."""
    before, after = (sum(each.on.get(side, 0) for each in found) for side in (Side.BASELINE, Side.CANDIDATE))
    total, more = before + after, max(before, after)
    p = min(1.0, 2 * sum(math.comb(total, count) for count in range(more, total + 1)) / 2**total)
    if p >= ONE_SIDED:
        return None
    return Caution.of(
        CautionKind.STALLS_OF_ONE_BUILD,
        "The load generator stood still in {after} windows of the candidate and {before} of the baseline, which were "
        "left out: a build can cause this by working on the generator's core",
        after=after,
        before=before,
        remedy="Give the load generator more cores and measure again.",
    )
