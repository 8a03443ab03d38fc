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

from pacecar.stats.calltree import CallTree
from pacecar.stats.dispersion import Differences, Numbers, Tested, tested
from pacecar.stats.multiplicity import benjamini_hochberg

Mask = npt.NDArray[np.bool_]

#: Expected share of false ones among the named frames.
FALSE_DISCOVERIES = 0.035
#: Smallest change that is named, as a share of the whole cost.
SMALLEST_SHARE = 0.005
#: How much more readily a frame is believed whose code differs between the builds.
TOUCHED_WEIGHT = 100.0
#: The part of a change that must reappear under the same callers for it to have moved.
_MOVED_PART = 0.6
#: The least part of a partner's own change that must have come from (or gone to) it: a frame that is gone has not moved
#: into a caller that happens to cost a little more.
_LEAST_PART = 0.25
#: The part of a frame's cost that may stay (or have been there) for it to be gone (or new) at a place.
_LEFT = 0.2
#: Calls through which the body of a method is believed to have moved: helper, lambda, proxy and the method itself.
_THROUGH = 4
#: Below this p-value the net of what moved is a change of its own.
_NET = 0.01
#: Above this p-value what another frame seems to have gained is noise, and nothing has moved there.
_PARTNER = 0.01
_PARTNER_OF_GONE = 0.25
#: Frames of at least this share of the whole tell by how much everything became slower or faster.
_COMMON_SHARE = 0.005
_FEWEST_COMMON = 8
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


def attribute(profiles: Profiles, *, touched: Mask | None = None) -> Attribution:
    """Find the frames to blame.

    Args:
        profiles: of at least one pair; a single one names nobody.
        touched: (frames,) whether the code of a frame differs between the builds; None when that is not known.
    """
    tree = profiles.tree
    factors = _common(profiles)
    candidate = profiles.candidate / np.exp(factors)[:, np.newaxis]
    balanced = replace(profiles, candidate=candidate)
    whole = float((balanced.baseline.sum(axis=1).mean() + candidate.sum(axis=1).mean()) / 2)
    own = tested(_own(balanced), whole=whole)
    total = tested(_total(balanced), whole=whole)
    found = _named(own, _own(balanced), whole=whole, touched=touched)
    culprits, moves = _collapsed(balanced, found, own, whole=whole)
    explained = np.isin(tree.frame, [*(c.frame for c in found), *(m.gone_to for m in moves)])
    spread = _diffuse(balanced, explained, whole=whole)
    further, more_moves = _collapsed(_without(balanced, explained), spread, total, whole=whole, subtrees=True)
    return Attribution(
        common=float(factors.mean()),
        own=own,
        total=total,
        culprits=tuple(sorted((*culprits, *further), key=lambda each: each.at_least, reverse=True)),
        moves=tuple(sorted((*moves, *more_moves), key=lambda move: move.amount, reverse=True)),
    )


def _common(profiles: Profiles) -> Numbers:
    """(pairs,) the median log-ratio of the costly frames: the machine, the day, what the JIT made of all of them."""
    before, after = (profiles.tree.by_frame(side) for side in (profiles.baseline, profiles.candidate))
    both = before + after
    # A fork may have no wait for a lock at all.
    share = (both / np.maximum(both.sum(axis=1, keepdims=True), np.finfo(float).tiny)).mean(axis=0)
    costly = (share >= _COMMON_SHARE) & (before > 0).all(axis=0) & (after > 0).all(axis=0)
    if np.count_nonzero(costly) < _FEWEST_COMMON:
        return np.zeros(len(before))
    found: Numbers = np.median(np.log(after[:, costly] / before[:, costly]), axis=1)
    return found


def _own(profiles: Profiles) -> Differences:
    by_frame = profiles.tree.by_frame
    return _differences(by_frame(profiles.baseline), by_frame(profiles.candidate), by_frame(profiles.poisson))


def _total(profiles: Profiles) -> Differences:
    totals = profiles.tree.totals_by_frame
    return _differences(totals(profiles.baseline), totals(profiles.candidate), totals(profiles.poisson))


def _differences(before: Numbers, after: Numbers, poisson: Numbers) -> Differences:
    return Differences(each=after - before, level=(before + after).mean(axis=0) / 2, poisson=poisson)


def _named(test: Tested, differences: Differences, *, whole: float, touched: Mask | None) -> list[Culprit]:
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
        if p_value < FALSE_DISCOVERIES and abs(test.mean[frame]) >= SMALLEST_SHARE * whole
    ]


def _diffuse(profiles: Profiles, explained: Mask, *, whole: float) -> list[Culprit]:
    """Callers below which the cost changed although no named frame explains it; the deepest first.

    Args:
        profiles: of both sides.
        explained: (nodes,) whose own cost is explained already.
        whole: mean cost of everything together.
    """
    tree, found, relocated = profiles.tree, list[Culprit](), set[int]()
    for _ in range(_MOST_DIFFUSE):
        left = _without(profiles, explained)
        differences = _total(left)
        named = [
            each
            for each in _named(tested(differences, whole=whole), differences, whole=whole, touched=None)
            if each.frame not in relocated
        ]
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
    profiles: Profiles, found: Sequence[Culprit], test: Tested, *, whole: float, subtrees: bool = False
) -> tuple[list[Culprit], list[Move]]:
    """Take out of `found` what only moved.

    Partners are frames whose cost went the other way under the same callers, beyond noise. What is left on balance
    counts for the one that grew most when it is a change of its own.
    """
    tree = profiles.tree
    sides = [tree.totals(side) if subtrees else side for side in (profiles.baseline, profiles.candidate)]
    places = _Places(tree, *(side.mean(axis=0) for side in sides))
    left, moves = {culprit.frame: culprit for culprit in found}, list[Move]()
    for culprit in sorted(found, key=lambda c: abs(c.change), reverse=True):
        if culprit.frame not in left:
            continue
        partners = {
            other: amount
            for other, amount in places.partners(culprit.frame, test.p_values).items()
            if amount >= _LEAST_PART * abs(test.mean[other])
        }
        if sum(partners.values()) < _MOVED_PART * abs(culprit.change):
            continue
        group = (culprit.frame, *partners)
        theirs = np.isin(tree.frame, group)
        balance = _balance(profiles, tree.below(theirs) if subtrees else theirs, frame=culprit.frame)
        for partner, amount in partners.items():
            ends = (culprit.frame, partner) if culprit.change < 0 else (partner, culprit.frame)
            moves.append(Move(gone_from=ends[0], gone_to=ends[1], amount=amount, net=balance.change))
        for frame in group:
            left.pop(frame, None)
        if balance.p_value < _NET and abs(balance.change) >= SMALLEST_SHARE * whole:
            grown = culprit.frame if culprit.change > 0 else next(iter(partners))
            left[grown] = replace(balance, frame=grown, diffuse=culprit.diffuse)
    return list(left.values()), moves


