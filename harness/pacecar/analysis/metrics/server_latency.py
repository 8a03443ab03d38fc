"""Quantiles of the latency that the service measured itself, or why there are none."""

from __future__ import annotations

from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.histograms import Buckets, bucket_quantile
from pacecar.analysis.stats.quantiles import refusal


def server_quantile(buckets: Buckets, quantile: float) -> Reading:
    """The quantile in ms of one endpoint's histogram; `buckets` is empty where the service publishes none."""
    if not buckets:
        return Missing(reason="the service publishes no latency histogram for it", absent=True)
    count = int(buckets[-1][1])
    if refused := refusal(count, quantile):
        return Missing(reason=refused)
    amount = bucket_quantile(buckets, quantile)
    if amount is None:
        widest = max((bound for bound, _ in buckets[:-1]), default=0.0)
        return Missing(reason=f"it lies beyond the last bucket of the service's histogram, {widest:g} ms")
    return Value(amount=amount, requests=count)
