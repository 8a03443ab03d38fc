"""The profiles of all forks on one tree, so that every place of every frame has a cost in each fork of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pandas as pd

from pacecar.judge.measured import MeasuredFork
from pacecar.judge.profiles.entries import endpoint_of, entry_of, is_idle
from pacecar.judge.profiles.proxies import stands_for
from pacecar.judge.profiles.threads import pool_of
from pacecar.stats.calltree import CallTree, Numbers, Places

#: Kinds of profiles, in the order in which they are shown.
EVENTS = ("cpu", "wall", "alloc", "lock")
_NANOSECONDS_PER_MS = 1e6
_SLEEPING = "STATE_SLEEPING"
#: What a thread did at a wall-clock sample: ran (or wanted to), waited within its work, or waited for work.
RUNNING, WAITING, IDLE = "running", "waiting", "idle"

#: (baseline, candidate) of each pair; None where a side is not there.
Forks = Sequence[tuple[MeasuredFork | None, MeasuredFork | None]]
_NO_ROWS = pd.DataFrame({"stack": [], "pool": [], "endpoint": [], "state": [], "cost": [], "variance": []})


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Costs per request of one kind of samples; ms, for allocation bytes.

    Frames are numbered by pool and name; the top of each pool's stacks is a frame that stands for the pool.

    Attributes:
        tree: all stacks of all forks.
        names: (frames,) frame, or "" for a pool's own.
        pools: (frames,) the pool each frame ran in.
        baseline: (pairs, nodes) own cost.
        candidate: (pairs, nodes).
        poisson: (nodes,) Poisson variance of one pair's difference, mean over pairs.
        parts: columns `frame`, `endpoint`, `leaf`, `baseline`, `candidate`: what the own cost of a frame is made of,
            mean over pairs; `leaf` is the library frame that ran, or "" when it was the frame itself.
    """

    tree: CallTree
    names: tuple[str, ...]
    pools: tuple[str, ...]
    baseline: Numbers
    candidate: Numbers
    poisson: Numbers
    parts: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Stack:
    """One distinct stack.

    Attributes:
        kept: frames that make the path in the tree, from the top.
        leaf: the frame that ran, where it is not the last of `kept`.
        entry: the frame that serves the request.
        idle: a thread that sleeps with it waits for work.
    """

    kept: tuple[str, ...]
    leaf: str
    entry: str
    idle: bool


def merge(
    forks: Forks,
    *,
    event: str,
    application: Sequence[str],
    folded: bool = True,
) -> Merged | None:
    """Merge the samples of `event` of all forks; None when there are none.

    Idle threads are left out of wall-clock time: they wait for work, not within it.

    Args:
        forks: (baseline, candidate) of each pair; a side that is None counts as not there at all.
        event: cpu, wall, alloc or lock.
        application: prefixes of the class names that are the user's own code.
        folded: leave library frames out of the paths, so that their cost belongs to the frame of the application that
            called them. Stacks without such a frame keep their leaf alone. Without prefixes nothing is folded.
    """
    prefixes = tuple(application)
    stacks: dict[str, Stack] = {}
    samples = all_rows(forks, event=event, stacks=stacks, prefixes=prefixes, folded=folded)
    samples = samples[samples["state"] != IDLE]
    if samples.empty:
        return None
    return _on_one_tree(samples, stacks, sides=counted(forks))


def all_rows(
    forks: Forks, *, event: str, stacks: dict[str, Stack], prefixes: tuple[str, ...], folded: bool
) -> pd.DataFrame:
    """The samples of all forks: columns as `_rows` gives them, and `pair` and `side` (0 baseline, 1 candidate)."""
    rows = [
        _rows(fork, event=event, stacks=stacks, prefixes=prefixes, folded=folded).assign(pair=pair, side=side)
        for pair, sides in enumerate(forks)
        for side, fork in enumerate(sides)
        if fork is not None
    ]
    seen = [part for part in rows if not part.empty]
    return pd.concat(seen, ignore_index=True) if seen else _NO_ROWS


