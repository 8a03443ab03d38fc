"""What requests to an endpoint wait for, by reason."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.profiles.reasons import WAITS, Wait, reasons
from pacecar.analysis.profiles.sampled import WAITING
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.quantities.rows import added, chosen, kin, lacking
from pacecar.model.causes import Scope
from pacecar.model.profiles import ProfileKind

NAME = "Waiting per request"


def frame_of(quantities: Quantities, wait: Wait, endpoint: str, *, change: float) -> str:
    """The frame of the application below which waiting for this changed most, the way all of it did by `change`; ""
    where there is none.
    """
    sampled = quantities.sampled
    if sampled is None:
        return ""
    rows = chosen(quantities, sampled, ProfileKind.WALL, endpoint=endpoint, states=(WAITING,))
    stacks = sampled.stacks
    found = reasons(stacks.whole, stacks.names, stacks.application)
    rows = rows[found[rows["stack"]] == WAITS.index(wait)]
    frame = stacks.kept.last[rows["stack"]]
    rows = rows.assign(frame=frame, signed=rows["cost"].where(rows["side"] == 1, -rows["cost"]))
    rows = rows[stacks.application[frame]]
    changes = rows.groupby("frame")["signed"].sum() * np.sign(change)
    return stacks.names[int(changes.idxmax())] if (changes > 0).any() else ""


def waits(endpoint: str) -> Family:
    """Reason -> ms that threads waited for it per request to `endpoint`, within their work."""

    def read(quantities: Quantities) -> Quantity | Lacking:
        missing, sampled = lacking(quantities, ProfileKind.WALL), quantities.sampled
        if missing is not None or sampled is None:
            return missing or Lacking(reason="a wall-clock profile")
        rows = chosen(quantities, sampled, ProfileKind.WALL, endpoint=endpoint, states=(WAITING,))
        stacks, code = np.unique(rows["stack"].to_numpy(dtype=np.intp), return_inverse=True)
        found = reasons(sampled.stacks.whole.chosen(stacks), sampled.stacks.names, sampled.stacks.application)
        before, after, poisson = added(quantities, rows, found[code], len(WAITS), endpoint=endpoint)
        return Quantity(
            name=NAME,
            unit="ms",
            keys=tuple(Scope(endpoint=endpoint or None, dependency=wait.value) for wait in WAITS),
            baseline=before,
            candidate=after,
            poisson=poisson,
            kin=kin(quantities, sampled, rows, endpoint=endpoint),
        )

    return Family(name=f"waits {endpoint}", read=read)
