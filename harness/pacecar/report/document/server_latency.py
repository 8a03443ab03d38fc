"""The percentile curve of the latency that the service measured itself."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pacecar.report.document.profile_shapes import POOLED_GRID
from pacecar.stats.histograms import bucket_quantile, histograms


def server_curve(series: Sequence[pd.DataFrame], *, endpoint: str) -> tuple[float | None, ...]:
    """Milliseconds at each percentile of `POOLED_GRID`, or nothing when the service keeps no such histogram.

    Args:
        series: the `series` tables of all forks of one side.
        endpoint: name of the endpoint; a histogram belongs to it when it reads "METHOD route".
    """
    # Windows are numbered per pair: those of different forks must not be taken for one.
    forks = [table.assign(window=f"{fork}/" + table["window"].astype(str)) for fork, table in enumerate(series)]
    buckets = histograms(pd.concat(forks)).get(endpoint) if forks else None
    return tuple(bucket_quantile(buckets, percentile / 100) for percentile in POOLED_GRID) if buckets else ()
