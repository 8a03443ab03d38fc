"""Many paths of numbers in two columns, and the tree they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from pacecar.analysis.stats.arrays import Indices, Mask
from pacecar.analysis.stats.calltree import CallTree


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Paths one behind the other.

    Attributes:
        steps: (all steps,) numbers from 0, path after path, each from the top.
        lengths: (paths,) how many steps each has.
    """

    steps: Indices
    lengths: Indices

    @classmethod
    def of(cls, paths: Iterable[Iterable[int]]) -> Paths:
        """The same from a sequence for each path."""
        listed = [list(path) for path in paths]
        return cls(
            steps=np.fromiter(chain.from_iterable(listed), dtype=np.intp),
            lengths=np.fromiter(map(len, listed), dtype=np.intp, count=len(listed)),
        )

    @cached_property
    def begins(self) -> Indices:
        """(paths,) where the first step of each would stand."""
        begins: Indices = np.cumsum(self.lengths) - self.lengths
        return begins

    @cached_property
    def path(self) -> Indices:
        """(all steps,) number of the path that each step is of."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def last(self) -> Indices:
        """(paths,) the last step of each; none may be empty."""
        last: Indices = self.steps[self.begins + self.lengths - 1]
        return last

    def only(self, marked: Mask) -> Paths:
        """The marked steps of every path. `marked`: (all steps,)."""
        lengths = np.bincount(self.path[marked], minlength=len(self.lengths))
        return Paths(steps=self.steps[marked], lengths=lengths)

    def without_repeats(self) -> Paths:
        """Of steps of one number that follow each other in a path, the first."""
        again = np.zeros(len(self.steps), dtype=bool)
        again[1:] = (self.steps[1:] == self.steps[:-1]) & (self.path[1:] == self.path[:-1])
        return self.only(~again)

    def ends(self) -> Paths:
        """Of each the last step alone; none may be empty."""
        return Paths(steps=self.last, lengths=np.ones_like(self.lengths))

    def or_else(self, instead: Paths) -> Paths:
        """With those of `instead`, which are as many, in place of empty ones."""
        count = len(self.lengths)
        both = Paths(
            steps=np.concatenate([self.steps, instead.steps]), lengths=np.concatenate([self.lengths, instead.lengths])
        )
        return both.chosen(np.arange(count) + np.where(self.lengths == 0, count, 0))

    def chosen(self, which: Indices) -> Paths:
        """Some of the paths, in this order."""
        lengths = self.lengths[which]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return Paths(steps=self.steps[np.repeat(self.begins[which], lengths) + within], lengths=lengths)

    def below(self, tops: Indices) -> Paths:
        """Each with one more step before its first: `tops`, (paths,)."""
        lengths = self.lengths + 1
        begins = np.cumsum(lengths) - lengths
        steps = np.empty(int(lengths.sum()), dtype=np.intp)
        top = np.zeros(len(steps), dtype=bool)
        top[begins] = True
        steps[top], steps[~top] = tops, self.steps
        return Paths(steps=steps, lengths=lengths)

    def first(self, marked: Mask) -> Indices:
        """(paths,) the first marked step of each, -1 where there is none. `marked`: (all steps,)."""
        found = np.full(len(self.lengths), -1, dtype=np.intp)
        places = np.flatnonzero(marked)[::-1]
        found[self.path[places]] = self.steps[places]  # of several the last one set stays, which is the first
        return found


def grow(paths: Paths, frames: int) -> tuple[CallTree, Indices]:
    """One tree of many paths, level by level.

    Args:
        paths: frames' numbers from the top, each at least one long.
        frames: how many numbers there are.

    Returns:
        The tree, and the node at which each path ends.
    """
    at: Indices = np.full(len(paths.lengths), -1, dtype=np.intp)
    parents, names, count = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)], 0
    going_on = np.arange(len(paths.lengths))
    for level in range(int(paths.lengths.max(initial=0))):
        going_on = going_on[paths.lengths[going_on] > level]
        steps = (at[going_on] + 1) * frames + paths.steps[paths.begins[going_on] + level]
        distinct, place = np.unique(steps, return_inverse=True)
        parents.append(distinct // frames - 1)
        names.append(distinct % frames)
        at[going_on] = count + place
        count += len(distinct)
    return CallTree(parent=np.concatenate(parents), frame=np.concatenate(names), frames=frames), at
