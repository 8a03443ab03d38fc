"""What counters of a metrics page grew by between the edges of windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import pandas as pd

_EDGES = ["start", "end"]


@dataclass(frozen=True, kw_only=True)
class PageCounters:
    """The counters of one fork's pages, over all their labels.

    Attributes:
        sums: of each name, edge and window, in columns `start` and `end`; NaN where a page lacks the name.
        windows: those whose page was read at both edges, in order.
    """

    sums: pd.DataFrame
    windows: list[int]

    @classmethod
    def of(cls, series: pd.DataFrame, scrapes: pd.DataFrame) -> Self:
        """Read scraped samples, and which scrapes went well, as in `tables.TABLES`."""
        sums = series.groupby(["name", "window", "edge"])["value"].sum().unstack("edge").reindex(columns=_EDGES)
        good = scrapes[scrapes["error"].fillna("") == ""]
        at_start, at_end = (set(good[good["edge"] == edge]["window"]) for edge in _EDGES)
        return cls(sums=sums, windows=sorted(at_start & at_end))

    def growth(self, groups: Sequence[Sequence[str]]) -> pd.Series[float] | None:
        """By how much these counters grew in each window, added up; None where no page has any of them.

        A series that is not there at the start of a window is made by its requests, and was zero.

        Args:
            groups: of each the first that a page has, since the others count the same.
        """
        present = self.sums.index.unique("name")
        named = [name for group in groups if (name := next((each for each in group if each in present), None))]
        if not named:
            return None
        total = self.sums.loc[named].groupby(level="window").sum().reindex(self.windows, fill_value=0.0)
        grown: pd.Series[float] = total["end"] - total["start"]
        return grown[grown >= 0]
