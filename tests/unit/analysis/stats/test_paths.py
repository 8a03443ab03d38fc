"""Many paths in columns, against the same made path by path."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.stats.paths import Paths, grow

_PATHS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=20)


def _listed(paths: Paths) -> list[list[int]]:
    return [part.tolist() for part in np.split(paths.steps, np.cumsum(paths.lengths)[:-1])]


@given(_PATHS)
def test_a_tree_holds_every_path_and_no_other(paths: Sequence[Sequence[int]]) -> None:
    tree, ends = grow(Paths.of(paths), 5)

    def path_to(node: int) -> tuple[int, ...]:
        return () if node < 0 else (*path_to(int(tree.parent[node])), int(tree.frame[node]))

    assert [path_to(int(end)) for end in ends] == [tuple(path) for path in paths]
    found = [path_to(node) for node in range(len(tree.parent))]
    assert sorted(found) == sorted({tuple(path[:length]) for path in paths for length in range(1, len(path) + 1)})
    assert bool(np.all(tree.parent < np.arange(len(tree.parent))))


@given(_PATHS)
def test_some_steps_of_every_path(paths: Sequence[Sequence[int]]) -> None:
    columns = Paths.of(paths)
    even = columns.only(columns.steps % 2 == 0)
    assert _listed(even) == [[step for step in path if step % 2 == 0] for path in paths]
    assert _listed(even.or_else(columns.ends())) == [
        [step for step in path if step % 2 == 0] or [path[-1]] for path in paths
    ]
    first = columns.first(columns.steps % 2 == 0)
    assert first.tolist() == [next((step for step in path if step % 2 == 0), -1) for path in paths]


@given(_PATHS, st.data())
def test_other_paths_made_of_these(paths: Sequence[Sequence[int]], data: st.DataObject) -> None:
    columns = Paths.of(paths)
    assert _listed(columns.without_repeats()) == [[step for step, _ in groupby(path)] for path in paths]
    which = data.draw(st.lists(st.integers(0, len(paths) - 1), min_size=1, max_size=30))
    assert _listed(columns.chosen(np.array(which))) == [list(paths[number]) for number in which]
    tops = np.arange(len(paths)) + 5
    assert _listed(columns.below(tops)) == [[number + 5, *path] for number, path in enumerate(paths)]


def test_no_paths_make_an_empty_tree() -> None:
    tree, ends = grow(Paths.of([]), 5)
    assert (len(tree.parent), len(ends)) == (0, 0)
