"""Flame graphs as rows of the profiles: their columns packed, for there may be hundreds of thousands of nodes."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pandas as pd

from pacecar.model.frames import Flame
from pacecar.reporting.document.profile_shapes import FlameRow
from pacecar.reporting.document.tidy import clean_text

#: Costs are written as whole numbers of this part of everything.
_FINEST = 1 << 20
_LONGEST_NAME = 300
#: Half of a 95 % interval in standard errors; the errors rest on many frames, so the normal's will do.
BEYOND = 1.96


def flame_row(flame: Flame) -> FlameRow:
    """Pack one flame graph.

    `data` is base64 of zlib of JSON with `names` (sorted), `own` (which of
    them are the application's), `facets` (pool, endpoint, state), `parent` (distance
    to the parent of the node before; they ascend), `frame` (into `names`; at the top, where the parent is -1, into
    `facets`), `baseline`, `candidate` (own cost in quanta) and `error` (standard error in quanta, -1 when unknown).
    """
    nodes = flame.nodes
    order = np.argsort(np.array(flame.frames, dtype=object)) if flame.frames else np.zeros(0, dtype=int)
    sorted_place = np.empty(len(order), dtype=int)
    sorted_place[order] = np.arange(len(order))
    whole = float(max(nodes["baseline"].sum(), nodes["candidate"].sum()))
    quantum = whole / _FINEST if whole > 0 else 1.0
    parent, frame = nodes["parent"].to_numpy(), nodes["frame"].to_numpy()
    top = parent < 0
    columns = {
        "own": [place for place, name in enumerate(order.tolist()) if flame.application[name]],
        "names": [clean_text(flame.frames[place], limit=_LONGEST_NAME) for place in order.tolist()],
        "facets": [[clean_text(t, limit=_LONGEST_NAME) for t in (f.pool, f.endpoint, f.state)] for f in flame.facets],
        "parent": np.diff(parent, prepend=-1).tolist(),
        "frame": np.where(top, nodes["facet"], sorted_place[np.where(top, 0, frame)] if len(order) else -1).tolist(),
        "baseline": _quanta(nodes["baseline"], quantum),
        "candidate": _quanta(nodes["candidate"], quantum),
        "error": _quanta(nodes["error"], quantum),
    }
    packed = zlib.compress(json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode())
    return FlameRow(
        event=flame.event,
        quantum=quantum,
        beyond=BEYOND,
        nodes=len(nodes),
        omitted=flame.omitted,
        data=base64.b64encode(packed).decode(),
    )


def _quanta(amounts: pd.Series[float], quantum: float) -> list[int]:
    scaled = np.rint(amounts.to_numpy(dtype=float) / quantum)
    return [int(value) for value in np.where(np.isfinite(scaled), scaled, -1)]
