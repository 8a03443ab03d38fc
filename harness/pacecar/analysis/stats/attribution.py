"""Which frames are to blame: the deepest ones that changed, not everything that calls them.

One slow method makes all its callers look slower. So own costs are tested first, which have no callers in them, with
the false discovery rate held over all frames. What they explain is taken out of the tree; a caller is only named when
what is left below it changed all the same, spread too thin for any single frame. And what one frame lost while another
gained it under the same caller, in the same pool of threads, was moved, renamed or inlined: it counts by its net.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.common_change import common_change
from pacecar.analysis.stats.dispersion import Differences, Numbers, Tested, tested
from pacecar.analysis.stats.multiplicity import benjamini_hochberg
from pacecar.analysis.stats.neighbours import Neighbourhood, one_sided

Mask = npt.NDArray[np.bool_]

#: Expected share of false ones among the named frames of one kind of profile, where nothing else is asked for.
FALSE_DISCOVERIES = 0.035
#: Smallest change that is named, as a share of the whole cost.
SMALLEST_SHARE = 0.005
#: How much more readily a frame is believed whose code differs between the builds.
TOUCHED_WEIGHT = 100.0
#: The part of a change that must reappear under the same callers for it to have moved.
_MOVED_PART = 0.6
#: Below this p-value the net of what moved is a change of its own.
_NET = 0.01
#: Callers named at most; each is followed by a new look at what is left.
_MOST_DIFFUSE = 20


@dataclass(frozen=True, kw_only=True)
class Profiles:
    """Costs per request of both sides, by node of one tree.

    Attributes:
        tree: where costs lie.
        baseline: (pairs, nodes) own cost.
        candidate: (pairs, nodes).
        poisson: (nodes,) Poisson variance of one pair's difference, mean over pairs.
    """

    tree: CallTree
    baseline: Numbers
    candidate: Numbers
    poisson: Numbers


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """A frame that is to blame.

    Attributes:
        frame: number in the tree.
        change: own cost, candidate minus baseline; of a diffuse one everything left below it.
        low: lower end of the 95 % interval.
        high: upper end.
        p_value: corrected for the number of frames.
        diffuse: no single frame below it carries the change.
    """

    frame: int
    change: float
    low: float
    high: float
    p_value: float
    diffuse: bool = False

    @property
    def at_least(self) -> float:
        """The end of the interval nearest zero, without sign; 0 where zero lies inside."""
        return max(0.0, self.low, -self.high)


@dataclass(frozen=True, kw_only=True)
class Move:
    """Cost that went from one frame to another under the same callers, and what it changed on balance."""

    gone_from: int
    gone_to: int
    amount: float
    net: float


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """What changed where.

    Attributes:
        common: mean log-ratio by which everything alike became slower (above zero) or faster; taken out of the rest.
        own: test of every frame's own cost.
        total: test of every frame's cost with everything it calls.
        culprits: by how much they changed at least, most first.
        moves: largest first.
    """

    common: float
    own: Tested
    total: Tested
    culprits: tuple[Culprit, ...] = ()
    moves: tuple[Move, ...] = ()


def attribute(
    profiles: Profiles, *, touched: Mask | None = None, false_discoveries: float = FALSE_DISCOVERIES
) -> Attribution:
    """Find the frames to blame.

    Args:
        profiles: of at least one pair; a single one names nobody.
        touched: (frames,) whether the code of a frame differs between the builds; None when that is not known.
        false_discoveries: expected share of false ones among the named frames. Where nothing changed, this is also the
            chance that any frame is named.
    """
    tree = profiles.tree
    by_frame = tree.by_frame
    factors = common_change(by_frame(profiles.baseline), by_frame(profiles.candidate), by_frame(profiles.poisson))
    candidate = profiles.candidate / np.exp(factors)[:, np.newaxis]
    balanced = replace(profiles, candidate=candidate)
    whole = float((balanced.baseline.sum(axis=1).mean() + candidate.sum(axis=1).mean()) / 2)
    own = tested(_own(balanced), whole=whole)
    total = tested(_total(balanced), whole=whole)
    found = _named(own, _own(balanced), whole=whole, touched=touched, false_discoveries=false_discoveries)
    culprits, moves = _collapsed(balanced, found, own, whole=whole)
    moved = [end for move in moves for end in (move.gone_from, move.gone_to)]
    explained = np.isin(tree.frame, [*(culprit.frame for culprit in found), *moved])
    explained |= _moved_along(balanced, moved, explained)
    spread = _diffuse(balanced, explained, whole=whole, false_discoveries=false_discoveries)
    further, more_moves = _collapsed(
        _without(balanced, explained), spread, total, whole=whole, known=moves, subtrees=True
    )
    return Attribution(
        common=float(factors.mean()),
        own=own,
        total=total,
        culprits=tuple(sorted((*culprits, *further), key=lambda each: each.at_least, reverse=True)),
        moves=tuple(sorted((*moves, *more_moves), key=lambda move: move.amount, reverse=True)),
    )


def _own(profiles: Profiles) -> Differences:
    by_frame = profiles.tree.by_frame
    return _differences(by_frame(profiles.baseline), by_frame(profiles.candidate), by_frame(profiles.poisson))


def _total(profiles: Profiles) -> Differences:
    totals = profiles.tree.totals_by_frame
    return _differences(totals(profiles.baseline), totals(profiles.candidate), totals(profiles.poisson))


def _differences(before: Numbers, after: Numbers, poisson: Numbers) -> Differences:
    return Differences(each=after - before, level=(before + after).mean(axis=0) / 2, poisson=poisson)


def _named(
    test: Tested, differences: Differences, *, whole: float, touched: Mask | None, false_discoveries: float
) -> list[Culprit]:
    """Frames whose change is significant with the false discovery rate held, and large enough to matter.

    Frames too cheap for that are not tested: their mean cost says nothing about their change (Bourgon, Gentleman &
    Huber, "Independent filtering increases detection power", PNAS 107, 2010). P-values are weighted by what is known of
    the code (Genovese, Roeder & Wasserman, "False discovery control with p-value weighting", Biometrika 93, 2006).
    """
    worth = np.flatnonzero(differences.level >= SMALLEST_SHARE * whole / 2)
    if len(worth) == 0 or not np.isfinite(test.error[worth]).all():
        return []
    weights = np.ones(len(worth))
    if touched is not None:
        weights[touched[worth]] = TOUCHED_WEIGHT
    weights /= weights.mean()
    adjusted = benjamini_hochberg(np.minimum(1.0, test.p_values[worth] / weights).tolist())
    low, high = test.interval()
    return [
        Culprit(
            frame=int(frame),
            change=float(test.mean[frame]),
            low=float(low[frame]),
            high=float(high[frame]),
            p_value=p_value,
        )
        for frame, p_value in zip(worth, adjusted, strict=True)
        if p_value < false_discoveries and abs(test.mean[frame]) >= SMALLEST_SHARE * whole
    ]


def _diffuse(profiles: Profiles, explained: Mask, *, whole: float, false_discoveries: float) -> list[Culprit]:
    """Callers below which the cost changed although no named frame explains it; the deepest first.

    Args:
        profiles: of both sides.
        explained: (nodes,) whose own cost is explained already.
        whole: mean cost of everything together.
        false_discoveries: as in `attribute`.
    """
    tree, found, relocated = profiles.tree, list[Culprit](), set[int]()
    for _ in range(_MOST_DIFFUSE):
        left = _without(profiles, explained)
        differences = _total(left)
        test = tested(differences, whole=whole)
        believed = _named(test, differences, whole=whole, touched=None, false_discoveries=false_discoveries)
        named = [each for each in believed if each.frame not in relocated]
        if not named:
            break
        depth = _mean_depth(tree, differences.level)
        deepest = max(named, key=lambda each: depth[each.frame])
        if _relocated(left, deepest):
            relocated.add(deepest.frame)
            continue
        found.append(replace(deepest, diffuse=True))
        explained = explained | tree.below(tree.frame == deepest.frame)
    return found


def _moved_along(profiles: Profiles, ends: Sequence[int], explained: Mask) -> Mask:
    """(nodes,) what is left below frames that moved and is there on one side only, such as lambdas, which are called
    after their method: nothing, when on balance it is a change of its own.
    """
    tree = profiles.tree
    inside = tree.below(np.isin(tree.frame, ends)) & ~explained
    before, after = (tree.by_frame(side.mean(axis=0)) for side in (profiles.baseline, profiles.candidate))
    candidates: Mask = inside & one_sided(before, after)[tree.frame]
    balance = _balance(profiles, candidates, frame=-1)
    return candidates if balance.p_value >= _NET else np.zeros_like(candidates)


def _without(profiles: Profiles, explained: Mask) -> Profiles:
    return replace(
        profiles,
        baseline=np.where(explained, 0.0, profiles.baseline),
        candidate=np.where(explained, 0.0, profiles.candidate),
        poisson=np.where(explained, 0.0, profiles.poisson),
    )


def _relocated(profiles: Profiles, culprit: Culprit) -> bool:
    """Whether the frames below `culprit` only came there from other callers (or went to others): over all their places
    they changed much less than below it.
    """
    tree = profiles.tree
    below = tree.below(tree.frame == culprit.frame)
    costly = (profiles.baseline + profiles.candidate).any(axis=0)
    everywhere = np.isin(tree.frame, tree.frame[below & costly])
    change = float((profiles.candidate - profiles.baseline)[:, everywhere].sum(axis=1).mean())
    return bool(change * np.sign(culprit.change) < (1 - _MOVED_PART) * abs(culprit.change))


def _mean_depth(tree: CallTree, level: Numbers) -> Numbers:
    places = np.bincount(tree.frame, minlength=tree.frames)
    sums = np.bincount(tree.frame, weights=tree.depth, minlength=tree.frames)
    return np.where(level > 0, sums / np.maximum(places, 1), -1.0)


def _collapsed(
    profiles: Profiles,
    found: Sequence[Culprit],
    test: Tested,
    *,
    whole: float,
    known: Sequence[Move] = (),
    subtrees: bool = False,
) -> tuple[list[Culprit], list[Move]]:
    """Take out of `found` what only moved.

    Partners are frames whose cost went the other way under the same callers, beyond noise. What is left on balance
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
            partners = places.partners(culprit.frame, test) if culprit in left else {}
            if not partners or sum(partners.values()) < _MOVED_PART * abs(culprit.change):
                continue
            group = (culprit.frame, *partners)
            left = [each for each in left if each.frame not in group]
            theirs = np.isin(tree.frame, group)
            balance = _balance(profiles, tree.below(theirs) if subtrees else theirs, frame=culprit.frame)
            further += [_move(culprit, partner, amount, balance) for partner, amount in partners.items()]
            if balance.p_value < _NET and abs(balance.change) >= SMALLEST_SHARE * whole:
                grown = culprit.frame if culprit.change > 0 else next(iter(partners))
                settled.append(replace(balance, frame=grown, diffuse=culprit.diffuse))
        moves += further
        if not further:
            return [*left, *settled], moves


def _move(culprit: Culprit, partner: int, amount: float, balance: Culprit) -> Move:
    ends = (culprit.frame, partner) if culprit.change < 0 else (partner, culprit.frame)
    return Move(gone_from=ends[0], gone_to=ends[1], amount=amount, net=balance.change)


def _balance(profiles: Profiles, mine: Mask, *, frame: int) -> Culprit:
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
