"""Everything a flame graph shows: all stacks, library frames too, by pool, endpoint and state, per request."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pacecar.analysis.profiles.sampled import STATES, Part, Sampled
from pacecar.analysis.profiles.stacks import Stacks
from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.dispersion import Differences, tested
from pacecar.analysis.stats.paths import Paths, grow
from pacecar.model.frames import Facet, Flame
from pacecar.model.profiles import ProfileKind

#: Nodes of one flame graph: a report of some megabytes.
MOST_NODES = 100_000


def flames(sampled: Sampled) -> tuple[Flame, ...]:
    """A flame graph for each kind of profile of which there are samples; see `flame`."""
    found = (flame(sampled, event=event) for event in ProfileKind)
    return tuple(each for each in found if each is not None)


def flame(sampled: Sampled, *, event: ProfileKind, most: int = MOST_NODES) -> Flame | None:
    """The stacks of all forks on one tree, mean over pairs; None when there are none.

    Args:
        sampled: the samples of all forks.
        event: kind of profile.
        most: nodes kept; the cheapest are cut and their cost stays with who called them.
    """
    part = sampled.of_event(event)
    if part.rows.empty:
        return None
    facets, facet = _facets(sampled, part)
    tree, node, names = _tree(sampled.stacks, part.rows["stack"].to_numpy(), facet, tops=len(facets))
    own, poisson = part.costs(node, len(tree.parent)), part.poisson(node, len(tree.parent))
    nodes = pd.DataFrame(
        {
            "parent": tree.parent,
            "frame": tree.frame - len(facets),
            "facet": np.where(tree.parent < 0, tree.frame, -1),
            "baseline": own[0].sum(axis=0) / max(1, part.before),
            "candidate": own[1].sum(axis=0) / max(1, part.after),
            "error": _errors(tree, own, poisson, paired=part.before == part.after == part.pairs),
        }
    )
    kept = _largest(tree, nodes, most=most)
    return Flame(
        event=event,
        frames=tuple(sampled.stacks.names[name] for name in names.tolist()),
        application=tuple(sampled.stacks.application[names].tolist()),
        facets=facets,
        nodes=kept,
        omitted=len(nodes) - len(kept),
    )


def _facets(sampled: Sampled, part: Part) -> tuple[tuple[Facet, ...], Indices]:
    """The facets in order, and which of them each row belongs to."""
    tops, which = np.unique(
        part.rows[["pool", "endpoint", "state"]].to_numpy(dtype=np.intp), axis=0, return_inverse=True
    )
    found = [
        Facet(pool=sampled.pools[pool], endpoint=sampled.names[endpoint], state=STATES[state])
        for pool, endpoint, state in tops.tolist()
    ]
    order = sorted(range(len(found)), key=found.__getitem__)
    return tuple(found[place] for place in order), np.argsort(order)[which]


def _tree(stacks: Stacks, stack: Indices, facet: Indices, *, tops: int) -> tuple[CallTree, Indices, Indices]:
    """One tree of these rows' stacks, each below its facet; the node of each row; and the names of its frames, whose
    numbers follow those of the facets.
    """
    which, distinct = pd.factorize(facet * len(stacks.entry) + stack)
    top, chosen = np.divmod(distinct, len(stacks.entry))
    paths = stacks.whole.chosen(chosen)
    steps, names = pd.factorize(paths.steps)
    tree, ends = grow(Paths(steps=steps + tops, lengths=paths.lengths).below(top), tops + len(names))
    return tree, ends[which], names


def _errors(tree: CallTree, own: Numbers, poisson: Numbers, *, paired: bool) -> Numbers:
    """(nodes,) standard error of the change of each node with everything below it; infinite when nothing is known."""
    if not paired:
        return np.full(len(tree.parent), np.inf)
    before, after = tree.totals(own[0]), tree.totals(own[1])
    differences = Differences(
        each=after - before, level=(before + after).mean(axis=0) / 2, poisson=tree.totals(poisson)
    )
    return tested(differences, whole=float(own.sum(axis=2).mean())).error


def _largest(tree: CallTree, nodes: pd.DataFrame, *, most: int) -> pd.DataFrame:
    """The `most` nodes of the largest total on either side; what is cut adds its cost to the nearest caller kept.

    A caller costs at least as much as what it calls, so no node is kept whose caller is not.
    """
    if len(nodes) <= most:
        return nodes
    total = np.maximum(*(tree.totals(nodes[side].to_numpy(dtype=float)) for side in ("baseline", "candidate")))
    order = np.lexsort((np.arange(len(total)), -total))
    keep = np.zeros(len(nodes), dtype=bool)
    keep[order[:most]] = True
    home: Indices = np.arange(len(nodes))
    for node in np.flatnonzero(~keep).tolist():  # callers come first
        home[node] = home[tree.parent[node]]
    renumbered = np.cumsum(keep) - 1
    kept = nodes[keep].copy()
    for side in ("baseline", "candidate"):
        kept[side] = np.bincount(renumbered[home], weights=nodes[side], minlength=len(kept))
    parent = kept["parent"].to_numpy()
    kept["parent"] = np.where(parent < 0, -1, renumbered[np.maximum(parent, 0)])
    return kept.reset_index(drop=True)
