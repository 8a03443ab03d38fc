"""Which frames changed: the cost per request of each, over pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from pacecar.comparison import FrameChange
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.stacks import ForkCosts, fork_costs
from pacecar.stats.frames import certain_part, paired_intervals

#: Rows kept: the first by change, and among the rest the most costly.
MOST_CHANGED = 120
MOST_COSTLY = 80
_POOLS = 5
_BELOW = 3


def frame_changes(
    forks: Sequence[tuple[MeasuredFork, MeasuredFork]], *, application: Sequence[str], event: str = "cpu"
) -> tuple[FrameChange, ...]:
    """The frames of forks measured side by side, hottest changed application frames first.

    Ranked by how large the change is at least (the end of its interval nearest zero), then by its estimate: the
    largest estimate of hundreds is mostly noise. Pairs in which a side has no samples are left out.

    Args:
        forks: (baseline, candidate) of each pair.
        application: prefixes of the class names that are the user's own code.
        event: cpu, wall, lock (ms per request), or alloc (bytes per request).
    """
    both = [
        (before, after)
        for pair in forks
        if (before := fork_costs(pair[0], application=application, event=event))
        and (after := fork_costs(pair[1], application=application, event=event))
    ]
    if not both:
        return ()
    return _changes([b for b, _ in both], [a for _, a in both], application=application, paired=True)


def described_frames(
    baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork], *, application: Sequence[str]
) -> tuple[FrameChange, ...]:
    """The same for CPU on forks that were not paired: means and their difference, without a claim."""
    before, after = (
        [costs for fork in side if (costs := fork_costs(fork, application=application))]
        for side in (baseline, candidate)
    )
    return _changes(before, after, application=application, paired=False) if before and after else ()


def _changes(
    baseline: Sequence[ForkCosts], candidate: Sequence[ForkCosts], *, application: Sequence[str], paired: bool
) -> tuple[FrameChange, ...]:
    rows = _ranked(_rows(baseline, candidate, application=application, paired=paired))
    pools = _mean(baseline, "pools").add(_mean(candidate, "pools"), fill_value=0.0)
    below = _mean(candidate, "below").sub(_mean(baseline, "below"), fill_value=0.0)
    busiest = _largest(pools, rows.index, limit=_POOLS)
    folded = _largest(below, rows.index, limit=_BELOW)
    return tuple(
        FrameChange(
            frame=str(frame),
            application=bool(row["application"]),
            self_baseline=float(row["own_before"]),
            self_candidate=float(row["own_after"]),
            self_change=float(row["change"]),
            low=float(row["low"]),
            high=float(row["high"]),
            total_baseline=float(row["total_before"]),
            total_candidate=float(row["total_after"]),
            pools=tuple(pool for pool, _ in busiest.get(str(frame), [])),
            descriptive=not paired,
            below=tuple(folded.get(str(frame), [])),
        )
        for frame, row in rows.iterrows()
    )


def _rows(
    baseline: Sequence[ForkCosts], candidate: Sequence[ForkCosts], *, application: Sequence[str], paired: bool
) -> pd.DataFrame:
    """One row per frame seen on either side that has a cost of its own, or is the user's."""
    before, after = _by_fork(baseline, "own").align(_by_fork(candidate, "own"), join="outer", axis=0, fill_value=0.0)
    names = before.index
    if paired:
        sampling = _mean(baseline, "variance").add(_mean(candidate, "variance"), fill_value=0.0).reindex(names)
        intervals = paired_intervals(_numbers(after - before).T, _numbers(sampling))
    else:
        difference = after.mean(axis=1) - before.mean(axis=1)
        intervals = paired_intervals(_numbers(difference)[np.newaxis, :], np.zeros(len(names)))
    prefixes = tuple(application)
    rows = pd.DataFrame(
        {
            "application": [str(name).startswith(prefixes) for name in names],
            "own_before": before.mean(axis=1),
            "own_after": after.mean(axis=1),
            "change": intervals.mean,
            "low": intervals.low,
            "high": intervals.high,
            "total_before": _mean(baseline, "total").reindex(names, fill_value=0.0),
            "total_after": _mean(candidate, "total").reindex(names, fill_value=0.0),
        },
        index=names,
    )
    return rows[rows["application"] | (rows["own_before"] > 0) | (rows["own_after"] > 0)]


def _ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Application frames first, then by certain change, then by estimate; the cheap and unchanged are cut."""
    certain = certain_part(rows["low"].to_numpy(), rows["high"].to_numpy())
    ranked = rows.assign(certain=certain, size=rows["change"].abs(), name=rows.index).sort_values(
        ["application", "certain", "size", "name"], ascending=[False, False, False, True]
    )
    changed = ranked.sort_values(["certain", "size"], ascending=False, kind="stable").index[:MOST_CHANGED]
    costly = ranked[["own_before", "own_after"]].max(axis=1).drop(changed).nlargest(MOST_COSTLY).index
    return ranked.drop(index=ranked.index.difference(changed.union(costly)))


def _by_fork(side: Sequence[ForkCosts], part: str) -> pd.DataFrame:
    """A column per fork; what a fork did not see cost it nothing."""
    columns: list[pd.Series[float]] = [getattr(costs, part) for costs in side]
    return pd.concat(columns, axis=1, ignore_index=True).fillna(0.0)


def _mean(side: Sequence[ForkCosts], part: str) -> pd.Series[float]:
    return _by_fork(side, part).mean(axis=1)


def _numbers(table: pd.DataFrame | pd.Series[float]) -> npt.NDArray[np.float64]:
    return np.asarray(table, dtype=np.float64)


def _largest(costs: pd.Series[float], frames: pd.Index[str], *, limit: int) -> dict[str, list[tuple[str, float]]]:
    """Frame -> its parts with the largest amounts, by their size without sign; `costs` is by (frame, part)."""
    wanted = costs[costs.index.get_level_values(0).isin(frames) & (costs != 0)]
    first = wanted.sort_values(key=abs, ascending=False, kind="stable").groupby(level=0).head(limit)
    found: dict[str, list[tuple[str, float]]] = {}
    for frame, part, cost in zip(*(first.index.get_level_values(level) for level in (0, 1)), first, strict=True):
        found.setdefault(str(frame), []).append((str(part), float(cost)))
    return found
