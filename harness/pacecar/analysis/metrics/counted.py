"""How metrics are read from a fork of the quick tier, whose windows are all blocks of one endpoint each (`blocks`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pacecar.analysis.metrics import blocks
from pacecar.analysis.metrics.blocks import Reader
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import READERS, gc_count, kinds, read_by
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.model.comparison import Metric
from pacecar.model.tiers import Tier


def in_mix(fork: MeasuredFork, weights: Mapping[str, float]) -> MeasuredFork:
    """The fork with endpoints weighted as users ask them, and not as blocks do; equally where that is not known."""
    asked = {window.endpoint for window in fork.windows if window.endpoint is not None}
    known = {endpoint: weight for endpoint, weight in weights.items() if endpoint in asked}
    mix = known if len(known) == len(asked) else dict.fromkeys(sorted(asked), 1.0)
    total = sum(mix.values())
    return replace(fork, mix={endpoint: weight / total for endpoint, weight in mix.items()})


def asked_endpoints(forks: Sequence[MeasuredFork]) -> tuple[str, ...]:
    """All endpoints that were asked, those of the largest weight first."""
    weights = {endpoint: weight for fork in forks for endpoint, weight in fork.mix.items()}
    return tuple(sorted(weights, key=lambda endpoint: (-weights[endpoint], endpoint)))


def _level(column: str) -> Reader:
    """What was there at the last edge: a pool has its threads by then, and classes are loaded."""

    def read(fork: MeasuredFork, _: str) -> Reading:
        rows = fork.inside("counters").dropna(subset=column).sort_values("time_ns")
        if rows.empty:
            return Missing(reason=f"the counter {column} was never read", absent=True)
        return Value(amount=float(rows[column].iloc[-1]), requests=len(fork.requests), step=1.0)

    return read


def _artifact_size(fork: MeasuredFork, _: str) -> Reading:
    size = fork.data.record.artifact_bytes
    if size is None:
        return Missing(reason="the artifact is an image", absent=True)
    return Value(amount=float(size), requests=len(fork.requests))


#: Name -> how it is read from a fork of the quick tier, as `readers.READERS`.
COUNTED: Mapping[str, Reader] = {
    **READERS,
    "allocation": blocks.allocation,
    "io.reads": blocks.counter("reads"),
    "io.writes": blocks.counter("writes"),
    "io.read": blocks.counter("read_bytes"),
    "io.written": blocks.counter("written_bytes"),
    "gc.count": gc_count,
    "threads": _level("threads"),
    "classes": _level("classes"),
    "artifact.size": _artifact_size,
}


def counted(fork: MeasuredFork, endpoints: Sequence[str]) -> dict[Metric, Reading]:
    """Every metric of the quick tier on one fork: of the whole service, and of each of `endpoints`."""
    return read_by(COUNTED, fork, endpoints, kinds((), Tier.QUICK))
