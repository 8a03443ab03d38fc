"""Whether a pool of threads works for requests, as far as samples tell."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.reasons import Wait
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.quantity import Quantity
from pacecar.analysis.quantities.waits import waits
from pacecar.analysis.stats.effect import CONFIDENCE, t_quantile

if TYPE_CHECKING:
    from pacecar.analysis.quantities.measured import Quantities

#: Beginnings of the frames in which servers call what serves a request, and keep the thread until it is answered.
#: Other servers hand requests over and wait for nobody: of those nothing is known here.
_SERVERS = (
    "org.apache.tomcat.util.net.",
    "org.apache.catalina.",
    "org.eclipse.jetty.server.",
    "io.undertow.server.",
    "io.undertow.servlet.",
    "com.sun.net.httpserver.",
    "sun.net.httpserver.",
    "jakarta.servlet.",
    "javax.servlet.",
)
#: The part of what a pool uses more for which others must wait longer, where they wait for it.
_AWAITED = 0.5


class Aside(Enum):
    """Whether a pool works beside requests."""

    NO = auto()
    PERHAPS = auto()
    YES = auto()


def aside(quantities: Quantities, pool: str, *, amount: float) -> Aside:
    """Whether requests do without what a pool's threads do more of, by `amount` in ms per request.

    Where samples name the endpoints that they serve, a pool that has none of these does. Where they do not, and other
    pools take requests in, those must wait for this one: for other threads, by about as much longer.
    """
    sampled = quantities.sampled
    if sampled is None or pool not in sampled.pools:
        return Aside.NO
    number = sampled.pools.index(pool)
    if quantities.labelled:
        named = [sampled.names.index(name) for name in quantities.labelled]
        served = sampled.rows["endpoint"].isin(named) & (sampled.rows["pool"] == number)
        return Aside.NO if served.any() else Aside.YES
    serving = _serving(sampled)
    return Aside.NO if not serving or number in serving else _awaited(quantities, amount)


def _serving(sampled: Sampled) -> set[int]:
    """Pools that have frames of a server on their stacks."""
    stacks = sampled.stacks.whole
    served = np.zeros(len(stacks.lengths), dtype=bool)
    served[stacks.path[marked(sampled.stacks.names, _SERVERS)[stacks.steps]]] = True
    rows = sampled.rows
    return set(rows["pool"][served[rows["stack"].to_numpy(dtype=np.intp)]].unique().tolist())


def _awaited(quantities: Quantities, amount: float) -> Aside:
    """By how much longer requests wait for other threads."""
    found = quantities.of(waits(ALL))
    if not isinstance(found, Quantity) or len(found.baseline) < 2 or amount == 0:
        return Aside.PERHAPS
    key = next(key for key, scope in enumerate(found.keys) if scope.dependency == Wait.THREADS.value)
    parts = (found.candidate - found.baseline)[:, key] / amount
    if parts.mean() >= _AWAITED:
        return Aside.NO
    counted = 0.0 if found.poisson is None else float(found.poisson[key]) / amount**2
    error = float(np.sqrt(max(parts.var(ddof=1), counted) / len(parts)))
    most = parts.mean() + t_quantile(0.5 + CONFIDENCE / 2, len(parts) - 1) * error
    return Aside.PERHAPS if most >= _AWAITED else Aside.YES
