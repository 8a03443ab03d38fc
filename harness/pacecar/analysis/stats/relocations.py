"""What only moved is nobody's blame: cost that one frame lost and another gained counts by its net.

Frames are partners under the same callers, as after a rename, and under one name in two pools of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import special

from pacecar.analysis.stats.culprits import SMALLEST_SHARE, Culprit, Move, NodeCosts
from pacecar.analysis.stats.dispersion import Differences, Tested, tested
from pacecar.analysis.stats.neighbours import Neighbourhood

#: The part of a change that must reappear elsewhere for it to have moved.
MOVED_PART = 0.6
#: Above this p-value what a frame seems to have gained or lost in another pool is noise.
_PARTNER = 0.01
#: Below this p-value the net of what moved is a change of its own.
NET = 0.01


def collapsed(
    profiles: NodeCosts,
    found: Sequence[Culprit],
    test: Tested,
    *,
    whole: float,
    known: Sequence[Move] = (),
    subtrees: bool = False,
) -> tuple[list[Culprit], list[Move]]:
    """Take out of `found` what only moved.

    Partners are frames whose cost went the other way, beyond noise, nearby or in another pool. What is left on balance
    counts for the one that grew most when it is a change of its own. What is found to have moved takes what it calls
    with it, which is looked at once more.

    Returns:
        The culprits that are left, and the moves that were not `known`.
    """
    tree = profiles.tree
    sides = [tree.totals(side) if subtrees else side for side in (profiles.baseline, profiles.candidate)]
    left, settled, moves = list(found), list[Culprit](), list[Move]()
    while True:
        ends = [(move.gone_from, move.gone_to) for move in (*known, *moves)]
        places = Neighbourhood(tree, *(side.mean(axis=0) for side in sides), moved=ends)
        further = list[Move]()
        for culprit in sorted(left, key=lambda c: abs(c.change), reverse=True):
            if culprit not in left:
                continue
            partners = places.partners(culprit.frame, test) or _in_other_pools(profiles, culprit, test)
            if not partners or sum(partners.values()) < MOVED_PART * abs(culprit.change):
                continue
            group = (culprit.frame, *partners)
            left = [each for each in left if each.frame not in group]
            theirs = np.isin(tree.frame, group)
            balance = balance_of(profiles, tree.below(theirs) if subtrees else theirs, frame=culprit.frame)
            further += [_move(culprit, partner, amount, balance) for partner, amount in partners.items()]
            if balance.p_value < NET and abs(balance.change) >= SMALLEST_SHARE * whole:
                grown = culprit.frame if culprit.change > 0 else next(iter(partners))
                others = tuple(each for each in group if each != grown)
                settled.append(replace(balance, frame=grown, diffuse=culprit.diffuse, partners=others))
        moves += further
        if not further:
            return [*left, *settled], moves


def _in_other_pools(profiles: NodeCosts, culprit: Culprit, test: Tested) -> dict[int, float]:
    """Where the cost of a frame went to, or came from, that runs in another pool of threads now, and how much."""
    if profiles.name is None:
        return {}
    named = np.flatnonzero(profiles.name == profiles.name[culprit.frame])
    there = named[(test.mean[named] * culprit.change < 0) & (test.p_values[named] < _PARTNER)]
    amounts = np.minimum(np.abs(test.mean[there]), abs(culprit.change))
    return dict(sorted(zip(there.tolist(), amounts.tolist(), strict=True), key=lambda each: -each[1]))


def _move(culprit: Culprit, partner: int, amount: float, balance: Culprit) -> Move:
    ends = (culprit.frame, partner) if culprit.change < 0 else (partner, culprit.frame)
    return Move(gone_from=ends[0], gone_to=ends[1], amount=amount, net=balance.change)


def balance_of(profiles: NodeCosts, mine: npt.NDArray[np.bool_], *, frame: int) -> Culprit:
    """The net of some nodes' own costs over pairs, as one culprit."""
    net = (profiles.candidate - profiles.baseline)[:, mine].sum(axis=1)
    level = float((profiles.baseline + profiles.candidate)[:, mine].sum(axis=1).mean() / 2)
    single = Differences(
        each=net[:, np.newaxis], level=np.array([level]), poisson=np.array([profiles.poisson[mine].sum()])
    )
    test = tested(single, whole=level)
    low, high = test.interval()
    return Culprit(
        frame=frame,
        change=float(test.mean[0]),
        low=float(low[0]),
        high=float(high[0]),
        p_value=float(2 * special.stdtr(test.degrees, -abs(test.mean[0]) / test.error[0])) if test.error[0] else 1.0,
    )
