"""Against a stored baseline."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pacecar.analysis.stats.unpaired import MACHINE_DRIFT, predicted_effect, welch_effect

BASELINE = [0.00, 0.04, -0.03, 0.02]
CANDIDATE = [0.21, 0.15, 0.19]


def test_without_drift_it_is_welchs_test() -> None:
    effect = welch_effect(BASELINE, CANDIDATE, drift=0.0)
    expected = stats.ttest_ind(CANDIDATE, BASELINE, equal_var=False)
    assert effect.p_value() == pytest.approx(expected.pvalue)
    assert effect.interval() == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_drift_adds_in_quadrature() -> None:
    without, widened = (welch_effect(BASELINE, CANDIDATE, drift=drift) for drift in (0.0, MACHINE_DRIFT))
    assert widened.standard_error == pytest.approx(math.hypot(without.standard_error, MACHINE_DRIFT))
    assert widened.mean == without.mean
    low, high = widened.interval()
    assert low < 0 < high, "19 % more is within what another day may do"


def test_more_forks_do_not_beat_the_drift() -> None:
    effect = welch_effect(BASELINE * 50, [0.02] * 50, drift=MACHINE_DRIFT)
    low, high = effect.interval()
    assert high - low >= 2 * 1.95 * MACHINE_DRIFT


def test_identical_values_do_not_count_as_certainty() -> None:
    assert welch_effect([1.0, 1.0], [1.0, 1.0], drift=0.0).p_value() == 1.0
    assert not welch_effect([1.0], [1.2, 1.2], drift=0.0).certain


def test_prediction_interval_holds_the_next_recording_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    draws = rng.normal(0, 0.1, (2000, 7))
    inside = 0
    for *recordings, following in draws:
        low, high = predicted_effect([[each] for each in recordings], [following]).interval()
        inside += low <= 0 <= high
    assert 0.93 < inside / len(draws) < 0.97


@pytest.mark.parametrize("forks", [1, 3, 8, 12])
def test_a_candidate_of_fewer_forks_scatters_more(forks: int) -> None:
    rng = np.random.default_rng(12)
    inside, draws = 0, 2000
    for _ in range(draws):
        days = rng.normal(0, 0.02, 7)
        recordings = [(day + rng.normal(0, 0.1, 8)).tolist() for day in days[:6]]
        low, high = predicted_effect(recordings, (days[6] + rng.normal(0, 0.1, forks)).tolist()).interval()
        inside += low <= 0 <= high
    # With more forks than they had it scatters less, and the interval is wider than it need be.
    assert 0.93 < inside / draws < (0.97 if forks <= 8 else 0.98)


def test_the_change_is_against_the_recording_compared_with() -> None:
    others = [[1.0, 1.1], [1.1, 1.0], [1.05, 1.05], [1.0, 1.2]]
    found = predicted_effect([[0.5, 0.7], *others], [0.9, 0.9])
    assert found.mean == pytest.approx(0.3)
