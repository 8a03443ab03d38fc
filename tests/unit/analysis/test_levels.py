"""What each look at a run may spend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pacecar.analysis.stats.equivalence import LEVEL, equivalent
from pacecar.analysis.stats.looks import looks_of
from pacecar.analysis.stats.pairs import paired_effect
from pacecar.analysis.verdicts.rules import GATE, ONE_LOOK, levels_of


def test_a_single_look_spends_all() -> None:
    assert levels_of(4, most=None) == ONE_LOOK
    assert levels_of(4, most=None, comparisons=4).gate == GATE.level / 4


def test_looking_often_does_not_make_changes_of_the_budget_equal() -> None:
    """Drawn: how often a plan of twelve pairs, looked at seven times, says that a change of the budget is none."""
    random, margin, runs = np.random.default_rng(12), 0.1, 1_000
    drawn = random.normal(margin, 0.03, (runs, 12)).tolist()

    def called_equal(level: Callable[[int], float]) -> int:
        return sum(
            any(equivalent(paired_effect(changes[:pairs]), margin=margin, level=level(pairs)) for pairs in looks_of(12))
            for changes in drawn
        )

    assert called_equal(lambda pairs: levels_of(pairs, most=12).equality) <= 0.065 * runs
    assert called_equal(lambda _: LEVEL) >= 0.1 * runs, "what it would be at the full level each time"
