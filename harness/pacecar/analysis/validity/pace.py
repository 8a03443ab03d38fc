"""Whether the machine ran equally fast beside both builds, by a loop of fixed work that was timed beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.pace import log_pace
from pacecar.model.caution import Caution, CautionKind, Figure
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: By how much the loop's time may differ between the sides of a pair without a word, as a fraction.
UNEVEN = 0.05


def uneven_pace(pairs: Sequence[Pair], verdict: Verdict) -> list[Caution]:
    """That an undecided comparison may owe its scatter to the machine, which was faster beside one of the builds."""
    if verdict is not Verdict.INCONCLUSIVE:
        return []
    apart = [abs(ratio) for ratio in map(_log_ratio, pairs) if not math.isnan(ratio)]
    share = math.expm1(max(apart, default=0.0))
    if share <= UNEVEN:
        return []
    return [
        Caution.of(
            CautionKind.UNEVEN_PACE,
            "The same work took up to {share} more CPU time in the windows of one build than in those of the other, "
            "whatever ran there: others may use the same physical cores",
            share=Figure.percent(share),
            remedy="More pairs even this out: plan.pairs.",
        )
    ]


def _log_ratio(pair: Pair) -> float:
    before, after = (log_pace(MeasuredFork.of(pair, side)) for side in (Side.BASELINE, Side.CANDIDATE))
    return after - before
