"""By how much the capacity of two builds differs over pairs of forks, and what that says of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pacecar.analysis.stats.effect import Effect
from pacecar.analysis.stats.moderation import Prior, moderated
from pacecar.analysis.stats.pairs import paired_effect
from pacecar.model.capacity import Capacity
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side

#: Standard deviation that is assumed of a pair's change (log-ratio), and what that is worth.
_SCATTER = Prior(variance=0.05**2, degrees=3.0)
#: Level of a verdict on one metric alone, and the two-sided confidence whose lower end is a one-sided bound of 95 %.
_LEVEL, _BOUND = 0.005, 0.9


def change_of(pairs: Sequence[Mapping[Side, Capacity]]) -> Effect | None:
    """By how much the candidate's capacity differs (log-ratio), of the pairs in which both were found; None without.

    Moderated by a cautious assumption (see `stats.moderation`), for there are few pairs and no earlier runs.
    """
    changes = [
        math.log(pair[Side.CANDIDATE].rate_per_s / pair[Side.BASELINE].rate_per_s)
        for pair in pairs
        if not any(found.at_least for found in pair.values())
    ]
    return moderated(paired_effect(changes), _SCATTER) if changes else None


def verdict_of(change: Effect, *, budget: float) -> Verdict:
    """What a change of capacity says, where a loss of the fraction `budget` is tolerated.

    Regressed: the loss is beyond the budget, and too large for chance (one-sided, `_LEVEL`). Passed: a loss beyond the
    budget is ruled out (one-sided 95 %).
    """
    tolerated = -math.log1p(-budget)
    loss = change.reversed()
    if loss.mean >= tolerated and loss.p_above() < _LEVEL:
        return Verdict.REGRESSED
    low, _ = change.interval(_BOUND)
    if change.mean > 0 and change.p_above() < _LEVEL:
        return Verdict.IMPROVED
    return Verdict.PASSED if low > -tolerated else Verdict.INCONCLUSIVE
