"""The percentile curve of the latency that the service measured itself."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pacecar.analysis.stats.histograms import bucket_quantile, histograms
from pacecar.reporting.document.profile_shapes import POOLED_GRID


def server_curves(series: Sequence[pd.DataFrame]) -> dict[str, tuple[float | None, ...]]:
    """Endpoint -> milliseconds at each percentile of `POOLED_GRID`; empty when the service keeps no such histogram.

    Args:
        series: the `series` tables of all forks of one side. A histogram belongs to an endpoint whose name reads
            "METHOD route".
    """
    # Windows are numbered per pair: those of different forks must not be taken for one.
    forks = [table.assign(window=f"{fork}/" + table["window"].astype(str)) for fork, table in enumerate(series)]
    found = histograms(pd.concat(forks)) if forks else {}
    return {
        endpoint: tuple(bucket_quantile(buckets, percentile / 100) for percentile in POOLED_GRID)
        for endpoint, buckets in found.items()
    }
