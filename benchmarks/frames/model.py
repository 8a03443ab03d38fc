"""Synthetic profiles with a known truth: a random tree of calls, and the samples of two builds over some pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.culprits import NodeCosts

NODES, FRAMES, POOLS = 400, 260, 3
#: Standard deviation of the logarithm of a fork's total cost, and of each frame's cost in addition.
FORK, FRAME = 0.05, 0.06
#: ms per request in all.
WHOLE = 1.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Pairs, and CPU samples of one side in each."""

    pairs: int
    samples: int


@dataclass(frozen=True, kw_only=True)
class Service:
    """A tree with the mean self cost of every node, in ms per request, and the pool of every frame."""

    tree: CallTree
    cost: Numbers
    pool: Indices


@dataclass(frozen=True, kw_only=True)
class Case:
    """Two measured builds, and the frames whose self cost really differs; `moved` ones only changed places."""

    profiles: NodeCosts
    guilty: frozenset[int]
    moved: frozenset[int] = frozenset()


def service(random: np.random.Generator) -> Service:
    """A tree of pools, with frames below several callers, and costs over three orders of magnitude."""
    pool_of_frame = random.integers(0, POOLS, FRAMES)
    parent, frame = [-1] * POOLS, list(range(POOLS))
    pool_of_node = list(range(POOLS))
    by_pool = [np.flatnonzero(pool_of_frame == pool) + POOLS for pool in range(POOLS)]
    while len(parent) < NODES:
        # New nodes hang low: chains as long as real stacks, with some branching.
        caller = int(len(parent) * random.beta(2, 1))
        pool = pool_of_node[caller]
        callee = int(random.choice(by_pool[pool]))
        taken = {frame[node] for node in range(len(parent)) if parent[node] == caller}
        if callee in taken or callee == frame[caller]:
            continue
        parent.append(caller)
        frame.append(callee)
        pool_of_node.append(pool)
    tree = CallTree(parent=np.array(parent), frame=np.array(frame), frames=FRAMES + POOLS)
    cost = random.lognormal(0, 1.5, NODES)
    cost[:POOLS] = 0
    return Service(
        tree=tree,
        cost=cost / cost.sum() * WHOLE,
        pool=np.concatenate([np.arange(POOLS), pool_of_frame]),
    )


def measured(tree: CallTree, before: Numbers, after: Numbers, random: np.random.Generator, plan: Plan) -> NodeCosts:
    """Draw the samples of both sides: (pairs, nodes) costs in ms per request."""
    one = WHOLE / plan.samples
    sides = []
    for cost in (before, after):
        forks = (
            random.normal(0, FORK, (plan.pairs, 1)) + random.normal(0, FRAME, (plan.pairs, tree.frames))[:, tree.frame]
        )
        sides.append((random.poisson(cost * np.exp(forks) / one) * one).astype(np.float64))
    return NodeCosts(tree=tree, baseline=sides[0], candidate=sides[1], poisson=one * (sides[0] + sides[1]).mean(axis=0))


def share(made: Service, frame: int) -> float:
    """A frame's self part of the total."""
    return float(made.cost[made.tree.frame == frame].sum() / WHOLE)


def identical(random: np.random.Generator, plan: Plan) -> Case:
    """The same build twice."""
    made = service(random)
    return Case(profiles=measured(made.tree, made.cost, made.cost, random, plan), guilty=frozenset())


def slower(random: np.random.Generator, plan: Plan, *, by: float, least: float, most: float) -> Case:
    """One frame with such a share of the total costs that fraction more."""
    made = service(random)
    frame = _some_frame(made, random, least=least, most=most)
    after = np.where(made.tree.frame == frame, made.cost * (1 + by), made.cost)
    return Case(profiles=measured(made.tree, made.cost, after, random, plan), guilty=frozenset({frame}))


def added(random: np.random.Generator, plan: Plan, *, points: float) -> Case:
    """Some frame of at most 1 % costs that many percentage points of the total more, at one of its places."""
    made = service(random)
    frame = _some_frame(made, random, least=0.0005, most=0.01)
    place = int(random.choice(np.flatnonzero(made.tree.frame == frame)))
    after = made.cost.copy()
    after[place] += points * WHOLE
    return Case(profiles=measured(made.tree, made.cost, after, random, plan), guilty=frozenset({frame}))


def renamed(random: np.random.Generator, plan: Plan) -> Case:
    """A frame of 2 to 8 % has another name in the candidate."""
    made = service(random)
    frame = _some_frame(made, random, least=0.02, most=0.08)
    mine = made.tree.frame == frame
    tree = CallTree(
        parent=np.concatenate([made.tree.parent, made.tree.parent[mine]]),
        frame=np.concatenate([made.tree.frame, np.full(int(mine.sum()), made.tree.frames)]),
        frames=made.tree.frames + 1,
    )
    # What it calls keeps its place below the old name, which keeps every caller before its callee.
    before = np.concatenate([made.cost, np.zeros(int(mine.sum()))])
    after = np.concatenate([np.where(mine, 0.0, made.cost), made.cost[mine]])
    return Case(
        profiles=measured(tree, before, after, random, plan),
        guilty=frozenset(),
        moved=frozenset({frame, made.tree.frames}),
    )


def inlined(random: np.random.Generator, plan: Plan) -> Case:
    """A frame of 2 to 8 % becomes part of its callers."""
    made = service(random)
    frame = _some_frame(made, random, least=0.02, most=0.08, below_the_top=True)
    mine = np.flatnonzero(made.tree.frame == frame)
    after = made.cost.copy()
    for place in mine:
        after[made.tree.parent[place]] += after[place]
        after[place] = 0.0
    callers = {int(made.tree.frame[made.tree.parent[place]]) for place in mine}
    return Case(
        profiles=measured(made.tree, made.cost, after, random, plan),
        guilty=frozenset(),
        moved=frozenset({frame, *callers}),
    )


def _some_frame(
    made: Service, random: np.random.Generator, *, least: float, most: float, below_the_top: bool = False
) -> int:
    shares = made.tree.by_frame(made.cost) / WHOLE
    fitting = [
        frame
        for frame in np.flatnonzero((shares >= least) & (shares <= most)).tolist()
        if not below_the_top or bool((made.tree.depth[made.tree.frame == frame] >= 2).all())
    ]
    return int(random.choice(fitting)) if fitting else int(np.argmin(np.abs(shares - (least + most) / 2)))
