"""Which frames are to blame: the deepest ones that changed, not everything that calls them.

One slow method makes all its callers look slower. So own costs are tested first, which have no callers in them, with
the false discovery rate held over all frames. What they explain is taken out of the tree; a caller is only named when
what is left below it changed all the same, spread too thin for any single frame. And what one frame lost while another
gained it nearby was moved, renamed or inlined: it counts by its net, see `relocations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pacecar.analysis.stats.arrays import Mask, Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.common_change import common_change
from pacecar.analysis.stats.culprits import SMALLEST_SHARE, Attribution, Culprit, NodeCosts
from pacecar.analysis.stats.dispersion import Differences, Tested, tested
from pacecar.analysis.stats.multiplicity import benjamini_hochberg
from pacecar.analysis.stats.neighbours import one_sided
from pacecar.analysis.stats.relocations import MOVED_PART, NET, balance_of, collapsed

#: Expected share of false ones among the named frames of one kind of profile, where nothing else is asked for.
FALSE_DISCOVERIES = 0.035
#: How much more readily a frame is believed whose code differs between the builds.
TOUCHED_WEIGHT = 100.0
#: The same of a frame that such code calls: what a changed method does more often need not have changed itself.
CALLED_WEIGHT = 30.0
#: The part of a frame's cost from which on it counts as called by such code.
_CALLED = 0.1
#: The part of a change that must be there before what everything has in common is taken out.
_REALLY = 0.5
#: Callers named at most; each is followed by a new look at what is left.
_MOST_DIFFUSE = 20


def attribute(
    profiles: NodeCosts, *, touched: Mask | None = None, false_discoveries: float = FALSE_DISCOVERIES
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
    factors = (
        common_change(by_frame(profiles.baseline), by_frame(profiles.candidate), by_frame(profiles.poisson))
        if profiles.timed
        else np.zeros(len(profiles.baseline))
    )
    candidate = profiles.candidate / np.exp(factors)[:, np.newaxis]
    balanced = replace(profiles, candidate=candidate)
    whole = float((balanced.baseline.sum(axis=1).mean() + candidate.sum(axis=1).mean()) / 2)
    own = tested(_own(balanced), whole=whole)
    total = tested(_total(balanced), whole=whole)
    weights = None if touched is None else _weights(balanced, touched)
    named = _named(own, _own(balanced), whole=whole, weights=weights, false_discoveries=false_discoveries)
    found = _really_changed(named, _own(profiles))
    culprits, moves = collapsed(balanced, found, own, whole=whole)
    moved = [end for move in moves for end in (move.gone_from, move.gone_to)]
    explained = np.isin(tree.frame, [*(culprit.frame for culprit in found), *moved])
    explained |= _moved_along(balanced, moved, explained)
    spread = _really_changed(
        _diffuse(balanced, explained, whole=whole, false_discoveries=false_discoveries),
        _total(_without(profiles, explained)),
    )
    further, more_moves = collapsed(
        _without(balanced, explained), spread, total, whole=whole, known=moves, subtrees=True
    )
    return Attribution(
        common=float(factors.mean()),
        own=own,
        total=total,
        culprits=tuple(sorted((*culprits, *further), key=lambda each: each.at_least, reverse=True)),
        moves=tuple(sorted((*moves, *more_moves), key=lambda move: move.amount, reverse=True)),
    )


def _weights(profiles: NodeCosts, touched: Mask) -> Numbers:
    """(frames,) how readily each is believed, by where its costs lie, whichever side they are of."""
    tree = profiles.tree
    costs = (profiles.baseline + profiles.candidate).sum(axis=0)
    called = (tree.parent >= 0) & touched[tree.frame[tree.parent]]
    there, everywhere = tree.by_frame(np.where(called, costs, 0.0)), tree.by_frame(costs)
    near = (there > 0) & (there >= _CALLED * everywhere)
    return np.where(touched, TOUCHED_WEIGHT, np.where(near, CALLED_WEIGHT, 1.0))


def _really_changed(found: Sequence[Culprit], differences: Differences) -> list[Culprit]:
    """Those that changed before what everything has in common was taken out, too. Where most of the code became slower,
    because of a library that all of it calls, what stayed as it was has not become faster.
    """
    change = differences.each.mean(axis=0)
    return [each for each in found if change[each.frame] * np.sign(each.change) >= _REALLY * abs(each.change)]


def _own(profiles: NodeCosts) -> Differences:
    by_frame = profiles.tree.by_frame
    return _differences(by_frame(profiles.baseline), by_frame(profiles.candidate), by_frame(profiles.poisson))


def _total(profiles: NodeCosts) -> Differences:
    totals = profiles.tree.totals_by_frame
    return _differences(totals(profiles.baseline), totals(profiles.candidate), totals(profiles.poisson))


def _differences(before: Numbers, after: Numbers, poisson: Numbers) -> Differences:
    return Differences(each=after - before, level=(before + after).mean(axis=0) / 2, poisson=poisson)


def _named(
    test: Tested, differences: Differences, *, whole: float, weights: Numbers | None, false_discoveries: float
) -> list[Culprit]:
    """Frames whose change is significant with the false discovery rate held, and large enough to matter.

    Frames too cheap for that are not tested: their mean cost says nothing about their change (Bourgon, Gentleman &
    Huber, "Independent filtering increases detection power", PNAS 107, 2010). P-values are weighted by what is known of
    the code (Genovese, Roeder & Wasserman, "False discovery control with p-value weighting", Biometrika 93, 2006).
    """
    worth = np.flatnonzero(differences.level >= SMALLEST_SHARE * whole / 2)
    if len(worth) == 0 or not np.isfinite(test.error[worth]).all():
        return []
    chosen = np.ones(len(worth)) if weights is None else weights[worth]
    adjusted = benjamini_hochberg(np.minimum(1.0, test.p_values[worth] * chosen.mean() / chosen).tolist())
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


def _diffuse(profiles: NodeCosts, explained: Mask, *, whole: float, false_discoveries: float) -> list[Culprit]:
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
        believed = _named(test, differences, whole=whole, weights=None, false_discoveries=false_discoveries)
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


def _moved_along(profiles: NodeCosts, ends: Sequence[int], explained: Mask) -> Mask:
    """(nodes,) what is left below frames that moved and is there on one side only, such as lambdas, which are called
    after their method: nothing, when on balance it is a change of its own.
    """
    tree = profiles.tree
    inside = tree.below(np.isin(tree.frame, ends)) & ~explained
    before, after = (tree.by_frame(side.mean(axis=0)) for side in (profiles.baseline, profiles.candidate))
    candidates: Mask = inside & one_sided(before, after)[tree.frame]
    balance = balance_of(profiles, candidates, frame=-1)
    return candidates if balance.p_value >= NET else np.zeros_like(candidates)


def _without(profiles: NodeCosts, explained: Mask) -> NodeCosts:
    return replace(
        profiles,
        baseline=np.where(explained, 0.0, profiles.baseline),
        candidate=np.where(explained, 0.0, profiles.candidate),
        poisson=np.where(explained, 0.0, profiles.poisson),
    )


def _relocated(profiles: NodeCosts, culprit: Culprit) -> bool:
    """Whether the frames below `culprit` only came there from other callers (or went to others): over all their places
    they changed much less than below it.
    """
    tree = profiles.tree
    below = tree.below(tree.frame == culprit.frame)
    costly = (profiles.baseline + profiles.candidate).any(axis=0)
    everywhere = np.isin(tree.frame, tree.frame[below & costly])
    change = float((profiles.candidate - profiles.baseline)[:, everywhere].sum(axis=1).mean())
    return bool(change * np.sign(culprit.change) < (1 - MOVED_PART) * abs(culprit.change))


def _mean_depth(tree: CallTree, level: Numbers) -> Numbers:
    places = np.bincount(tree.frame, minlength=tree.frames)
    sums = np.bincount(tree.frame, weights=tree.depth, minlength=tree.frames)
    return np.where(level > 0, sums / np.maximum(places, 1), -1.0)
