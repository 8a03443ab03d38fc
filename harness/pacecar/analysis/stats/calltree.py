"""A tree of calls as columns: sums over what a node called, and over all places of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pacecar.analysis.stats.arrays import Indices, Numbers


@dataclass(frozen=True, kw_only=True)
class CallTree:
    """Nodes by their position; who called comes before what it called.

    Attributes:
        parent: (nodes,) position of the caller; -1 at the top.
        frame: (nodes,) number of the frame, from 0; one frame may stand at many places, but in one pool only.
        frames: how many frames there are.
    """

    parent: Indices
    frame: Indices
    frames: int

    @cached_property
    def depth(self) -> Indices:
        """(nodes,) callers above; 0 at the top."""
        depth = np.zeros(len(self.parent), dtype=np.intp)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[node] = depth[parent] + 1
        return depth

    def totals(self, own: Numbers) -> Numbers:
        """Own amounts with those of everything called from there.

        Args:
            own: (..., nodes).
        """
        total = np.moveaxis(own, -1, 0).copy()
        for level in self._from_the_deepest:
            np.add.at(total, self.parent[level], total[level])
        return np.moveaxis(total, 0, -1)

    def by_frame(self, own: Numbers) -> Numbers:
        """(..., nodes) to (..., frames): each frame's own amount over all its places."""
        found = np.zeros((self.frames, *own.shape[:-1]))
        np.add.at(found, self.frame, np.moveaxis(own, -1, 0))
        return np.moveaxis(found, 0, -1)

    def totals_by_frame(self, own: Numbers) -> Numbers:
        """The same with everything called; where a frame calls itself, only its outermost place counts."""
        return self.by_frame(np.where(self.outermost, self.totals(own), 0.0))

    @cached_property
    def outermost(self) -> npt.NDArray[np.bool_]:
        """(nodes,) whether none of its callers is the same frame."""
        first = np.ones(len(self.parent), dtype=bool)
        above = self.parent.copy()
        open_ = np.flatnonzero(above >= 0)
        while len(open_):
            same = self.frame[above[open_]] == self.frame[open_]
            first[open_[same]] = False
            open_ = open_[~same]
            above[open_] = self.parent[above[open_]]
            open_ = open_[above[open_] >= 0]
        return first

    def below(self, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(nodes,) whether a node, or one of its callers, is marked."""
        found = marked.copy()
        for level in reversed(self._from_the_deepest):
            found[level] |= found[self.parent[level]]
        return found

    def nearest(self, marked: npt.NDArray[np.bool_]) -> Indices:
        """(nodes,) position of the deepest marked node among a node and its callers; -1 where none is marked."""
        found = np.where(marked, np.arange(len(marked)), -1)
        for level in reversed(self._from_the_deepest):
            found[level] = np.where(marked[level], level, found[self.parent[level]])
        return found

    @cached_property
    def _from_the_deepest(self) -> list[Indices]:
        """Nodes that have a caller, level by level."""
        order = np.argsort(self.depth, kind="stable")
        bounds = np.searchsorted(self.depth[order], np.arange(1, int(self.depth.max(initial=0)) + 2))
        return [order[begin:end] for begin, end in pairwise(bounds.tolist())][::-1]
