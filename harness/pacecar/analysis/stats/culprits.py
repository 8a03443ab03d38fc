"""What costs are charged to, and what was found to have changed of them: shapes, shared by all that looks for blame."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.dispersion import Tested

#: Smallest change that is named, as a share of the whole cost.
SMALLEST_SHARE = 0.005


@dataclass(frozen=True, kw_only=True)
class NodeCosts:
    """Costs per request of both sides, by node of one tree.

    Attributes:
        tree: where costs lie.
        baseline: (pairs, nodes) own cost.
        candidate: (pairs, nodes).
        poisson: (nodes,) Poisson variance of one pair's difference, mean over pairs.
        name: (frames,) a number that frames of one name have in common, whichever pool they ran in; None where each
            frame has a name of its own.
        timed: costs are times, so that a machine may make everything alike slower. What is counted it leaves alone.
    """

    tree: CallTree
    baseline: Numbers
    candidate: Numbers
    poisson: Numbers
    name: Indices | None = None
    timed: bool = True


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """A frame that is to blame.

    Attributes:
        frame: number in the tree.
        change: own cost, candidate minus baseline; of a diffuse one everything left below it.
        low: lower end of the 95 % interval.
        high: upper end.
        p_value: corrected for the number of frames.
        diffuse: no single frame below it carries the change.
        partners: frames that its cost came from, or went to; the change is that of all of them together.
    """

    frame: int
    change: float
    low: float
    high: float
    p_value: float
    diffuse: bool = False
    partners: tuple[int, ...] = ()

    @property
    def at_least(self) -> float:
        """The end of the interval nearest zero, without sign; 0 where zero lies inside."""
        return max(0.0, self.low, -self.high)


@dataclass(frozen=True, kw_only=True)
class Move:
    """Cost that went from one frame to another near it, or in another pool, and what it changed on balance."""

    gone_from: int
    gone_to: int
    amount: float
    net: float


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """What changed where.

    Attributes:
        common: mean log-ratio by which everything alike became slower (above zero) or faster; taken out of the rest.
        own: test of every frame's own cost.
        total: test of every frame's cost with everything it calls.
        culprits: by how much they changed at least, most first.
        moves: largest first.
    """

    common: float
    own: Tested
    total: Tested
    culprits: tuple[Culprit, ...] = ()
    moves: tuple[Move, ...] = ()
