"""What of a frame's change belongs to one endpoint, where samples do not tell what they serve.

Samples of windows are of all endpoints together, but blocks say exactly by how much each endpoint changed. What a frame
costs more than all the other endpoints changed by can be nobody's but the endpoint's own, whichever of them calls it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pacecar.analysis.quantities.quantity import Moved

if TYPE_CHECKING:
    from pacecar.analysis.quantities.measured import Quantities


def of_no_other(quantities: Quantities, moved: Moved, *, metric: str, endpoint: str) -> Moved | None:
    """The part of a change that the other endpoints cannot account for, per request to `endpoint`.

    Where the others together changed the other way, they are taken to have not changed: then it is never more than what
    is the endpoint's, as long as none of the others saves what the frame costs.

    Args:
        quantities: of pairs whose endpoints were counted one by one.
        moved: the change per request of the whole mix.
        metric: that it is a part of, counted for each endpoint.
        endpoint: which.

    Returns:
        `moved` with NaN in pairs in which some endpoint was not counted, and its fact per request to `endpoint`, too;
        None where no pair counted them all, or the endpoint's share of the mix is not known.
    """
    mix = quantities.pairs[0][0].mix if quantities.pairs else {}
    if endpoint not in mix:
        return None
    changes = {name: quantities.change(metric, name) for name in mix}
    known = np.isfinite(sum(changes.values(), start=np.zeros(len(moved.each))))
    if not known.any():
        return None
    others = sum((mix[name] * changes[name] for name in mix if name != endpoint), start=np.zeros(len(moved.each)))
    way = np.sign(changes[endpoint][known].mean())
    each = np.where(known, moved.each - way * np.maximum(way * others, 0.0), np.nan) / mix[endpoint]
    scatter = None if moved.scatter is None else moved.scatter.scaled(1 / mix[endpoint])
    return replace(moved, each=each, scatter=scatter).per_request_to(endpoint)
