"""How much room the load leaves the baseline: latency of a full core scatters, and so does whatever is seldom asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.sizing import IDLE, MOST_RATE, RAISED_TO

#: Share of its cores above which latencies of the baseline are mostly waiting: with random arrivals a request waits for
#: busy / (1 - busy) times what it takes (Kleinrock, Queueing Systems I, 1975, section 3.2).
BUSY = 0.70
#: Share of a service's windows in which its JVM stands still to collect, from which its heap is too small for the load.
COLLECTING = 0.20
#: What a load is multiplied by at once, at most: a service that does little per request may have other limits.
MOST_AT_ONCE = 5
#: What helps where a heap is too small.
LARGER_HEAP = "Give the service a larger heap (-Xmx)"
#: What finds a load that fits.
_FINDS = "pacecar size finds one that fits"


def busy(pairs: Sequence[Pair]) -> float:
    """The share of its cores that the baseline used in its windows, median over pairs; NaN where that is not known."""
    shares = [MeasuredFork.of(pair, Side.BASELINE).busy for pair in pairs]
    known = [share for share in shares if not math.isnan(share)]
    return float(np.median(known)) if known else math.nan


def collecting(fork: MeasuredFork) -> float:
    """The share of its windows in which the JVM stood still for its collector."""
    seconds = sum(window.seconds for window in fork.windows)
    return fork.pause_ms() / 1e3 / seconds if seconds else 0.0


def crowded(pairs: Sequence[Pair]) -> list[Caution]:
    """That the baseline's heap is too small for the load; what only the candidate's collector does is a result."""
    share = float(np.median([collecting(MeasuredFork.of(pair, Side.BASELINE)) for pair in pairs])) if pairs else 0.0
    if share <= COLLECTING:
        return []
    return [
        Caution.of(
            CautionKind.OVERLOAD,
            "The baseline collected garbage for {share} of its windows, so its latency depends on when it collects",
            share=Figure.percent(share),
            remedy=f"{LARGER_HEAP}, or lower the rate.",
        )
    ]


def overloaded(pairs: Sequence[Pair]) -> list[Caution]:
    """That the load leaves the baseline no room; what it does to the candidate alone is a result."""
    share = busy(pairs)
    if not share > BUSY:
        return []
    return [
        Caution.of(
            CautionKind.OVERLOAD,
            "The baseline kept its cores busy for {share} of its windows, so its latency is mostly waiting, which "
            "varies more between pairs than between builds",
            share=Figure.percent(share),
            remedy=f"Lower the rate or the number of users ({_FINDS}), warm up longer, or add cores.",
        )
    ]


def underused(pairs: Sequence[Pair], verdict: Verdict) -> list[Caution]:
    """That an undecided comparison asked the baseline for little.

    What a JVM does by itself then weighs on each request, and code that is seldom run is compiled late. More than
    `MOST_RATE` is never advised, as `pacecar size` proposes no more either.
    """
    share = busy(pairs)
    if verdict is not Verdict.INCONCLUSIVE or not 0 < share < IDLE:
        return []
    times = min(MOST_AT_ONCE, math.floor(RAISED_TO / share), math.floor(MOST_RATE / max(1.0, _rate_per_s(pairs))))
    if times < 2:
        return []
    return [
        Caution.of(
            CautionKind.UNDERUSED,
            "The load kept the baseline's cores busy for only {share} of its windows; with more requests its figures "
            "would scatter less",
            share=Figure.percent(share),
            remedy=f"Send about {times} times as many requests (scenario.rate, or scenario.users); {_FINDS}.",
        )
    ]


def _rate_per_s(pairs: Sequence[Pair]) -> float:
    """Requests per second that the baseline was asked in its windows, median over pairs."""
    forks = [MeasuredFork.of(pair, Side.BASELINE) for pair in pairs]
    return float(np.median([fork.asked.sum() / sum(window.seconds for window in fork.windows) for fork in forks]))
