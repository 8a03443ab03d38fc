"""Samples of all pairs added up by any key, per request of the endpoint that is asked about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.gaps import profiled
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.analysis.stats.dispersion import Differences
from pacecar.model.causes import Scope
from pacecar.model.profiles import ProfileKind
from pacecar.model.tiers import Tier

if TYPE_CHECKING:
    from pacecar.analysis.quantities.measured import Quantities


def lacking(quantities: Quantities, event: ProfileKind) -> Lacking | None:
    """Why the pairs do not tell of `event`; None where all of them do."""
    if quantities.sampled is None or not quantities.pairs:
        return Lacking(reason="forks that were measured side by side")
    if not all(profiled(fork, event) for pair in quantities.pairs for fork in pair):
        named = f"a{'n' if event is ProfileKind.ALLOCATION else ''} {event.label} profile"
        quick = quantities.tier is Tier.QUICK
        return Lacking(reason=f"{named}, which the full tier takes" if quick else f"{named} of every fork")
    return None


def chosen(
    quantities: Quantities, sampled: Sampled, event: ProfileKind, *, endpoint: str, states: Collection[int]
) -> pd.DataFrame:
    """The rows of `Sampled` of one kind, in these states; those that serve `endpoint`, where samples tell."""
    rows = sampled.of_event(event).rows
    rows = rows[rows["state"].isin(list(states))]
    if endpoint == ALL or not quantities.labelled:
        return rows
    return rows[rows["endpoint"] == sampled.names.index(endpoint)] if endpoint in sampled.names else rows.iloc[:0]


def added(
    quantities: Quantities, rows: pd.DataFrame, keys: Indices | Sequence[int], count: int, *, endpoint: str
) -> tuple[Numbers, Numbers, Numbers]:
    """Costs per request to `endpoint`, (pairs, keys) of the baseline and of the candidate; and (keys,) the Poisson
    variance of one pair's difference, mean over pairs.
    """
    pairs = len(quantities.pairs)
    per_request = np.stack(
        [
            every / np.maximum(served, 1)
            for every, served in zip(quantities.requests(ALL), quantities.requests(endpoint), strict=True)
        ]
    )
    side, pair = (rows[column].to_numpy(dtype=np.intp) for column in ("side", "pair"))
    place = (side * pairs + pair) * count + np.asarray(keys, dtype=np.intp)
    factor = per_request[side, pair]
    cost = np.bincount(place, weights=rows["cost"] * factor, minlength=2 * pairs * count).reshape(2, pairs, count)
    variance = np.bincount(place, weights=rows["variance"] * factor**2, minlength=2 * pairs * count)
    return cost[0], cost[1], variance.reshape(2, pairs, count).sum(axis=0).mean(axis=0)


def by_pool(
    quantities: Quantities, sampled: Sampled, rows: pd.DataFrame, *, name: str, endpoint: str, of: pd.DataFrame
) -> Quantity:
    """Ms of each pool. `of`: the samples that `rows` are some of, which say how much such samples scatter."""
    pools, code = np.unique(rows["pool"].to_numpy(dtype=np.intp), return_inverse=True)
    before, after, poisson = added(quantities, rows, code, len(pools), endpoint=endpoint)
    return Quantity(
        name=name,
        unit="ms",
        keys=tuple(Scope(pool=sampled.pools[pool]) for pool in pools.tolist()),
        baseline=before,
        candidate=after,
        poisson=poisson,
        kin=kin(quantities, sampled, of, endpoint=endpoint),
    )


def kin(quantities: Quantities, sampled: Sampled, rows: pd.DataFrame, *, endpoint: str) -> Differences:
    """The same samples by pool and frame, of which there are many more than pools or reasons."""
    before, after, poisson = by_frame(quantities, sampled, rows, endpoint=endpoint)
    return Differences(each=after - before, level=(before + after).mean(axis=0) / 2, poisson=poisson)


def by_frame(
    quantities: Quantities, sampled: Sampled, rows: pd.DataFrame, *, endpoint: str
) -> tuple[Numbers, Numbers, Numbers]:
    """Own costs of the frames of each pool, as `added` gives them."""
    frame = sampled.stacks.kept.last[rows["stack"].to_numpy(dtype=np.intp)]
    places = rows["pool"].to_numpy(dtype=np.intp) * len(sampled.stacks.names) + frame
    keys, code = np.unique(places, return_inverse=True)
    return added(quantities, rows, code, len(keys), endpoint=endpoint)