def unpaired(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> Forks:
    """Forks that were not measured side by side, each by itself, so that none is taken for another's partner."""
    return [*((fork, None) for fork in baseline), *((None, fork) for fork in candidate)]


def counted(forks: Forks) -> tuple[int, int, int]:
    """Pairs, and forks of either side."""
    before, after = (sum(sides[side] is not None for sides in forks) for side in (0, 1))
    return len(forks), before, after


def _rows(
    fork: MeasuredFork, *, event: str, stacks: dict[str, Stack], prefixes: tuple[str, ...], folded: bool
) -> pd.DataFrame:
    """Cost per request and its Poisson variance by stack, pool, endpoint and, of wall-clock time, state of one fork."""
    samples = fork.stacks_of(event)
    if samples.empty or fork.requests.empty:
        return _NO_ROWS
    texts, labels, threads = samples["frames"], samples["label"].astype(str), samples["thread"].astype(str)
    for text in texts.unique().tolist():
        if text not in stacks:
            stacks[text] = _stack(text.split("\n"), prefixes, folded=folded)
    unit = (1.0 if event == "alloc" else _NANOSECONDS_PER_MS) * len(fork.requests)
    rows = pd.DataFrame(
        {
            "stack": texts,
            "pool": threads.map({thread: pool_of(thread) for thread in threads.unique()}),
            "endpoint": [endpoint_of(label, stacks[text].entry) for label, text in zip(labels, texts, strict=True)],
            "state": "",
            "cost": samples["weight"] / unit,
            # A row adds up samples of one size: n of them vary by n times the square of that size.
            "variance": (samples["weight"] / unit) ** 2 / samples["samples"],
        }
    )
    if event == "wall":
        idle = [stacks[text].idle for text in texts]
        rows["state"] = np.where(samples["state"] != _SLEEPING, RUNNING, np.where(idle, IDLE, WAITING))
    return rows.groupby(["stack", "pool", "endpoint", "state"], as_index=False, sort=False).sum()


def _stack(frames: list[str], prefixes: tuple[str, ...], *, folded: bool) -> Stack:
    written = [stands_for(frame) for frame in frames]
    # A proxy and its class, or a method that calls itself, are one frame of the application.
    own = [name for name, _ in groupby(frame for frame in written if frame.startswith(prefixes))] if prefixes else []
    kept = (own or frames[-1:]) if folded and prefixes else frames
    return Stack(
        kept=tuple(kept),
        leaf=frames[-1] if kept[-1] not in (frames[-1], written[-1]) else "",
        entry=entry_of(written, prefixes),
        idle=is_idle(frames, prefixes),
    )


def _on_one_tree(samples: pd.DataFrame, stacks: dict[str, Stack], *, sides: tuple[int, int, int]) -> Merged:
    pairs = sides[0]
    places = samples.groupby(["pool", "stack"], sort=True).ngroup().to_numpy()
    distinct = samples.assign(place=places).drop_duplicates("place").sort_values("place")
    paths = [
        [(pool, ""), *((pool, name) for name in stacks[text].kept)]
        for pool, text in zip(distinct["pool"], distinct["stack"], strict=True)
    ]
    numbers: dict[tuple[str, str], int] = {}
    tree, leaves = grow([[numbers.setdefault(step, len(numbers)) for step in path] for path in paths], len(numbers))
    node = leaves[places]
    costs = np.zeros((2, pairs, len(tree.parent)))
    np.add.at(costs, (samples["side"].to_numpy(), samples["pair"].to_numpy(), node), samples["cost"].to_numpy())
    poisson = np.zeros((2, len(tree.parent)))
    np.add.at(poisson, (samples["side"].to_numpy(), node), samples["variance"].to_numpy())
    return Merged(
        tree=tree,
        names=tuple(name for _, name in numbers),
        pools=tuple(pool for pool, _ in numbers),
        baseline=costs[0],
        candidate=costs[1],
        poisson=poisson[0] / max(1, sides[1]) + poisson[1] / max(1, sides[2]),
        parts=_parts(samples, tree.frame[node], stacks, sides),
    )


def grow(paths: Sequence[Sequence[int]], frames: int) -> tuple[CallTree, Places]:
    """One tree of many paths, level by level.

    Args:
        paths: frames' numbers from the top, each at least one long.
        frames: how many numbers there are.

    Returns:
        The tree, and the node at which each path ends.
    """
    lengths = np.array([len(path) for path in paths])
    flat = np.fromiter((frame for path in paths for frame in path), dtype=np.intp, count=int(lengths.sum()))
    begins = np.cumsum(lengths) - lengths
    at: npt.NDArray[np.intp] = np.full(len(paths), -1, dtype=np.intp)
    parents, names, count = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)], 0
    for level in range(int(lengths.max(initial=0))):
        going_on = np.flatnonzero(lengths > level)
        steps = (at[going_on] + 1) * frames + flat[begins[going_on] + level]
        distinct, place = np.unique(steps, return_inverse=True)
        parents.append(distinct // frames - 1)
        names.append(distinct % frames)
        at[going_on] = count + place
        count += len(distinct)
    return CallTree(parent=np.concatenate(parents), frame=np.concatenate(names), frames=frames), at


def _parts(samples: pd.DataFrame, frame: Places, stacks: dict[str, Stack], sides: tuple[int, int, int]) -> pd.DataFrame:
    leaf = samples["stack"].map({text: stacks[text].leaf for text in samples["stack"].unique()})
    by_part: pd.DataFrame = (
        samples.assign(frame=frame, leaf=leaf)
        .groupby(["frame", "endpoint", "leaf", "side"], as_index=False, sort=True)["cost"]
        .sum()
        .pivot_table(index=["frame", "endpoint", "leaf"], columns="side", values="cost", fill_value=0.0)
        .reindex(columns=[0, 1], fill_value=0.0)
        .rename(columns={0: "baseline", 1: "candidate"})
        .reset_index()
    )
    by_part["baseline"] /= max(1, sides[1])
    by_part["candidate"] /= max(1, sides[2])
    return by_part
