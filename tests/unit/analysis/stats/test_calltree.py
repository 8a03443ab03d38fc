"""Sums over a tree of calls, against sums made node by node."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.stats.calltree import CallTree


@st.composite
def trees(draw: st.DrawFn) -> CallTree:
    nodes = draw(st.integers(1, 30))
    parent = [-1, *(draw(st.integers(-1, node - 1)) for node in range(1, nodes))]
    frame = [draw(st.integers(0, 5)) for _ in range(nodes)]
    return CallTree(parent=np.array(parent), frame=np.array(frame), frames=6)


def _callers(tree: CallTree, node: int) -> list[int]:
    found = []
    while (node := int(tree.parent[node])) >= 0:
        found.append(node)
    return found


@given(trees(), st.integers(1, 3))
def test_totals_hold_everything_below(tree: CallTree, pairs: int) -> None:
    own = np.random.default_rng(1).random((pairs, len(tree.parent)))
    expected = own.copy()
    for node in range(len(tree.parent)):
        for caller in _callers(tree, node):
            expected[:, caller] += own[:, node]
    np.testing.assert_allclose(tree.totals(own), expected)


@given(trees())
def test_a_frame_that_calls_itself_counts_once(tree: CallTree) -> None:
    own = np.random.default_rng(2).random(len(tree.parent))
    expected = np.zeros(tree.frames)
    for node in range(len(tree.parent)):
        for frame in {int(tree.frame[place]) for place in (node, *_callers(tree, node))}:
            expected[frame] += own[node]
    np.testing.assert_allclose(tree.totals_by_frame(own), expected)


@given(trees())
def test_below_is_every_node_with_a_marked_caller(tree: CallTree) -> None:
    marked = tree.frame == 3
    expected = [bool(marked[[node, *_callers(tree, node)]].any()) for node in range(len(tree.parent))]
    assert tree.below(marked).tolist() == expected
    assert tree.depth.tolist() == [len(_callers(tree, node)) for node in range(len(tree.parent))]


@given(trees())
def test_the_nearest_marked_is_the_node_itself_or_a_caller(tree: CallTree) -> None:
    marked = tree.frame == 3
    expected = [
        next((place for place in (node, *_callers(tree, node)) if marked[place]), -1)
        for node in range(len(tree.parent))
    ]
    assert tree.nearest(marked).tolist() == expected


def test_an_empty_tree_has_no_sums() -> None:
    tree = CallTree(parent=np.zeros(0, dtype=int), frame=np.zeros(0, dtype=int), frames=2)
    assert tree.totals(np.zeros((3, 0))).shape == (3, 0)
    assert tree.totals_by_frame(np.zeros(0)).tolist() == [0.0, 0.0]
