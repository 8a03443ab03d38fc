"""What samples stand for: shares of what was counted.

A thread's CPU timer goes off at the kernel's ticks only, whatever interval was asked for. A thread that works for some
microseconds at a time is hardly ever running at one, so a sample of it stands for much more than one of a busy thread.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pacecar.model.profiles import ProfileKind
from pacecar.model.thread_pools import kernel_pool_of

#: Blocks that allocate at most so many times what the least one does are like it.
_ALIKE = 1.05


def as_counted(samples: pd.DataFrame, pools: pd.DataFrame, *, process_ns: pd.Series[float]) -> pd.DataFrame:
    """`samples` with weights of CPU time such that those of each pool add up to what its threads ran.

    Of a pool with threads that came or went, the kernel does not know all. Such pools, and threads that the kernel
    knows by other names, share what is left of the process's time, by their samples.

    Args:
        samples: rows as in `TABLES["samples"]`, of any kind.
        pools: as in `TABLES["pool_cpu"]`.
        process_ns: window -> CPU time of the process.
    """
    known = process_ns.index.intersection(pd.Index(pools["window"].unique()))
    of_cpu = samples["event"] == ProfileKind.CPU
    cpu = samples[of_cpu]
    if cpu.empty:
        return samples
    pool = cpu["thread"].map({name: kernel_pool_of(str(name)) for name in cpu["thread"].unique()})
    inside = cpu["window"].isin(known)
    sampled = cpu["weight"][inside].groupby(pool[inside]).sum()
    ran = pools[pools["window"].isin(known)].groupby("pool")[["cpu_ns", "changed"]].sum()
    whole = ran.loc[ran["changed"] == 0, "cpu_ns"].reindex(sampled.index[sampled > 0]).dropna()
    others = float(sampled.drop(whole.index).sum())
    left = max(0.0, float(process_ns[known].sum() - whole.sum()))
    factors = pool.map(whole / sampled[whole.index]).fillna(left / others if others > 0 else 1.0)
    return samples.assign(weight=samples["weight"].where(~of_cpu, samples["weight"] * factors.reindex(samples.index)))


def rescaled(rows: pd.DataFrame, event: str, *, counted: float, sampled: float) -> pd.DataFrame:
    """Samples of `event` with weights that add up to what was counted, where both are known."""
    if not (counted > 0 and sampled > 0):
        return rows
    return rows.assign(weight=rows["weight"].where(rows["event"] != event, rows["weight"] * (counted / sampled)))


def as_least_blocks(
    samples: pd.DataFrame, asked: Mapping[str, pd.Series[int]], *, allocated: pd.Series[float]
) -> pd.DataFrame:
    """`samples` of allocation from blocks like the least one of their endpoint, with weights that add up to what all
    its blocks would have allocated if each had been like that; of other kinds, all of them.

    In a few blocks something else is at work, such as the profiler that sends what it has, so the least tells what
    requests allocate, and the judged metric is that. One such block of one fork would otherwise make a frame differ
    more from pair to pair than between the builds.

    Args:
        samples: rows as in `TABLES["samples"]`, of any kind.
        asked: endpoint -> (requests by block).
        allocated: block -> bytes that were counted in it.
    """
    of_allocation = samples["event"] == ProfileKind.ALLOCATION
    factors = pd.Series(0.0, index=samples["window"].unique())
    for requests in asked.values():
        per_request = (allocated / requests[requests > 0]).dropna()
        alike = per_request.index[per_request <= _ALIKE * per_request.min()]
        sampled = float(samples["weight"][of_allocation & samples["window"].isin(alike)].sum())
        if sampled > 0:
            factors[factors.index.intersection(alike)] = float(per_request.min()) * float(requests.sum()) / sampled
    factor = samples["window"].map(factors).where(of_allocation, 1.0)
    return samples.assign(weight=samples["weight"] * factor)[factor > 0]
