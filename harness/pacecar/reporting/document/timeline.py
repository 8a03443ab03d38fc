"""What happened when in each pair: windows, and the stop-the-world pauses that fell into them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, Window
from pacecar.reporting.document.profile_shapes import PairTimeline, Pause, PauseTotal, Span
from pacecar.reporting.document.tidy import cut

_WINDOWS = 200
_PAUSES = 400


def timelines(pairs: Sequence[Pair]) -> tuple[PairTimeline, ...]:
    """One timeline per pair that has windows, in the order given."""
    return tuple(_timeline(pair) for pair in pairs if pair.record.windows)


def _timeline(pair: Pair) -> PairTimeline:
    began_ns = min(window.start_ns for window in pair.record.windows)
    pauses: list[Pause] = []
    totals: list[PauseTotal] = []
    for side, fork in pair.forks.items():
        windows = [window for window in pair.record.windows if window.side is side]
        inside = _inside(fork.tables["pauses"], windows)
        pauses += [
            Pause(
                side=side,
                process=str(row["process"]),
                start_s=(row["start_ns"] - began_ns) / 1e9,
                duration_ms=row["duration_ms"],
                kind=str(row["kind"]),
            )
            for row in inside.to_dict("records")
        ]
        totals += _totals(inside, side=side, windows=windows)
    # The longest pauses are those worth seeing when not all fit.
    kept, omitted = cut(sorted(pauses, key=lambda pause: -pause.duration_ms), limit=_PAUSES)
    return PairTimeline(
        pair=pair.record.number,
        windows=tuple(
            Span(side=window.side, start_s=(window.start_ns - began_ns) / 1e9, end_s=(window.end_ns - began_ns) / 1e9)
            for window in pair.record.windows[:_WINDOWS]
        ),
        pauses=tuple(sorted(kept, key=lambda pause: pause.start_s)),
        totals=tuple(totals),
        omitted_pauses=omitted,
    )


def _inside(pauses: pd.DataFrame, windows: Sequence[Window]) -> pd.DataFrame:
    starts = pauses["start_ns"]
    ends = starts + pauses["duration_ms"] * 1e6
    overlaps = pd.Series(False, index=pauses.index)
    for window in windows:
        overlaps |= (starts < window.end_ns) & (ends > window.start_ns)
    inside: pd.DataFrame = pauses[overlaps & np.isfinite(pauses["duration_ms"])]
    return inside


def _totals(pauses: pd.DataFrame, *, side: Side, windows: Sequence[Window]) -> list[PauseTotal]:
    measured_ms = 1000 * sum(window.seconds for window in windows)
    return [
        PauseTotal(
            side=side,
            process=str(process),
            count=len(durations),
            total_ms=float(durations.sum()),
            longest_ms=float(durations.max()),
            share=float(durations.sum()) / measured_ms if measured_ms > 0 else None,
        )
        for process, durations in pauses.groupby("process")["duration_ms"]
    ]
