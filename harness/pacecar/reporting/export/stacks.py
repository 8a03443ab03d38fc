"""The stacks of one side of a run, added up over its forks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.entries import is_bare
from pacecar.analysis.profiles.stacks import entry_names
from pacecar.analysis.validity.pairs import sift
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Pair
from pacecar.model.thread_pools import pool_of
from pacecar.reporting.export import ExportError


@dataclass(frozen=True, kw_only=True)
class StackSums:
    """Samples of one kind.

    Attributes:
        event: kind of profile.
        rows: columns `frames` (from the entry point to the leaf, joined by newlines), `pool`, `endpoint`, `state`,
            `samples`, `weight` (ns, for alloc bytes).
        measured_s: length of all windows together.
        requests: answered or failed in them.
    """

    event: ProfileKind
    rows: pd.DataFrame
    measured_s: float
    requests: int


def stack_sums(pairs: Sequence[Pair], *, side: Side, event: ProfileKind, application: Sequence[str]) -> StackSums:
    """Add up one side's samples inside the windows of all pairs that take part.

    Raises:
        ExportError: when there is no such sample.
    """
    forks = [MeasuredFork.of(pair, side) for pair in sift(pairs, sides=(side,)).taking_part if side in pair.forks]
    parts = [_rows(fork, event) for fork in forks]
    rows = pd.concat([part for part in parts if not part.empty] or [pd.DataFrame()], ignore_index=True)
    if rows.empty:
        raise ExportError(
            f"The run holds no {event} samples of the {side.value}.", hint="See what it holds: pacecar report RUN"
        )
    which, texts = pd.factorize(rows["frames"])
    entries = pd.Series(entry_names(texts.tolist(), application=application), dtype="str").take(which)
    rows["endpoint"] = np.where(is_bare(rows["label"].tolist()), entries, rows["label"])
    sums = rows.groupby(["frames", "pool", "endpoint", "state"], as_index=False, sort=True)[["samples", "weight"]].sum()
    return StackSums(
        event=event,
        rows=sums,
        measured_s=sum(window.seconds for fork in forks for window in fork.windows),
        requests=sum(len(fork.requests) for fork in forks),
    )


def _rows(fork: MeasuredFork, event: ProfileKind) -> pd.DataFrame:
    samples = fork.stacks_of(event)
    return pd.DataFrame(
        {
            "frames": samples["frames"],
            "pool": samples["thread"].astype(str).map(pool_of),
            "label": samples["label"].astype(str),
            "state": samples["state"].astype(str),
            "samples": samples["samples"],
            "weight": samples["weight"],
        }
    )
