"""What one fork's profile says each frame cost per request.

The own time of an application frame includes the library and JDK time it called: a stack's cost goes to the
deepest application frame in it. A stack without one goes to its leaf. So each cost has one owner, and own times add up
to the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from pacecar.judge.measured import MeasuredFork

_NANOSECONDS_PER_MS = 1e6
#: Numbers of a thread's name: those set off by a separator anywhere, and any at the end.
_THREAD_NUMBER = re.compile(r"[-_#.:/ ]+\d+(?=$|[-_#.:/ ])|\d+$")


@dataclass(frozen=True, kw_only=True)
class ForkCosts:
    """Costs per request of one fork, by frame name; in ms, for allocation in bytes.

    Attributes:
        own: of the frame and the library time it called.
        total: of every stack that holds the frame, once per stack.
        variance: Poisson variance of `own`, from the number of samples.
        below: (application frame, library leaf folded into it) -> cost.
        pools: (frame, thread pool) -> own cost.
    """

    own: pd.Series[float]
    total: pd.Series[float]
    variance: pd.Series[float]
    below: pd.Series[float]
    pools: pd.Series[float]


def pool_of(thread: str) -> str:
    """The pool a thread belongs to: `http-nio-8080-exec-7` is one of `http-nio-exec`, `pricing-3` of `pricing`."""
    previous, name = "", thread
    while name != previous:  # qtp1234567-45: what is left of the first number ends the name
        previous, name = name, _THREAD_NUMBER.sub("", name)
    return name or thread


def fork_costs(fork: MeasuredFork, *, application: Sequence[str], event: str = "cpu") -> ForkCosts | None:
    """The costs of one fork by samples of `event`; None when it has no such samples or no requests."""
    samples = fork.samples
    samples = samples[(samples["event"] == event) & (samples["samples"] > 0)]
    stacks = fork.data.tables["stacks"].drop_duplicates("stack")
    stacks = stacks[stacks["stack"].isin(samples["stack"])].reset_index(drop=True)
    samples = samples[samples["stack"].isin(stacks["stack"])]
    if samples.empty or fork.requests.empty:
        return None
    parts = _take_apart(stacks["frames"].tolist(), tuple(application))
    unit = (1.0 if event == "alloc" else _NANOSECONDS_PER_MS) * len(fork.requests)
    rows = pd.DataFrame(
        {
            "stack": pd.Index(stacks["stack"]).get_indexer(pd.Index(samples["stack"])),
            "thread": samples["thread"].to_numpy(),
            "cost": samples["weight"].to_numpy() / unit,
            # A row adds up samples of one size: n of them vary by n times the square of that size.
            "variance": (samples["weight"].to_numpy() / unit) ** 2 / samples["samples"].to_numpy(),
        }
    )
    return _add_up(rows, parts)


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """Stacks in pieces: frames as numbers into `names`, stacks as positions.

    Attributes:
        names: distinct frames.
        stack: position of the stack of each (stack, frame) that occurs, once.
        frame: its frame.
        owner: per stack, the frame its cost belongs to.
        leaf: per stack, the frame that was running.
    """

    names: npt.NDArray[np.object_]
    stack: npt.NDArray[np.int64]
    frame: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int64]
    leaf: npt.NDArray[np.int64]


def _take_apart(stacks: list[str], application: tuple[str, ...]) -> _Parts:
    lengths = np.array([frames.count("\n") + 1 for frames in stacks])
    frame, distinct = pd.factorize(np.array("\n".join(stacks).split("\n"), dtype=object))
    names = np.asarray(distinct, dtype=object)
    stack = np.repeat(np.arange(len(stacks)), lengths)
    leaf = frame[np.cumsum(lengths) - 1]
    own = np.array([name.startswith(application) for name in names], dtype=bool)[frame]
    owner = leaf.copy()
    owner[stack[own]] = frame[own]  # in order from the entry point: the deepest comes last and stays
    once = pd.unique(stack * len(names) + frame)
    return _Parts(names=names, stack=once // len(names), frame=once % len(names), owner=owner, leaf=leaf)


def _add_up(rows: pd.DataFrame, parts: _Parts) -> ForkCosts:
    count = len(parts.names)
    cost, variance = (
        np.bincount(rows["stack"], weights=rows[column], minlength=len(parts.owner)) for column in ("cost", "variance")
    )
    folded = parts.owner != parts.leaf
    pools = {thread: pool_of(str(thread)) for thread in rows["thread"].unique()}
    below = pd.Series(cost[folded]).groupby([parts.names[parts.owner[folded]], parts.names[parts.leaf[folded]]]).sum()
    by_pool = rows["cost"].groupby([parts.names[parts.owner[rows["stack"]]], rows["thread"].map(pools)]).sum()
    return ForkCosts(
        own=pd.Series(np.bincount(parts.owner, weights=cost, minlength=count), index=parts.names),
        total=pd.Series(np.bincount(parts.frame, weights=cost[parts.stack], minlength=count), index=parts.names),
        variance=pd.Series(np.bincount(parts.owner, weights=variance, minlength=count), index=parts.names),
        below=below,
        pools=by_pool,
    )
