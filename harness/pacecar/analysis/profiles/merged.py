"""The profiles of all forks on one tree, so that every place of every frame has a cost in each fork of each pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pacecar.analysis.profiles.sampled import Part, Sampled
from pacecar.analysis.profiles.stacks import NO_NAME
from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.paths import Paths, grow


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Costs per request of one kind of samples; ms, for allocation bytes.

    Frames are numbered by pool and name; the top of each pool's stacks is a frame that stands for the pool.

    Attributes:
        tree: all stacks of all forks.
        names: (frames,) frame, or "" for a pool's own.
        pools: (frames,) the pool each frame ran in.
        name: (frames,) a number for each of `names`.
        baseline: (pairs, nodes) own cost.
        candidate: (pairs, nodes).
        poisson: (nodes,) Poisson variance of one pair's difference, mean over pairs.
        parts: columns `frame`, `endpoint`, `leaf`, `baseline`, `candidate`: what the own cost of a frame is made of,
            mean over pairs; `leaf` is the library frame that ran, or "" when it was the frame itself.
    """

    tree: CallTree
    names: tuple[str, ...]
    pools: tuple[str, ...]
    name: Indices
    baseline: Numbers
    candidate: Numbers
    poisson: Numbers
    parts: pd.DataFrame


def merge(sampled: Sampled, part: Part) -> Merged | None:
    """Merge samples of one kind; None when there are none.

    Idle threads are left out of wall-clock time: they wait for work, not within it. Library frames are left out of the
    paths, see `Stacks.kept`.

    Args:
        sampled: what `part` is of.
        part: samples of one kind, see `Sampled.of_event`.
    """
    part = part.working()
    if part.rows.empty:
        return None
    paths, places = _paths(sampled, part)
    numbers, distinct = pd.factorize(paths.steps)
    tree, ends = grow(Paths(steps=numbers, lengths=paths.lengths), len(distinct))
    pools, names = np.divmod(distinct, len(sampled.stacks.names))
    node, nodes = ends[places], len(tree.parent)
    baseline, candidate = part.costs(node, nodes)
    return Merged(
        tree=tree,
        names=tuple(sampled.stacks.names[name] for name in names.tolist()),
        pools=tuple(sampled.pools[pool] for pool in pools.tolist()),
        name=names,
        baseline=baseline,
        candidate=candidate,
        poisson=part.poisson(node, nodes),
        parts=_parts(sampled, part, tree.frame[node]),
    )


def _paths(sampled: Sampled, part: Part) -> tuple[Paths, Indices]:
    """The distinct paths, of numbers that stand for a pool and a name, by pool and stack; and which each row is of."""
    stacks, names = sampled.stacks, len(sampled.stacks.names)
    pool, stack = (part.rows[column].to_numpy(dtype=np.intp) for column in ("pool", "stack"))
    keys = sampled.pool_order[pool] * len(stacks.entry) + sampled.stack_order[stack]
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    kept = stacks.kept.chosen(stack[first])
    pools = pool[first] * names
    return Paths(steps=pools[kept.path] + kept.steps, lengths=kept.lengths).below(pools + NO_NAME), places


def _parts(sampled: Sampled, part: Part, frame: Indices) -> pd.DataFrame:
    rank = sampled.name_order
    name_at = np.argsort(rank)
    rows = pd.DataFrame(
        {
            "frame": frame,
            "endpoint": rank[part.rows["endpoint"]],
            "leaf": rank[sampled.stacks.leaf[part.rows["stack"]]],
            "side": part.rows["side"].to_numpy(),
            "cost": part.rows["cost"].to_numpy(),
        }
    )
    by_part: pd.DataFrame = (
        rows.groupby(["frame", "endpoint", "leaf", "side"], sort=True)["cost"]
        .sum()
        .unstack("side")
        .fillna(0.0)
        .reindex(columns=[0, 1], fill_value=0.0)
        .rename(columns={0: "baseline", 1: "candidate"})
        .rename_axis(columns=None)
        .reset_index()
    )
    for column in ("endpoint", "leaf"):
        by_part[column] = [sampled.names[name] for name in name_at[by_part[column]].tolist()]
    by_part["baseline"] /= max(1, part.before)
    by_part["candidate"] /= max(1, part.after)
    return by_part
