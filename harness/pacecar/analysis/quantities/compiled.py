"""How much of a service's CPU time goes to code that is interpreted, not compiled."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Scope
from pacecar.model.hotspot import Kind, kind_of
from pacecar.model.profiles import ProfileKind

_INTERPRETED = "I"
#: Kinds of frames that are Java's: interpreted, compiled by either compiler, inlined.
_JAVA = frozenset("I1Ji")
_NONE = Lacking(reason="a profile of CPU time that says which frames are compiled")


def _interpreted(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """CPU time per request, in ms, of stacks whose deepest Java frame is interpreted."""
    rows = fork.samples[fork.samples["event"] == ProfileKind.CPU]
    rows = rows[rows["thread"].map(lambda name: kind_of(name) is Kind.SERVICE).astype(bool)]
    stacks = fork.data.tables["stacks"].drop_duplicates("stack").set_index("stack")["kinds"].astype(str)
    known = {stack: _deepest(kinds) for stack, kinds in stacks.items()}
    deepest = rows["stack"].map(known)
    if rows.empty or fork.requests.empty or not deepest.isin(list(_JAVA)).any():
        return _NONE
    return {Scope(): float(rows.loc[deepest == _INTERPRETED, "weight"].sum()) / 1e6 / len(fork.requests)}


def _deepest(kinds: str) -> str:
    return next((kind for kind in reversed(kinds) if kind in _JAVA), "")


INTERPRETED = family("interpreted", "CPU time of interpreted code per request", "ms", _interpreted)
