"""How much load builds bear: from the steps of a staircase to the next one, or to its end and each build's capacity.

Load is raised until the budget of latency is broken, in shorter steps the busier the service is, for there latency
grows steeply (Kleinrock, Queueing Systems I, 1975, section 3.2). Then the step between the highest rate that kept the
budget and the lowest that broke it is halved until both are near. In between, the logarithm of latency is taken to grow
evenly with the rate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pacecar.analysis.metrics.climb import NEAR, Climb, climb_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.validity.machine import machine_busy, taken_by_others
from pacecar.analysis.validity.pairs import sift
from pacecar.model.capacity import QUANTILE, Capacity, LoadStep, Top
from pacecar.model.caution import CautionKind
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: Steps of one staircase, at most, and highest rate.
MOST_STEPS = 16
MOST_RATE = 20_000.0
#: The rate is raised to where the busiest build would be so busy if it had nothing to wait for but its cores, though by
#: no less and by no more than these factors; by the last one where nobody knows how busy it is.
_AIM = 0.8
_LEAST_RAISED, _MOST_RAISED, _RAISED_BLINDLY = 1.12, 2.0, 1.3
#: So often a step is made again that broke the budget while others took the CPU.
_AGAIN = 2
#: Of what the weakest fork has borne: the rate of the first step of a further pair.
_BEGINS = 0.75
#: Where nobody names a budget: so many times the latency of the first step, and at least so many ms more.
_TIMES, _MORE_MS = 5.0, 20.0
_DIGITS = 3


def step_of(pair: Pair, side: Side, *, rate_per_s: float) -> LoadStep:
    """What the build of `side` did in its windows of `pair`, which were all of one rate."""
    fork = MeasuredFork.of(pair, side)
    answered = fork.latencies[ALL]
    due = max(len(fork.inside("arrivals")), len(answered))
    latencies = np.concatenate([answered, np.full(due - len(answered), math.inf)])
    seconds = sum(window.seconds for window in fork.windows)
    taken = taken_by_others(fork, side, others=())
    left_out = sift([pair], sides=(side,)).left_out.values()
    return LoadStep(
        rate_per_s=rate_per_s,
        answered_per_s=len(answered) / seconds if seconds else 0.0,
        latency_ms=float(np.quantile(latencies, QUANTILE, method="inverted_cdf")) if due else math.nan,
        busy=fork.busy,
        machine_busy=machine_busy(fork),
        # Where others took the CPU, they are what it waited for.
        generator_at_limit=taken is None and any(each.kind is CautionKind.GENERATOR for each in left_out),
        others=None if taken is None else taken.statement.figures[0].shown,
    )


def budget_after(first: LoadStep) -> float:
    """The latency budget, in ms, that stands in for one that nobody named."""
    return max(_TIMES * first.latency_ms, first.latency_ms + _MORE_MS)


@dataclass(frozen=True, kw_only=True)
class Staircase:
    """What one pair of forks did, or the fork of one build alone.

    Attributes:
        climbs: by side.
        top: why no further step was made.
    """

    climbs: Mapping[Side, Climb]
    top: Top

    @property
    def capacities(self) -> dict[Side, Capacity]:
        """Of the sides that have one."""
        found = {side: climb.capacity for side, climb in self.climbs.items()}
        return {side: capacity for side, capacity in found.items() if capacity is not None}


def first_rate(pairs: Sequence[Pair], *, rate_per_s: float) -> float:
    """The rate of the first step of a further pair: far enough below what all forks so far have borne, which saves the
    steps that tell nothing new. It is the same for both sides.

    Args:
        pairs: that have been measured.
        rate_per_s: of the first step where nothing is known; no step is below it.
    """
    climbs = [climb_of(MeasuredFork.of(pair, side)) for pair in pairs for side in pair.forks]
    kept = [climb.kept_per_s for climb in climbs if climb is not None]
    known = [each for each in kept if each is not None]
    return max(rate_per_s, _rounded(_BEGINS * min(known))) if known and len(known) == len(kept) else rate_per_s


def next_step(climbs: Mapping[Side, Climb], *, lowest_per_s: float = math.inf) -> tuple[float, tuple[Side, ...]] | Top:
    """The next rate and the sides that it is of, or why there is none; every side has made a step.

    A side that has broken its budget takes no part in higher steps: what it could not answer would be in the way of the
    other one.

    Args:
        climbs: what each side has done so far.
        lowest_per_s: how far the rate is lowered for a side whose first step has broken its budget.
    """
    last = max((climb.steps[-1] for climb in climbs.values()), key=lambda step: step.rate_per_s)
    made = max(len(climb.steps) for climb in climbs.values())
    again = _to_be_made_again(climbs)
    if again is not None:
        return again
    if any(not climb.told for climb in climbs.values()):
        return Top.GENERATOR
    broken = {side: climb for side, climb in climbs.items() if climb.capacity is None}
    if broken:
        return _lowered(broken, lowest_per_s) if made < MOST_STEPS else Top.FIRST
    if made >= MOST_STEPS:
        return Top.STEPS
    standing = {side: climb for side, climb in climbs.items() if climb.broke_per_s is None}
    if standing:
        higher = Top.MOST if last.rate_per_s >= MOST_RATE else _raised(standing)
        return higher if isinstance(higher, Top) else (higher, tuple(standing))
    wide = {side: climb for side, climb in climbs.items() if climb.wide}
    if not wide:
        return Top.FOUND
    rate = _middle(max(wide.values(), key=lambda climb: (climb.broke_per_s or 0.0) / (climb.kept_per_s or 1.0)))
    return rate, tuple(side for side, climb in wide.items() if _middle(climb) == rate)


def _middle(climb: Climb) -> float:
    """Between the highest rate that kept the budget and the lowest that broke it."""
    return _rounded(math.sqrt((climb.kept_per_s or 0.0) * (climb.broke_per_s or 0.0)))


def _to_be_made_again(climbs: Mapping[Side, Climb]) -> tuple[float, tuple[Side, ...]] | Top | None:
    """The last rate once more, for the sides of which it has not told enough; None where it has."""
    doubtful = {
        side: climb for side, climb in climbs.items() if climb.disturbed or climb.unconfirmed or climb.limited_once
    }
    if not doubtful:
        return None
    if any(climb.disturbed > _AGAIN for climb in doubtful.values()):
        return Top.DISTURBED
    rate = max(climb.steps[-1].rate_per_s for climb in doubtful.values())
    return rate, tuple(side for side, climb in doubtful.items() if climb.steps[-1].rate_per_s == rate)


def _lowered(broken: Mapping[Side, Climb], lowest_per_s: float) -> tuple[float, tuple[Side, ...]] | Top:
    """Half the rate at which these have broken their budgets, no step having been lower."""
    rate = min(step.rate_per_s for climb in broken.values() for step in climb.steps)
    return (max(lowest_per_s, _rounded(rate / 2)), tuple(broken)) if rate > lowest_per_s else Top.FIRST


def _raised(standing: Mapping[Side, Climb]) -> float | Top:
    """The next higher rate. Below one that the load generator could not send there may be one that breaks the budget:
    it has more to do the more requests are left without an answer.
    """
    rate = max(climb.kept_per_s or 0.0 for climb in standing.values())
    busiest = max((climb.told[-1].busy for climb in standing.values()), default=math.nan)
    factor = min(max(_AIM / busiest, _LEAST_RAISED), _MOST_RAISED) if busiest > 0 else _RAISED_BLINDLY
    ceiling = min(climb.limited_per_s for climb in standing.values())
    if ceiling <= NEAR * rate:
        return Top.GENERATOR
    return min(_rounded(rate * factor if rate * factor < ceiling else math.sqrt(rate * ceiling)), MOST_RATE)


def _rounded(rate: float) -> float:
    return round(rate, _DIGITS - 1 - math.floor(math.log10(rate)))
