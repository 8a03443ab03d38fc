"""What the frames that are to blame cost the requests to an endpoint, pair by pair."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from pacecar.analysis.profiles.reasons import WAITS, Wait, reasons
from pacecar.analysis.profiles.sampled import IDLE, KINDS, NONE, RUNNING, WAITING, Sampled
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Moved, Quantity
from pacecar.analysis.quantities.rows import added, chosen, lacking
from pacecar.analysis.stats.dispersion import Scatter
from pacecar.model.causes import Fact, Scope
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind
from pacecar.text.units import unit_of

#: Of wall-clock time what a thread waited within its work; of the others there is but one.
_STATES = dict.fromkeys(KINDS, (NONE,)) | {ProfileKind.WALL: (WAITING,)}
#: The part of a frame's change from which on it waits for one thing.
_NEARLY_ALL = 0.8
AT_WORK = (NONE, RUNNING, WAITING)
assert IDLE not in AT_WORK


def profile(event: ProfileKind) -> Family:
    """Whether there is a profile of this kind; its amounts are asked of `blamed`."""

    def read(quantities: Quantities) -> Quantity | Lacking:
        empty = np.zeros((len(quantities.pairs), 0))
        missing = lacking(quantities, event)
        return missing or Quantity(
            name=event.quantity, unit=unit_of(event.unit), keys=(), baseline=empty, candidate=empty
        )

    return Family(name=f"profile {event}", read=read)


PROFILES = {event: profile(event) for event in ProfileKind}


def blamed(quantities: Quantities, event: ProfileKind, endpoint: str) -> list[tuple[FrameChange, Moved]]:
    """The frames to blame for a kind of profile, by all pairs together, and what each cost the requests to `endpoint`
    more (of wall-clock time: waiting only), largest change of the frame first.

    Where samples do not tell what they serve, that is all of it, as if all of it had been for them.
    """
    sampled = quantities.sampled
    if sampled is None or lacking(quantities, event) is not None:
        return []
    frames = [frame for frame in quantities.frames if frame.event == event and frame.blamed]
    return [(frame, _moved(quantities, sampled, frame, endpoint)) for frame in frames]


def reason_of(quantities: Quantities, frame: FrameChange, endpoint: str) -> Wait | None:
    """What nearly all of the waiting is for by which a frame changed; None where that is unknown, or several things."""
    sampled = quantities.sampled
    if sampled is None or frame.event != ProfileKind.WALL:
        return None
    rows = rows_of(quantities, sampled, frame, endpoint)
    stacks, code = np.unique(rows["stack"].to_numpy(dtype=np.intp), return_inverse=True)
    found = reasons(sampled.stacks.whole.chosen(stacks), sampled.stacks.names, sampled.stacks.application)
    before, after, _ = added(quantities, rows, found[code], len(WAITS), endpoint=endpoint)
    changes = (after - before).mean(axis=0)
    whole = float(changes.sum())
    main = int(np.argmax(changes * np.sign(whole)))
    if whole == 0 or changes[main] / whole < _NEARLY_ALL or WAITS[main] is Wait.UNKNOWN:
        return None
    return WAITS[main]


def rows_of(quantities: Quantities, sampled: Sampled, frame: FrameChange, endpoint: str) -> pd.DataFrame:
    """The samples by which a frame changed, of those that serve `endpoint` where samples tell."""
    rows = chosen(quantities, sampled, frame.event, endpoint=endpoint, states=_STATES[frame.event])
    mine = np.zeros(len(rows), dtype=bool)
    for pool, name in ((frame.pool or "", frame.frame), *frame.together_with):  # as samples call threads of no pool
        in_pool = rows["pool"] == (sampled.pools.index(pool) if pool in sampled.pools else -1)
        mine |= (in_pool & rows["stack"].isin(_stacks(sampled, name, below=frame.diffuse))).to_numpy()
    return rows[mine]


def _moved(quantities: Quantities, sampled: Sampled, frame: FrameChange, endpoint: str) -> Moved:
    rows = rows_of(quantities, sampled, frame, endpoint)
    before, after, poisson = added(quantities, rows, np.zeros(len(rows), dtype=np.intp), 1, endpoint=endpoint)
    # Where a change is spread below a frame, its own cost says nothing of it.
    own = (frame.self_baseline, frame.self_candidate)
    baseline, candidate = (frame.total_baseline, frame.total_candidate) if frame.diffuse else own
    fact = Fact(
        quantity=frame.event.quantity,
        unit=unit_of(frame.event.unit),
        scope=Scope(
            frame=frame.frame,
            pool=frame.pool,
            endpoint=endpoint if endpoint and quantities.labelled else frame.mostly_for,
        ),
        baseline=baseline,
        candidate=candidate,
        change=frame.self_change,
        low=frame.low,
        high=frame.high,
        pairs=len(quantities.pairs),
    )
    scatter = Scatter.of(float(poisson[0]), level=float((before + after).mean()) / 2)
    return Moved(fact=fact, each=(after - before)[:, 0], scatter=scatter)


def _stacks(sampled: Sampled, frame: str, *, below: bool) -> Collection[int]:
    """The stacks whose cost is the frame's own, or lies anywhere below it."""
    if frame not in sampled.stacks.names:
        return ()
    number, kept = sampled.stacks.names.index(frame), sampled.stacks.kept
    if below:
        return set(kept.path[kept.steps == number].tolist())
    return set(np.flatnonzero(kept.last == number).tolist())
