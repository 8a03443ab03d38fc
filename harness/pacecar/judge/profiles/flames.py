"""Everything a flame graph shows: all stacks, library frames too, by pool, endpoint and state, per request."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pacecar.comparison import Facet, Flame
from pacecar.judge.profiles.merged import EVENTS, Forks, Stack, all_rows, counted, grow
from pacecar.stats.calltree import CallTree, Numbers, Places
from pacecar.stats.dispersion import Differences, tested

#: Nodes of one flame graph: a report of some megabytes.
MOST_NODES = 100_000


def flames(forks: Forks, *, application: Sequence[str]) -> tuple[Flame, ...]:
    """A flame graph for each kind of profile of which there are samples; see `flame`."""
    found = (flame(forks, event=event, application=application) for event in EVENTS)
    return tuple(each for each in found if each is not None)


def flame(forks: Forks, *, event: str, application: Sequence[str], most: int = MOST_NODES) -> Flame | None:
    """The stacks of all forks on one tree, mean over pairs; None when there are none.

    Args:
        forks: (baseline, candidate) of each pair.
        event: cpu, wall, alloc or lock.
        application: prefixes of the class names that are the user's own code; they tell the endpoints.
        most: nodes kept; the cheapest are cut and their cost stays with who called them.
    """
    stacks: dict[str, Stack] = {}
    rows = all_rows(forks, event=event, stacks=stacks, prefixes=tuple(application), folded=False)
    if rows.empty:
        return None
    tops = [
        Facet(pool=p, endpoint=e, state=s)
        for p, e, s in zip(rows["pool"], rows["endpoint"], rows["state"], strict=True)
    ]
    facets = sorted(set(tops))
    numbers = {facet: number for number, facet in enumerate(facets)}
    names: dict[str, int] = {}
    place, distinct = pd.factorize(pd.MultiIndex.from_arrays([[numbers[top] for top in tops], rows["stack"]]))
    paths = [
        [number, *(len(facets) + names.setdefault(name, len(names)) for name in stacks[text].kept)]
        for number, text in distinct
    ]
    tree, ends = grow(paths, len(facets) + len(names))
    pairs, before, after = counted(forks)
    own = np.zeros((2, pairs, len(tree.parent)))
    np.add.at(own, (rows["side"].to_numpy(), rows["pair"].to_numpy(), ends[place]), rows["cost"].to_numpy())
    poisson = np.zeros((2, len(tree.parent)))
    np.add.at(poisson, (rows["side"].to_numpy(), ends[place]), rows["variance"].to_numpy())
    error = _errors(
        tree, own, poisson[0] / max(1, before) + poisson[1] / max(1, after), paired=before == after == pairs
    )
    nodes = pd.DataFrame(
        {
            "parent": tree.parent,
            "frame": tree.frame - len(facets),
            "facet": np.where(tree.parent < 0, tree.frame, -1),
            "baseline": own[0].sum(axis=0) / max(1, before),
            "candidate": own[1].sum(axis=0) / max(1, after),
            "error": error,
        }
    )
    kept = _largest(tree, nodes, most=most)
    prefixes = tuple(application)
    return Flame(
        event=event,
        frames=tuple(names),
        application=tuple(bool(prefixes) and name.startswith(prefixes) for name in names),
        facets=tuple(facets),
        nodes=kept,
        omitted=len(nodes) - len(kept),
    )


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
    home: Places = np.arange(len(nodes))
    for node in np.flatnonzero(~keep).tolist():  # callers come first
        home[node] = home[tree.parent[node]]
    renumbered = np.cumsum(keep) - 1
    kept = nodes[keep].copy()
    for side in ("baseline", "candidate"):
        kept[side] = np.bincount(renumbered[home], weights=nodes[side], minlength=len(kept))
    parent = kept["parent"].to_numpy()
    kept["parent"] = np.where(parent < 0, -1, renumbered[np.maximum(parent, 0)])
    return kept.reset_index(drop=True)
