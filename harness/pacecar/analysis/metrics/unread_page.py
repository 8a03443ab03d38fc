"""A metrics page that was asked for and never came."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.caution import Caution, CautionKind


def unread(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> list[Caution]:
    """A caution where of one side's pages, or of either's, not one could be read; none where nobody asked for any."""
    errors = {"baseline": _errors(baseline), "candidate": _errors(candidate)}
    never = [side for side, found in errors.items() if len(found) and found.astype(bool).all()]
    if not never:
        return []
    why = pd.concat([errors[side] for side in never]).value_counts().index[0]
    return [
        Caution.of(
            CautionKind.NO_PAGE,
            "No metrics page of {sides} could be read, so the metrics on it are not known. {why}",
            sides="either side" if len(never) > 1 else f"the {never[0]}",
            why=str(why).rstrip("."),
            remedy="Fetch that page from the service by hand to see why, or leave out target.metrics.",
        )
    ]


def _errors(forks: Sequence[MeasuredFork]) -> pd.Series[str]:
    return pd.concat([fork.inside("scrapes")["error"] for fork in forks]) if forks else pd.Series(dtype="str")
