"""What cumulative counters grew by between the edges of windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Growths:
    """Counters of one table at the edges of windows.

    Attributes:
        start, end: a row for each window whose start, or end, was read.
        windows: (n,) indices of those of which both were, in order.
    """

    start: pd.DataFrame
    end: pd.DataFrame
    windows: npt.NDArray[Any]
    _at_start: _Places
    _at_end: _Places

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Self:
        """Read rows with the columns `window` and `edge`. Of what was read twice, the last known value counts."""
        start, end = (_last_by_window(rows[rows["edge"].to_numpy() == edge]) for edge in ("start", "end"))
        windows, at_start, at_end = np.intersect1d(start["window"], end["window"], return_indices=True)
        return cls(start=start, end=end, windows=windows, _at_start=at_start, _at_end=at_end)

    def of_column(self, column: str) -> pd.Series[float]:
        """By how much it grew, by window; without windows in which it is not known, or fell because it was reset."""
        grown = self.end[column].to_numpy()[self._at_end] - self.start[column].to_numpy()[self._at_start]
        kept = grown >= 0
        return pd.Series(grown[kept], index=pd.Index(self.windows[kept], name="window"), name=column)


def _last_by_window(rows: pd.DataFrame) -> pd.DataFrame:
    if len(np.unique(rows["window"].to_numpy())) == len(rows):
        return rows
    return rows.groupby("window", as_index=False).last()
