"""The profiles of single windows: what a profile store keeps, with a time of its own for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Pair, Window
from pacecar.reporting.export.pprof import pprof
from pacecar.reporting.export.stacks import StackSums

#: Endpoints of a window that keep their names, busiest first. A span's name may hold an id, and each name is a series.
_ENDPOINTS = 40
_OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class WindowProfile:
    """One kind of profile of one window.

    Attributes:
        window: when it was taken, on which side.
        event: which kind.
        weight: sum over its samples: ns, for alloc bytes.
        content: pprof, gzipped, with the weights only; what spans told of endpoints is a label of the samples.
    """

    window: Window
    event: ProfileKind
    weight: float
    content: bytes


def window_profiles(pair: Pair) -> Iterator[tuple[Window, tuple[WindowProfile, ...]]]:
    """Each window of a pair that holds samples, with its profiles, in order of time."""
    forks = {side: MeasuredFork.of(pair, side) for side in pair.forks}
    stacks = {side: {event: fork.stacks_of(event) for event in ProfileKind} for side, fork in forks.items()}
    for window in sorted(pair.record.windows, key=lambda window: window.start_ns):
        if window.side not in stacks:
            continue
        parts = {event: rows[rows["window"] == window.index] for event, rows in stacks[window.side].items()}
        profiles = tuple(_profile(window, event, rows) for event, rows in parts.items() if not rows.empty)
        if profiles:
            yield window, profiles


def _profile(window: Window, event: ProfileKind, samples: pd.DataFrame) -> WindowProfile:
    # Pool and state are left out: each of their values would be a series more, in every window.
    rows = pd.DataFrame(
        {
            "frames": samples["frames"],
            "pool": "",
            "endpoint": _few(samples),
            "state": "",
            "samples": samples["samples"],
            "weight": samples["weight"],
        }
    )
    sums = rows.groupby(["frames", "pool", "endpoint", "state"], as_index=False, sort=True)[["samples", "weight"]].sum()
    whole = StackSums(event=event, rows=sums, measured_s=window.seconds, requests=0)
    return WindowProfile(
        window=window,
        event=event,
        weight=float(samples["weight"].sum()),
        content=pprof(whole, time_ns=window.start_ns, counts=False),
    )


def _few(samples: pd.DataFrame) -> pd.Series[str]:
    labels = samples["label"].astype(str)
    weights = samples["weight"].groupby(labels).sum().sort_values(ascending=False)
    kept = {"", *weights.index[: _ENDPOINTS + 1]}
    return labels.where(labels.isin(kept), _OTHER)
