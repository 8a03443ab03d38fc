"""Pools of threads that do the same work under another name on the other side: an executor that was renamed, requests
that moved to virtual threads and so to the carriers of these.

A pool is a place: what ran in one and runs in another is gone here and new there, method by method. Where a whole pool
was replaced, that would make every costly method look changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pacecar.analysis.stats.arrays import Indices
from pacecar.model.hotspot import Kind, kind_of

#: The part of a pool's cost that may be left of it (or have been there before) for it to be gone (or new).
_LEFT = 0.2
#: Pools of at least this share of the whole are worth it.
_SHARE = 0.05
#: The part of the larger pool's cost that both have in common, frame by frame, for them to be the same.
_COMMON = 0.5


def same_pools(rows: pd.DataFrame, pools: Sequence[str], frames: Indices) -> dict[int, int]:
    """Pool that is gone -> the new one that does its work; each pool once, the most alike first.

    Args:
        rows: samples of one kind, of both sides: columns `side` (0 baseline, 1 candidate), `pool`, `stack`, `cost`.
        pools: names, by number. Those of the JVM's own threads are left alone.
        frames: (stacks,) the frame that each stack is charged to.
    """
    if rows.empty:
        return {}
    costs = (
        rows.assign(frame=frames[rows["stack"].to_numpy(dtype=np.intp)])
        .groupby(["side", "pool", "frame"])["cost"]
        .sum()
        .unstack("frame", fill_value=0)
    )
    totals = costs.sum(axis=1).unstack("side", fill_value=0).reindex(columns=[0, 1], fill_value=0.0)
    own = totals[[kind_of(pools[pool]) is Kind.SERVICE for pool in totals.index]]
    least = _SHARE * totals.to_numpy().sum() / 2
    gone = own.index[(own[1] <= _LEFT * own[0]) & (own[0] >= least)]
    new = own.index[(own[0] <= _LEFT * own[1]) & (own[1] >= least)]
    alike = [
        (float(np.minimum(costs.loc[(0, one)], costs.loc[(1, other)]).sum()), one, other)
        for one in gone
        for other in new
    ]
    found: dict[int, int] = {}
    for common, one, other in sorted(alike, reverse=True):
        larger = max(own.loc[one, 0], own.loc[other, 1])
        if common >= _COMMON * larger and one not in found and other not in found.values():
            found[int(one)] = int(other)
    return found
