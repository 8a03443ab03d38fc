"""What each look at a run may spend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pacecar.analysis.stats.looks import Stage, looks_of
from pacecar.analysis.stats.multiplicity import holm
from pacecar.analysis.stats.noninferiority import LEVEL, bound_level, upper_bound
from pacecar.analysis.stats.pairs import paired_effect
from pacecar.analysis.verdicts.rules import LEVELS, single_level
from pacecar.model.comparison import Role


def test_a_single_look_spends_all() -> None:
    assert single_level(Role.GUARANTEED, tests=1, stage=Stage()) == LEVELS[Role.GUARANTEED]
    assert single_level(Role.GUARANTEED, tests=2, stage=Stage(), comparisons=4) == LEVELS[Role.GUARANTEED] / 8
    assert bound_level() == LEVEL


def test_a_metric_is_held_to_the_boundary_of_its_part_of_the_level() -> None:
    stage = Stage(pairs=4, most=8)
    part = single_level(Role.TRIPWIRE, tests=10, stage=stage)
    assert part == stage.nominal(LEVELS[Role.TRIPWIRE] / 10)
    assert part < stage.nominal(LEVELS[Role.TRIPWIRE]) / 10 * 1.01
    level = LEVELS[Role.TRIPWIRE]
    for p, rejected in ((0.99 * part, True), (1.01 * part, False)):
        adjusted = holm([p, *[0.5] * 9], level=level, nominal=stage.nominal)
        assert (adjusted[0] < level) is rejected


@pytest.mark.parametrize("metrics", [1, 6])
def test_all_looks_at_all_metrics_together_keep_the_level(metrics: int) -> None:
    """Drawn: z statistics of plans of eight pairs in which nothing changed; any rejection at any look."""
    random, runs, level = np.random.default_rng(metrics), 20_000, 0.05
    sums = np.cumsum(random.standard_normal((runs, metrics, 8)), axis=2)
    rejected = np.zeros(runs, dtype=bool)
    for pairs in looks_of(8):
        z = np.abs(sums[:, :, pairs - 1]).max(axis=1) / np.sqrt(pairs)
        nominal = Stage(pairs=pairs, most=8).nominal(level / metrics)
        rejected |= z > -_quantile(nominal / 2)
    assert rejected.mean() == pytest.approx(level, abs=0.005)


def _quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))


def test_looking_often_does_not_let_changes_pass_that_are_as_large_as_what_is_ruled_out() -> None:
    """Drawn: how often a plan of eight pairs, looked at five times, rules out the very change that there is."""
    random, truth, runs = np.random.default_rng(12), 0.1, 1_000
    drawn = random.normal(truth, 0.03, (runs, 8)).tolist()

    def passed(level: Callable[[int], float]) -> int:
        return sum(
            any(upper_bound(paired_effect(changes[:pairs]), level=level(pairs)) <= truth for pairs in looks_of(8))
            for changes in drawn
        )

    assert passed(lambda pairs: bound_level(Stage(pairs=pairs, most=8))) <= 0.055 * runs
    assert passed(lambda _: LEVEL) >= 0.09 * runs, "what it would be at the full level each time"
