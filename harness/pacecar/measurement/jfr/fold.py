"""Samples added up by window, in the columns that a recording keeps.

An event counts in the window its time falls into, start included, end not. Two kinds cover a stretch of time and are
divided among the windows it touches. A batch of wall samples of an idle thread is divided by the time of each sample:
async-profiler writes the time of the first as the start and that of the last as the end (`WallClock::timerLoop`), and
samples evenly. A wait for a lock is divided by time; it is one sample in the window it begins in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pacecar.measurement.jfr.chunk import Unreadable
from pacecar.measurement.jfr.events import Intervals
from pacecar.measurement.jfr.numbers import Column
from pacecar.measurement.jfr.reader import FlightRecording
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES, empty_table

_KEY = ["window", "event", "stack", "thread", "state", "label"]
_SUMS = ["samples", "weight"]
#: Rows from single chunks that wait to be added up. Bounds memory where chunks have little in common.
_ROWS = 50_000
#: Rows that are kept, one for each distinct stack, thread, state and label in every window: memory follows them. A busy
#: fork has some hundred thousand.
_KEPT = 1_000_000
#: Events whose times are kept: of some minutes, of a fork with a hundred threads. A recording grows by a megabyte or
#: two.
_MOMENTS = 500_000
#: What tells what a thread did at a time; a sampled allocation is as good at any other.
_TIMED = (ProfileKind.CPU, ProfileKind.WALL, ProfileKind.LOCK)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How good the profile is.

    Attributes:
        chunks: chunks read, damaged ones included.
        unreadable: what could not be read, with its place.
        samples: CPU samples inside windows.
        failed_stacks: those without a usable stack.
        truncated_stacks: those whose stack was cut at the depth limit.
        sampled_cpu_ns: CPU time they stand for.
        windows: the last four by window, as columns `window`, `samples`, `failed_stacks`, `truncated_stacks` and
            `sampled_cpu_ns`; a row for every window, with or without samples.
    """

    chunks: int
    unreadable: tuple[Unreadable, ...]
    samples: int
    failed_stacks: int
    truncated_stacks: int
    sampled_cpu_ns: float
    windows: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Folded:
    """Tables `samples`, `moments` and `stacks` of `tables.TABLES`, and how good they are."""

    samples: pd.DataFrame
    moments: pd.DataFrame
    stacks: pd.DataFrame
    counts: Counts


def fold(paths: Sequence[Path], windows: Sequence[Window], intervals: Intervals) -> Folded:
    """Add up the samples of one fork's chunks inside its windows.

    Args:
        paths: files of chunks in order of time.
        windows: of this fork; they do not overlap.
        intervals: what a sample stands for.

    Returns:
        Tables as kept. Memory follows the largest chunk and the number of distinct stacks. Nothing in the files
        raises: what cannot be read is in `Counts.unreadable`.
    """
    # What a fork did before its first window, warming up, is half of its chunks.
    begin = min((window.start_ns for window in windows), default=0)
    recording = FlightRecording(paths=paths, intervals=intervals, begin_ns=begin)
    sums, moments = _Sums(), _Moments()
    for table in recording.samples():
        start, end = table["time_ns"], table["time_ns"] + table["span_ns"]
        for window in windows:
            touching = (start < window.end_ns) & (end >= window.start_ns)
            if touching.any():
                inside = _inside(table[touching], window)
                sums.add(_added(inside))
                moments.add(inside)
        if sums.kept > _KEPT:
            reason = f"more than {_KEPT} distinct samples; the rest of the recording is left out"
            recording.remark(Unreadable(path=paths[-1], offset=0, reason=reason))
            break
    samples = sums.table()
    return Folded(
        samples=samples,
        moments=moments.table(),
        stacks=recording.stacks.table(),
        counts=_counts(recording, samples, windows),
    )


