"""The order of sides and windows, and how long it all takes.

Sides alternate A B B A, so that a steady drift of the machine falls on both alike. Which side leads, and is started
first, is drawn for every second pair; in the pair after it the other one leads. Everything follows from the plan's
seed: the same plan gives the same order again.
"""

from __future__ import annotations

import random

from pacecar.model.experiment import Plan, Side
from pacecar.model.tiers import BLOCK_S, Blocks

#: Rough seconds per pair beside warm-up and windows, for time left until pairs were measured.
_OVERHEAD_S = 22.0
#: The same beside blocks, where nothing is profiled.
_OVERHEAD_OF_BLOCKS_S = 16.0
#: Rough seconds beside the blocks that follow the last window: the rest of a load generator's start, and its end.
_AROUND_BLOCKS_S = 3.0


def pair_seed(plan: Plan, number: int) -> int:
    """The seed of pair `number` (from 1): other arrivals in each pair, the same on both of its sides."""
    return random.Random(f"{plan.seed}/{number}").getrandbits(62)  # noqa: S311  reproducible, not secret


def leader(plan: Plan, number: int) -> Side:
    """The side that comes first in pair `number`; in pairs 1 and 2, 3 and 4, ... each side once."""
    two, second = divmod(number - 1, 2)
    drawn = random.Random(f"{plan.seed}/leader/{two}").choice(list(Side))  # noqa: S311
    return drawn.other if second else drawn


def slice_order(plan: Plan, number: int) -> tuple[Side, ...]:
    """The side under load in each slice of pair `number`: A B B A A B B A ..., the leader first.

    Of the quick tier each side once: its blocks go to both at the same time.
    """
    first = leader(plan, number)
    if plan.quick:
        return (first, first.other)
    order: list[Side] = []
    for number in range(plan.slices_per_side):
        order.extend((first, first.other) if number % 2 == 0 else (first.other, first))
    return tuple(order)


def recording_order(plan: Plan, side: Side) -> tuple[Side, ...]:
    """The slices of a recording: the one side throughout."""
    return (side,) * (1 if plan.quick else plan.slices_per_side)


def pair_seconds(
    plan: Plan,
    *,
    sides: int = 2,
    together: bool = True,
    endpoints: int = 0,
    steps_s: float = 0.0,
    overhead_s: float = _OVERHEAD_S,
) -> float:
    """About how long one pair takes if its warm-up is as long as it may be, from starting the forks to their end.

    Args:
        plan: lengths of everything.
        sides: forks of the pair.
        together: they are up at the same time; otherwise each is started and warmed by itself.
        endpoints: that the scenario asks; 0 where only the simulation knows.
        steps_s: of the staircase that follows all else, for all sides together.
        overhead_s: what comes on top of warm-up, windows and blocks, each time forks are started.
    """
    slices, starts = sides * plan.slices_per_side, 1 if together else sides
    if plan.quick:
        return starts * (_OVERHEAD_OF_BLOCKS_S + plan.blocks.longest_s)
    after_s = 0.0 if plan.counted is None else counted_seconds(plan.counted, endpoints=endpoints)
    windows_s = slices * (plan.slice_s + plan.gap_s)
    return starts * (overhead_s + plan.warmup_s + plan.gap_s + after_s) + windows_s + steps_s


def counted_seconds(blocks: Blocks, *, endpoints: int = 0) -> float:
    """About how long the blocks after the last window take; `endpoints` as in `pair_seconds`.

    The time that the plan leaves them, unless it is known that there are too few endpoints to fill it.
    """
    asked = min(endpoints, blocks.endpoints) or blocks.endpoints
    return _AROUND_BLOCKS_S + min(blocks.longest_s, asked * blocks.rounds * BLOCK_S)
