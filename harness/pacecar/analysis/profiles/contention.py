"""Locks that nobody waited for before, and for which threads now wait in every pair, be it too little to be slow."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.profiles.sampled import Part, Sampled
from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.profiles import ProfileKind
from pacecar.text.units import format_quantity

#: Pairs from which on a lock that was free in all of them was free, and not seldom waited for. Where both sides wait
#: equally often, all waits of six forks fall into the three of the candidate once in 2^9 times for nine waits, and the
#: fewest that are told are nine.
_PAIRS = 3
_WAITS = 3
#: Frames that are told: the first have most.
_TOLD = 2


def new_contention(sampled: Sampled) -> list[Caution]:
    """A caution for each frame of the application in which threads wait for locks in all pairs, and never did before.

    Args:
        sampled: of forks that were measured side by side.
    """
    part = sampled.of_event(ProfileKind.LOCK)
    if part.pairs < _PAIRS or part.rows.empty:
        return []
    frame = sampled.stacks.kept.last[part.rows["stack"].to_numpy(dtype=np.intp)]
    waited = part.costs(frame, len(sampled.names))
    new = (waited[0] == 0).all(axis=0) & (_waits(part, frame, waited) >= _WAITS).all(axis=0)
    found = np.flatnonzero(new)
    mean_ms = waited[1].mean(axis=0)
    return [
        Caution.of(
            CautionKind.NEW_CONTENTION,
            "Threads now wait for a lock in {frame} in each of {pairs} pairs, {ms} per request; before, none did",
            frame=sampled.names[each],
            ms=Figure(value=float(mean_ms[each]), shown=format_quantity(float(mean_ms[each]), "ms")),
            pairs=part.pairs,
            remedy="With more load that may become slow; see the lock profile.",
        )
        for each in sorted(found.tolist(), key=lambda each: -mean_ms[each])[:_TOLD]
    ]


def _waits(part: Part, frame: Indices, waited: Numbers) -> Numbers:
    """(pairs, names) how many waits of the candidate were sampled, as if all were equally long: their effective number
    (Kish, Survey Sampling, 1965, section 11.7), by the Poisson variance of their sum.
    """
    rows = part.rows.assign(frame=frame)
    rows = rows[rows["side"] == 1]
    pairs, names = waited[1].shape
    place = rows["pair"].to_numpy() * names + rows["frame"].to_numpy()
    summed = np.bincount(place, weights=rows["variance"], minlength=pairs * names)
    variance = summed.astype(np.float64).reshape(pairs, names)  # of no rows at all they are whole numbers
    sizes: Numbers = np.divide(waited[1] ** 2, variance, out=np.zeros_like(variance), where=variance > 0)
    return sizes
