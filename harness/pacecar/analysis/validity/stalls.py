"""Rounds in which the load generator stood still, on whichever side it was.

For some tenths of a second a shared machine runs nothing at all, and the load generator, which has a core to itself,
then sends what is due all at once. The requests of that moment wait for each other, and a single such moment decides
the p99 of half a minute. The rule is blind to the outcome: it reads when requests left, not how long they took. The
round is left out on both sides, for they answer the same requests in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Largest tolerated 99th percentile of the generator's own delay in one window. Most have less than half a millisecond.
STALLED_MS = 10.0
#: Largest share of a pair's rounds that is left out: what happens more often may be the doing of a build.
MOST = 0.2


def without_stalls(pair: Pair, sides: Sequence[Side]) -> tuple[Pair, str]:
    """The pair without such rounds, and what to tell a reader: "" when it is whole.

    Args:
        pair: of which all `sides` were measured.
        sides: whose windows make a round, the first with the first, and so on.
    """
    forks = [MeasuredFork.of(pair, side) for side in sides]
    round_of = {window.index: number for fork in forks for number, window in enumerate(fork.windows)}
    stalled: dict[int, float] = {}
    for fork in forks:
        for window, lag in fork.inside("arrivals").groupby("window")["lag_ms"].quantile(0.99).items():
            if lag > STALLED_MS:
                number = round_of[int(str(window))]
                stalled[number] = max(lag, stalled.get(number, 0.0))
    many = len(set(round_of.values()))
    if not stalled or len(stalled) > MOST * many:
        return pair, ""
    windows = tuple(window for window in pair.record.windows if round_of.get(window.index) not in stalled)
    told = (
        f"{len(stalled)} of {many} rounds left out, in which the load generator stood still and requests left "
        f"{max(stalled.values()):.0f} ms late"
    )
    return replace(pair, record=replace(pair.record, windows=windows)), told
