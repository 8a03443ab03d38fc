"""Where a frame's cost went: to a new name beside it, into its caller, behind a helper below it.

What decides is place: costs that vanish at one place of the tree and appear at a neighbouring one, under the same
callers and in the same pool of threads. `attribution` says what follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pacecar.analysis.stats.arrays import Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.dispersion import Tested

#: The part of a frame's cost that may stay (or have been there) for it to be gone (or new) at a place.
_LEFT = 0.2
#: Calls through which the body of a method is believed to have moved: helper, lambda, proxy and the method itself.
_THROUGH = 4
#: The least part of a partner's own change that must have come from (or gone to) it: a frame that is gone has not moved
#: into a caller that happens to cost a little more.
_LEAST_PART = 0.25
#: Above this p-value what another frame seems to have gained is noise, and nothing has moved there.
_PARTNER = 0.01
_PARTNER_OF_GONE = 0.25


@dataclass(frozen=True)
class _Cost:
    """A frame's cost under one caller."""

    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def gone(self) -> bool:
        return self.after <= _LEFT * self.before

    @property
    def new(self) -> bool:
        return self.before <= _LEFT * self.after


def one_sided(before: Numbers, after: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some costs are gone, or new."""
    found: npt.NDArray[np.bool_] = (after <= _LEFT * before) | (before <= _LEFT * after)
    return found


class Neighbourhood:
    """Where frames stand in a tree, and what of their cost reappears next to them.

    What a frame lost counts as found again in a sibling when the frame is gone there and the sibling is new (a rename,
    a move), and in a caller when it is gone (inlined); what it gained likewise, when it is new (a method extracted,
    perhaps behind a helper and its lambda). The top of a tree is a pool of threads, which calls nobody.
    """

    def __init__(
        self, tree: CallTree, before: Numbers, after: Numbers, *, moved: Sequence[tuple[int, int]] = ()
    ) -> None:
        """See the class.

        Args:
            tree: where costs lie.
            before: (nodes,) mean cost of the baseline.
            after: (nodes,) of the candidate.
            moved: (from, to) of frames known to have moved: what both call stands under one caller.
        """
        self._tree, self._before, self._after = tree, before, after
        self._same: dict[int, set[int]] = {}
        for one, other in moved:
            self._same.setdefault(one, set()).add(other)
            self._same.setdefault(other, set()).add(one)
        self._totals = (tree.totals(before), tree.totals(after))
        order = np.argsort(tree.parent, kind="stable")
        self._order, self._parents = order, tree.parent[order]

    def partners(self, frame: int, test: Tested) -> dict[int, float]:
        """The frames that `frame`'s change went to or came from, and how much; the largest part first.

        Args:
            frame: number.
            test: of every frame. Where `frame` is gone (or new) everywhere, which is no noise, what others gained is
                believed sooner.
        """
        taken: dict[int, float] = {}
        into: dict[int, float] = {}
        nodes = np.flatnonzero(self._tree.frame == frame)
        for caller in {int(self._tree.parent[node]) for node in nodes.tolist()} - {-1}:
            below = self._beside(caller)
            mine = below.pop(frame)
            for other, cost in below.items():
                if (mine.gone and cost.new) or (mine.new and cost.gone):
                    _match(taken, other, mine.change, cost.change)
            if mine.gone or mine.new:
                for above in self._above(caller):
                    into[above] = into.get(above, 0.0) + mine.change
        for above, change in into.items():
            _match(taken, int(self._tree.frame[above]), change, self._own(above).change)
        for node in nodes.tolist():
            for other, cost in self._far_below(node):
                if cost.gone or cost.new:
                    _match(taken, other, self._own(node).change, cost.change)
        whole = _Cost(float(self._before[nodes].sum()), float(self._after[nodes].sum()))
        believed = _PARTNER_OF_GONE if whole.gone or whole.new else _PARTNER
        p_values, changes = test.p_values, np.abs(test.mean)
        possible = {
            other: part
            for other, part in taken.items()
            if other != frame and p_values[other] < believed and part >= _LEAST_PART * changes[other]
        }
        return dict(sorted(possible.items(), key=lambda each: -each[1]))

    def _own(self, node: int) -> _Cost:
        return _Cost(float(self._before[node]), float(self._after[node]))

    def _above(self, node: int) -> list[int]:
        """`node` and its nearest callers."""
        found = [node]
        while len(found) < _THROUGH and (caller := int(self._tree.parent[found[-1]])) >= 0:
            found.append(caller)
        return found

    def _far_below(self, node: int) -> list[tuple[int, _Cost]]:
        """What `node` calls, and what that calls, as far down as a body is believed to move."""
        found, callers = list[tuple[int, _Cost]](), [node]
        for _ in range(_THROUGH):
            callers = [below for caller in callers for below in self._children(caller)]
            found += [(int(self._tree.frame[each]), self._own(each)) for each in callers]
        return found

    def _children(self, caller: int) -> list[int]:
        begin, end = np.searchsorted(self._parents, [caller, caller + 1])
        children: list[int] = self._order[begin:end].tolist()
        return children

    def _beside(self, caller: int) -> dict[int, _Cost]:
        """What `caller` calls, under whichever name it is known. Where it is gone or new itself, as when a class is
        renamed with all its methods, what stands as deep below the nearest caller that stayed.
        """
        levels = 1
        while levels < _THROUGH and not self._stayed(caller) and self._tree.parent[caller] >= 0:
            caller, levels = int(self._tree.parent[caller]), levels + 1
        nodes = [caller]
        for same in self._same.get(int(self._tree.frame[caller]), ()):
            nodes += np.flatnonzero(self._tree.frame == same).tolist()
        for _ in range(levels):
            nodes = [below for each in nodes for below in self._children(each)]
        costs: dict[int, _Cost] = {}
        for node in nodes:
            frame, cost = int(self._tree.frame[node]), self._own(node)
            before = costs.get(frame, _Cost(0.0, 0.0))
            costs[frame] = _Cost(before.before + cost.before, before.after + cost.after)
        return costs

    def _stayed(self, node: int) -> bool:
        if int(self._tree.frame[node]) in self._same:
            return True
        total = _Cost(float(self._totals[0][node]), float(self._totals[1][node]))
        return not (total.gone or total.new)


def _match(taken: dict[int, float], other: int, lost: float, gained: float) -> None:
    if lost * gained < 0:
        taken[other] = taken.get(other, 0.0) + min(abs(lost), abs(gained))