class _Sums:
    """Rows to be added up by their keys, which is done whenever there are many."""

    def __init__(self) -> None:
        self._parts = [empty_table("samples")]
        self._rows = 0
        #: Rows after they were last added up.
        self.kept = 0

    def add(self, part: pd.DataFrame) -> None:
        """Take in more rows."""
        if part.empty:
            return
        self._parts.append(part)
        self._rows += len(part)
        if self._rows > _ROWS:
            self._parts, self._rows = [self.table()], 0
            self.kept = len(self._parts[0])

    def table(self) -> pd.DataFrame:
        """All rows so far in the columns of a recording, one for each key, in the order of the keys."""
        # Categories differ from chunk to chunk, so the parts meet as plain text.
        rows = pd.concat([part.astype(TABLES["samples"]) for part in self._parts], ignore_index=True)
        added: pd.DataFrame = rows.groupby(_KEY, as_index=False, sort=True)[_SUMS].sum()
        return added.astype(TABLES["samples"])[list(TABLES["samples"])]


class _Moments:
    """Events with their times, the first `_MOMENTS`."""

    def __init__(self) -> None:
        self._parts = [empty_table("moments")]
        self._left = _MOMENTS

    def add(self, part: pd.DataFrame) -> None:
        """Take in more events, as `_inside` gives them."""
        timed = part[part["event"].isin(_TIMED)][: self._left]
        self._left -= len(timed)
        if len(timed):
            self._parts.append(timed[list(TABLES["moments"])])

    def table(self) -> pd.DataFrame:
        """All of them in the columns of a recording, in the order of their times."""
        columns = TABLES["moments"]
        rows = pd.concat([part.astype(columns) for part in self._parts], ignore_index=True)
        return rows.sort_values(["time_ns", "window"], kind="stable", ignore_index=True).astype(columns)


def _inside(part: pd.DataFrame, window: Window) -> pd.DataFrame:
    """What of these samples falls into one window."""
    start, span = part["time_ns"].to_numpy(), part["span_ns"].to_numpy()
    samples, weight = part["samples"].to_numpy(), part["weight"].to_numpy()
    ticks = _ticks_before(window.end_ns, start, span, samples) - _ticks_before(window.start_ns, start, span, samples)
    share = np.where(part["event"] == ProfileKind.LOCK, _overlap(window, start, span), ticks / samples)
    part = part.assign(window=window.index, samples=ticks, weight=weight * share)
    return part[share > 0]


def _added(part: pd.DataFrame) -> pd.DataFrame:
    added: pd.DataFrame = part.groupby(_KEY, as_index=False, sort=False, observed=True)[_SUMS].sum()
    return added


def _ticks_before(moment: int, start: Column, span: Column, samples: Column) -> Column:
    """How many of an event's evenly spaced samples, the first at its start and the last at its end, lie before."""
    step = span / np.maximum(samples - 1, 1)
    ahead = moment - start
    passed = np.where(step > 0, np.ceil(ahead / np.where(step > 0, step, 1.0)), np.where(ahead > 0, samples, 0))
    return np.clip(passed, 0, samples).astype(np.int64)


def _overlap(window: Window, start: Column, span: Column) -> NDArray[np.float64]:
    """The share of each span that lies in the window."""
    inside = np.minimum(start + span, window.end_ns) - np.maximum(start, window.start_ns)
    at_once = (start >= window.start_ns) & (start < window.end_ns)
    return np.where(span > 0, np.maximum(inside, 0) / np.maximum(span, 1), at_once.astype(np.float64))


def _counts(recording: FlightRecording, samples: pd.DataFrame, windows: Sequence[Window]) -> Counts:
    failed, truncated = recording.stacks.quality()
    cpu = samples[samples["event"] == ProfileKind.CPU]
    stack, count = cpu["stack"].to_numpy(), cpu["samples"].to_numpy()
    by_window = (
        pd.DataFrame(
            {
                "window": cpu["window"],
                "samples": count,
                "failed_stacks": count * failed[stack],
                "truncated_stacks": count * truncated[stack],
                "sampled_cpu_ns": cpu["weight"],
            }
        )
        .groupby("window")
        .sum()
        .reindex([window.index for window in windows], fill_value=0)
        .rename_axis("window")
    )
    total = by_window.sum()
    return Counts(
        chunks=recording.chunks,
        unreadable=tuple(recording.unreadable),
        samples=int(total["samples"]),
        failed_stacks=int(total["failed_stacks"]),
        truncated_stacks=int(total["truncated_stacks"]),
        sampled_cpu_ns=float(total["sampled_cpu_ns"]),
        windows=by_window.reset_index(),
    )