@dataclass(frozen=True)
class _Cost:
    """A frame's cost under one caller."""

    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def gone(self) -> bool:
        return self.after <= _LEFT * self.before

    @property
    def new(self) -> bool:
        return self.before <= _LEFT * self.after


class _Places:
    """Where frames stand in a tree, and what of their cost reappears next to them.

    What a frame lost counts as found again in a sibling when the frame is gone there and the sibling is new (a rename,
    a move), and in a caller when it is gone (inlined); what it gained likewise, when it is new (a method extracted,
    perhaps behind a helper and its lambda). The top of a tree is a pool of threads, which calls nobody.
    """

    def __init__(self, tree: CallTree, before: Numbers, after: Numbers) -> None:
        self._tree, self._before, self._after = tree, before, after
        self._totals = (tree.totals(before), tree.totals(after))
        order = np.argsort(tree.parent, kind="stable")
        self._order, self._parents = order, tree.parent[order]

    def partners(self, frame: int, p_values: Numbers) -> dict[int, float]:
        """The frames that `frame`'s change went to or came from, and how much; the largest part first.

        Args:
            frame: number.
            p_values: (frames,) of no change. Where `frame` is gone (or new) everywhere, which is no noise, what others
                gained is believed sooner.
        """
        taken: dict[int, float] = {}
        into: dict[int, float] = {}
        nodes = np.flatnonzero(self._tree.frame == frame)
        for caller in {int(self._tree.parent[node]) for node in nodes.tolist()} - {-1}:
            below = self._beside(caller)
            mine = below.pop(frame)
            for other, cost in below.items():
                if (mine.gone and cost.new) or (mine.new and cost.gone):
                    _match(taken, other, mine.change, cost.change)
            if mine.gone or mine.new:
                for above in self._above(caller):
                    into[above] = into.get(above, 0.0) + mine.change
        for above, change in into.items():
            _match(taken, int(self._tree.frame[above]), change, self._own(above).change)
        for node in nodes.tolist():
            for other, cost in self._far_below(node):
                if cost.gone or cost.new:
                    _match(taken, other, self._own(node).change, cost.change)
        whole = _Cost(float(self._before[nodes].sum()), float(self._after[nodes].sum()))
        believed = _PARTNER_OF_GONE if whole.gone or whole.new else _PARTNER
        possible = {other: part for other, part in taken.items() if p_values[other] < believed and other != frame}
        return dict(sorted(possible.items(), key=lambda each: -each[1]))

    def _own(self, node: int) -> _Cost:
        return _Cost(float(self._before[node]), float(self._after[node]))

    def _above(self, node: int) -> list[int]:
        """`node` and its nearest callers."""
        found = [node]
        while len(found) < _THROUGH and (caller := int(self._tree.parent[found[-1]])) >= 0:
            found.append(caller)
        return found

    def _far_below(self, node: int) -> list[tuple[int, _Cost]]:
        """What `node` calls, and what that calls, as far down as a body is believed to move."""
        found, callers = list[tuple[int, _Cost]](), [node]
        for _ in range(_THROUGH):
            callers = [below for caller in callers for below in self._children(caller)]
            found += [(int(self._tree.frame[each]), self._own(each)) for each in callers]
        return found

    def _children(self, caller: int) -> list[int]:
        begin, end = np.searchsorted(self._parents, [caller, caller + 1])
        children: list[int] = self._order[begin:end].tolist()
        return children

    def _beside(self, caller: int) -> dict[int, _Cost]:
        """What `caller` calls. Where it is gone or new itself, as when a class is renamed with all its methods, what
        stands as deep below the nearest caller that stayed.
        """
        levels = 1
        while levels < _THROUGH and not self._stayed(caller) and self._tree.parent[caller] >= 0:
            caller, levels = int(self._tree.parent[caller]), levels + 1
        nodes = [caller]
        for _ in range(levels):
            nodes = [below for each in nodes for below in self._children(each)]
        costs: dict[int, _Cost] = {}
        for node in nodes:
            frame, cost = int(self._tree.frame[node]), self._own(node)
            before = costs.get(frame, _Cost(0.0, 0.0))
            costs[frame] = _Cost(before.before + cost.before, before.after + cost.after)
        return costs

    def _stayed(self, node: int) -> bool:
        total = _Cost(float(self._totals[0][node]), float(self._totals[1][node]))
        return not (total.gone or total.new)


def _match(taken: dict[int, float], other: int, lost: float, gained: float) -> None:
    if lost * gained < 0:
        taken[other] = taken.get(other, 0.0) + min(abs(lost), abs(gained))


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
