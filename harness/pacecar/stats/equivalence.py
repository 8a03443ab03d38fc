"""Showing that nothing changed: two one-sided tests (TOST).

Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", J. Pharmacokinetics and Biopharmaceutics 15, 1987. A test that fails to
find a change is no evidence of its absence; two tests that both rule out a change as large as the budget are.
"""

from __future__ import annotations

from pacecar.stats.effect import Effect

#: Confidence of each of the two one-sided bounds.
ONE_SIDED = 0.95


def one_sided_bounds(effect: Effect) -> tuple[float, float]:
    """The lower and the upper bound, each with confidence `ONE_SIDED`: together a 90 % interval."""
    return effect.interval(2 * ONE_SIDED - 1)


def equivalent(effect: Effect, *, margin: float) -> bool:
    """Whether both one-sided bounds lie strictly inside (-margin, +margin)."""
    low, high = one_sided_bounds(effect)
    return -margin < low and high < margin
