"""Recordings of different days on one scale: by a fixed piece of work that was timed beside each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pacecar.analysis.metrics.reading import Reading, Value
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Metric, Scale
from pacecar.model.recording import Pair

_TIMES = ("ms", "s")

Readings = Mapping[Metric, Reading]


@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """What a day's speed is measured against: the mean time of the work beside the candidate's forks, in ns."""

    reference_ns: float

    def normalised(self, readings: Readings, pair: Pair) -> dict[Metric, Reading]:
        """The readings as they would be at the candidate's speed; counts stay as they are."""
        slower = pair.record.yardstick_ns / self.reference_ns
        return {metric: _divided(metric, reading, slower) for metric, reading in readings.items()}

    def remark(self, baseline: Sequence[Pair]) -> Caution:
        """What a reader should know: by how much the machine itself differed."""
        change = self.reference_ns / _mean_ns(baseline) - 1
        return Caution.of(
            CautionKind.ANOTHER_SPEED,
            "The machine took {share} {more} time for a fixed piece of work than when the baseline was recorded; "
            "figures that depend on its speed were normalized accordingly",
            share=f"{abs(change):.1%}",
            more="more" if change > 0 else "less",
            remedy="Measure both builds side by side where that matters.",
        )


def yardstick_of(*recordings: Sequence[Pair], candidate: Sequence[Pair]) -> Yardstick | None:
    """The yardstick of a comparison; None unless the work was timed beside every fork of every recording."""
    everything = [pair for recording in (*recordings, candidate) for pair in recording]
    if not everything or any(pair.record.yardstick_ns <= 0 for pair in everything):
        return None
    return Yardstick(reference_ns=_mean_ns(candidate))


def _mean_ns(pairs: Sequence[Pair]) -> float:
    return math.exp(math.fsum(math.log(pair.record.yardstick_ns) for pair in pairs) / len(pairs))


def _divided(metric: Metric, reading: Reading, factor: float) -> Reading:
    if not (metric.machine_bound and metric.scale is Scale.RATIO and isinstance(reading, Value)):
        return reading
    if metric.unit not in _TIMES or not metric.lower_is_better:  # a metric of the user's: not a time the work takes
        return reading
    return replace(reading, amount=reading.amount / factor)
