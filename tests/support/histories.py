"""Histories with merges, drawn by hypothesis: numbered commits, each with its parents, and which one is the culprit."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from pacecar.model.bisection import Candidate


@dataclass(frozen=True)
class Drawn:
    """Commit 0 is good, the last one is bad, `culprit` made it so; of `skipped` nothing can be learnt."""

    parents: tuple[tuple[int, ...], ...]
    culprit: int
    skipped: frozenset[int]

    @property
    def last(self) -> int:
        return len(self.parents) - 1

    def ancestors(self, commit: int) -> set[int]:
        """Itself too."""
        found, open_ = set(), [commit]
        while open_:
            found.add(each := open_.pop())
            open_ += [parent for parent in self.parents[each] if parent not in found]
        return found

    def is_bad(self, commit: int) -> bool:
        return self.culprit in self.ancestors(commit)

    def left(self, goods: set[int], bad: int) -> set[int]:
        return self.ancestors(bad) - {each for good in goods for each in self.ancestors(good)}

    def candidates(self, goods: set[int], bad: int) -> list[Candidate]:
        """What git's bisection lists, in one of the orders in which it may."""
        left = self.left(goods, bad)
        reach = {commit: len(self.ancestors(commit) & left) for commit in left}
        distance = {commit: min(reach[commit], len(left) - reach[commit]) for commit in left}
        return [
            Candidate(commit=str(commit), distance=distance[commit])
            for commit in sorted(left, key=lambda c: -distance[c])
        ]


@st.composite
def histories(draw: st.DrawFn, *, most: int = 40) -> Drawn:
    """Straight pieces, branches and merges; every commit but the first has one or two parents."""
    count = draw(st.integers(2, most))
    parents: list[tuple[int, ...]] = [()]
    for commit in range(1, count):
        first = draw(st.one_of(st.just(commit - 1), st.integers(0, commit - 1)))
        second = draw(st.one_of(st.none(), st.integers(0, commit - 1)))
        parents.append((first,) if second in (None, first) else (first, second))
    drawn = Drawn(parents=tuple(parents), culprit=0, skipped=frozenset())
    culprit = draw(st.sampled_from(sorted(drawn.left({0}, drawn.last))))
    skipped = draw(st.frozensets(st.integers(1, count - 1), max_size=count))
    return Drawn(parents=drawn.parents, culprit=culprit, skipped=skipped - {drawn.last})
