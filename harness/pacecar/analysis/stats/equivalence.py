"""Showing that nothing changed: two one-sided tests (TOST).

Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", J. Pharmacokinetics and Biopharmaceutics 15, 1987. A test that fails to
find a change is no evidence of its absence; two tests that both rule out a change as large as the budget are.
"""

from __future__ import annotations

from pacecar.analysis.stats.effect import Effect

#: Level of each of the two one-sided tests, over all looks at them.
LEVEL = 0.05


def one_sided_bounds(effect: Effect, *, level: float = LEVEL) -> tuple[float, float]:
    """The lower and the upper bound, each with confidence 1 - `level`: together an interval of 1 - 2 `level`."""
    return effect.interval(1 - 2 * level)


def equivalent(effect: Effect, *, margin: float, level: float = LEVEL) -> bool:
    """Whether both one-sided bounds lie strictly inside (-margin, +margin)."""
    low, high = one_sided_bounds(effect, level=level)
    return -margin < low and high < margin
