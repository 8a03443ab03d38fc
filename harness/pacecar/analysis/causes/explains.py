"""What of a judgement kinds of causes go by."""

from __future__ import annotations

from collections.abc import Callable

from pacecar.analysis.metrics.reading import ALL
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Judgement, Verdict
from pacecar.model.profiles import ProfileKind

_LATENCIES = ("latency.", "server.latency.")
#: What the time of requests is told in: parts add up to a mean, not to a quantile.
MEAN_LATENCY = "latency.mean"


def is_time_of_requests(judgement: Judgement) -> bool:
    """Whether the judgement is about how long requests take."""
    return judgement.metric.name.startswith(_LATENCIES)


def takes_cpu_time(judgement: Judgement) -> bool:
    """Whether the judgement is about how long requests take, or what CPU time they need."""
    known = METRICS.get(judgement.metric.name)
    return is_time_of_requests(judgement) or (known is not None and known.profile is ProfileKind.CPU)


def one_of(*names: str) -> Callable[[Judgement], bool]:
    """Whether the judgement is about one of these metrics."""
    return lambda judgement: judgement.metric.name in names


def of_the_whole(*names: str) -> Callable[[Judgement], bool]:
    """Whether it is about one of these metrics of the whole service: to what explains them, requests are all alike."""
    return lambda judgement: judgement.metric.name in names and judgement.metric.endpoint == ALL


def is_worse(judgement: Judgement) -> bool:
    """Whether it got worse."""
    return judgement.verdict is Verdict.REGRESSED
