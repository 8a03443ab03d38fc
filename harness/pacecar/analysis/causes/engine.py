"""From claims of all kinds to roots and what follows from them. No order of kinds or claims decides anything.

A claim's share of the change comes from the pairs, with an interval. One that accounts for too little is dropped, one
that follows from another claim goes below it, and the rest are the roots, the surest first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.shares import share_of
from pacecar.model.causes import Cause, NotLooked, Share, Strength
from pacecar.model.comparison import Judgement

#: Lower bound of the share from which on a cause is certain, and from which on it is likely.
_CERTAIN = 0.5
_LIKELY = 0.25
#: The same for what is told below a root: it is known already where the change comes from.
_TOLD = 0.1
#: The part of a consequence that its root must account for.
_COVERED = 0.5
#: Roots that explain less than this leave room for what was not looked at.
_EXPLAINED = 0.5
_MOST_ROOTS = 5
_MOST_CONSEQUENCES = 3


@dataclass(frozen=True, kw_only=True)
class _Weighed:
    """A claim with what the pairs say of it; a slight one is told below a root or not at all."""

    kind: CauseKind
    claim: Claim
    share: Share | None
    strength: Strength | None
    slight: bool = False

    @property
    def layer(self) -> Layer:
        """Where it happens."""
        return self.kind.layer if self.claim.layer is None else self.claim.layer

    @property
    def moves(self) -> frozenset[str]:
        """What it moves beside the metric."""
        return self.kind.moves if self.claim.moves is None else self.claim.moves

    @property
    def follows_from(self) -> frozenset[str]:
        """What moves it."""
        return self.kind.follows_from | self.claim.follows_from

    @property
    def rank(self) -> tuple[float, float, str, str]:
        """Smaller is first: by the lower bound of the share, then by the share, then by words, never by order."""
        low, part = (self.share.low, self.share.part) if self.share is not None else (0.0, 0.0)
        return -low, -part, self.kind.name, self.claim.statement


def causes_of(judgement: Judgement, quantities: Quantities, kinds: Iterable[CauseKind]) -> tuple[Cause, ...]:
    """The roots of one change, the surest first, each with what follows from it; empty when none is certain or likely.

    Args:
        judgement: that regressed or improved, with an estimate.
        quantities: what was recorded beside it.
        kinds: to ask, in any order.
    """
    asked = [kind for kind in kinds if kind.explains(judgement) and _missing(kind, judgement, quantities) is None]
    weighed = [
        found
        for kind in asked
        for claim in kind.claims(judgement, quantities)
        if (found := _weighed(kind, claim, judgement, quantities)) is not None
    ]
    return _rooted(sorted(weighed, key=lambda each: each.rank))


def not_looked(
    judgement: Judgement, causes: Sequence[Cause], quantities: Quantities, kinds: Iterable[CauseKind]
) -> tuple[NotLooked, ...]:
    """The kinds that might explain what the roots leave open, had it been recorded what they need; by name."""
    if explained(causes):
        return ()
    found = []
    for kind in sorted(kinds, key=lambda each: each.name):
        missing = _missing(kind, judgement, quantities) if kind.explains(judgement) else None
        if missing is not None:
            lacks, switch_on = missing
            found.append(NotLooked(name=kind.name, title=kind.title, lacks=lacks, switch_on=switch_on))
    return tuple(found)


def explained(causes: Sequence[Cause]) -> bool:
    """Whether these roots account for half of a change, at least, with what comes on top of each; one without a share
    is taken to account for all.
    """
    on_top = [each for cause in causes for each in cause.consequences if each.on_top and each.share is not None]
    parts = [cause.share.part if cause.share is not None else 1.0 for cause in causes]
    parts += [each.share.part for each in on_top if each.share is not None]
    return math.fsum(parts) >= _EXPLAINED


def _missing(kind: CauseKind, judgement: Judgement, quantities: Quantities) -> tuple[str, str | None] | None:
    """What the first missing family of those that a kind needs lacks, and the key that records it."""
    for family in (*kind.needs, *kind.needs_for(judgement)):
        lacks = quantities.lacks(family)
        if lacks is not None:
            return lacks, family.switch_on
    return None


def _weighed(kind: CauseKind, claim: Claim, judgement: Judgement, quantities: Quantities) -> _Weighed | None:
    """The claim with its share and strength; None where it accounts for too little to be told of."""
    if claim.each is None:
        strength = Strength.LIKELY if claim.proved else None
        return _Weighed(kind=kind, claim=claim, share=None, strength=strength) if strength is not None else None
    name, endpoint = claim.of or judgement.metric.name, judgement.metric.endpoint
    if claim.whole is None:
        whole, varies = quantities.change(name, endpoint), quantities.assumed_variance(name, endpoint)
    else:
        whole, varies = claim.whole, 0.0
    judged = claim.whole is None and name == judgement.metric.name
    if not judged and _went_the_other_way(whole, judgement):
        return None
    share = share_of(claim.each, whole, scatter=claim.scatter, whole_varies=varies)
    if share is None or not share.low >= _TOLD or share.part > claim.most:
        return None
    slight = share.low < _LIKELY
    likely = None if slight else Strength.LIKELY
    strength = Strength.CERTAIN if share.low >= _CERTAIN and claim.proved else likely
    return _Weighed(kind=kind, claim=claim, share=share, strength=strength, slight=slight)


def _went_the_other_way(whole: Numbers, judgement: Judgement) -> bool:
    """Whether the change that claims are parts of did not go the way of the judged metric. Requests may take less time
    in the mean while their tail takes more: a part of the former is then no cause of the latter.
    """
    return judgement.estimate is not None and bool(np.nansum(whole) * judgement.estimate.change < 0)


def _rooted(weighed: Sequence[_Weighed]) -> tuple[Cause, ...]:
    """Roots with their consequences. What follows from several goes below the first, from a consequence below its root:
    layers only rise. What explains nothing alone is a root with the share of what follows from it, or none.
    """
    by_layer = sorted(weighed, key=lambda each: (each.layer, not each.claim.alone, each.rank))
    roots: list[_Weighed] = []
    below: dict[int, list[_Weighed]] = {}
    root_of: dict[int, int] = {}
    for each in by_layer:
        above = _above(each, by_layer, root_of)
        if above is None and not each.slight:
            roots.append(each)
            root_of[id(each)] = id(each)
        elif above is not None:
            root_of[id(each)] = root_of[id(above)]
            below.setdefault(root_of[id(each)], []).append(each)
    found = [
        (root if root.claim.alone else replace(root, share=beneath[0].share), beneath)
        for root in roots
        for beneath in [below.get(id(root), [])]
        if root.claim.alone or any(not each.slight for each in beneath)
    ]
    ranked = sorted(found, key=lambda each: each[0].rank)[:_MOST_ROOTS]
    return tuple(
        replace(_cause(root), consequences=tuple(map(_cause, beneath[:_MOST_CONSEQUENCES]))) for root, beneath in ranked
    )


def _above(each: _Weighed, by_layer: Sequence[_Weighed], root_of: Mapping[int, int]) -> _Weighed | None:
    """What a claim follows from: the first of those placed that accounts for at least half of it, else a root that does
    so with others of its kind, such as two methods that both need the CPU which others wait for; None for nothing.
    """
    may = [lower for lower in by_layer if _may_follow(each, lower)]
    for lower in may:
        if id(lower) in root_of and _accounts([lower], each):
            return lower
    for root in may:
        if root_of.get(id(root)) == id(root):
            alike = [
                other for other in may if other.kind is root.kind and root_of.get(id(other), id(other)) == id(other)
            ]
            if _accounts(alike, each):
                return root
    return None


def _may_follow(each: _Weighed, lower: _Weighed) -> bool:
    """Whether a claim is what one of a lower layer moves, where it does."""
    if lower.layer >= each.layer or not lower.moves & each.follows_from:
        return False
    # Who stands behind other threads stands behind those of any pool.
    any_pool = each.layer is Layer.BEHIND or lower.claim.of_any_pool
    return lower.claim.scope.meets(replace(each.claim.scope, pool=None) if any_pool else each.claim.scope)


def _accounts(lower: Sequence[_Weighed], each: _Weighed) -> bool:
    """Whether claims account for at least half of another; one without a share is taken to account for all."""
    parts = [claim.share.part for claim in lower if claim.share is not None]
    if each.share is None or len(parts) < len(lower):
        return True
    return math.fsum(parts) >= _COVERED * each.share.part


def _cause(each: _Weighed) -> Cause:
    return Cause(
        name=each.kind.name,
        title=each.kind.title,
        statement=each.claim.statement,
        strength=each.strength,
        share=each.share,
        scope=each.claim.scope,
        facts=each.claim.facts,
        on_top=each.kind.on_top,
    )
