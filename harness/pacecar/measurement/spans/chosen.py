"""Which requests are worth a look one by one: the slowest of each endpoint, and some that took as long as most do."""

from __future__ import annotations

import pandas as pd

#: Of each endpoint and fork, slow ones and usual ones: each may turn out to lie in a pair that is left out.
_EACH = 3
#: Endpoints of a fork: those with the most requests.
_ENDPOINTS = 40


def chosen(arrivals: pd.DataFrame) -> pd.Index[float]:
    """Numbers of the requests to keep spans of.

    Args:
        arrivals: of one fork, in the columns of `TABLES["arrivals"]`; those without a number are passed over.
    """
    known = arrivals[arrivals["number"].notna() & arrivals["took_ms"].notna()]
    busiest = known["endpoint"].value_counts().index[:_ENDPOINTS]
    parts = [_of_endpoint(rows) for endpoint, rows in known.groupby("endpoint") if endpoint in busiest]
    return pd.Index(pd.concat(parts)["number"].unique() if parts else [], dtype="float64")


def _of_endpoint(rows: pd.DataFrame) -> pd.DataFrame:
    from_median = (rows["took_ms"] - rows["took_ms"].median()).abs()
    return pd.concat([rows.nlargest(_EACH, "took_ms"), rows.loc[from_median.nsmallest(_EACH).index]])
