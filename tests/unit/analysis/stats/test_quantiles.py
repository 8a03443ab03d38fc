"""Quantiles inside the log's resolution, and those that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.stats.quantiles import blurred, grouped_quantile, refusal, requests_needed

MILLISECONDS = st.lists(st.integers(0, 500), min_size=1, max_size=400).map(lambda ms: np.array(ms, dtype=float))


def test_by_hand() -> None:
    # class 2 reaches from 1.5 to 2.5 and holds requests 3 to 6 of 10; the median is the 5th: (5 - 2) / 4 inside
    assert grouped_quantile(np.array([1, 1, 2, 2, 2, 2, 3, 3, 3, 4.0]), 0.5) == pytest.approx(1.5 + 3 / 4)


def test_nothing_takes_less_than_no_time() -> None:
    assert grouped_quantile(np.zeros(100), 0.5) == pytest.approx(0.25)


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
def test_recovers_what_rounding_hid(quantile: float) -> None:
    rng = np.random.default_rng(7)
    starts = rng.uniform(0, 1e6, 200_000)
    latencies = rng.lognormal(np.log(3.0), 0.4, 200_000)
    logged = np.floor(starts + latencies) - np.floor(starts)  # as the log has it: both ends cut to whole ms
    assert grouped_quantile(logged, quantile) == pytest.approx(np.quantile(latencies, quantile), abs=0.15)


def test_sees_a_change_that_the_plain_median_does_not() -> None:
    before, after = np.repeat([2.0, 3.0], [700, 300]), np.repeat([2.0, 3.0], [600, 400])
    assert np.median(before) == np.median(after)
    assert grouped_quantile(after, 0.5) > grouped_quantile(before, 0.5) + 0.1


@given(MILLISECONDS, st.floats(0.01, 0.99))
def test_is_within_half_a_millisecond_of_a_sample_quantile(values: np.ndarray, quantile: float) -> None:
    plain = np.quantile(values, quantile, method="inverted_cdf")
    assert abs(grouped_quantile(values, quantile) - plain) <= 0.5 + 1e-9


@given(MILLISECONDS, st.floats(0.01, 0.98))
def test_rises_with_the_quantile(values: np.ndarray, quantile: float) -> None:
    assert grouped_quantile(values, quantile) <= grouped_quantile(values, quantile + 0.01) + 1e-9


@pytest.mark.parametrize(("quantile", "needed"), [(0.5, 50), (0.9, 100), (0.95, 200), (0.99, 1_000), (0.999, 10_000)])
def test_requests_needed(quantile: float, needed: int) -> None:
    assert requests_needed(quantile) == needed
    assert refusal(needed, quantile) is None
    assert refusal(needed - 1, quantile) is not None


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("median_ms", [0.15, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 6.0])
def test_what_is_not_blurred_shows_a_change_as_it_is(quantile: float, median_ms: float) -> None:
    rng = np.random.default_rng(8)
    shown = []
    for each in (median_ms, 1.2 * median_ms):
        starts, latencies = rng.uniform(0, 1e6, 400_000), rng.lognormal(np.log(each), 0.5, 400_000)
        shown.append(grouped_quantile(np.floor(starts + latencies) - np.floor(starts), quantile))
    if not blurred(min(shown), quantile, resolution=1.0):
        assert 1.13 < shown[1] / shown[0] < 1.24
    elif quantile == 0.99 and median_ms < 0.5:  # what blurred ones are told for
        assert shown[1] / shown[0] < 1.05


def test_a_finer_clock_blurs_less() -> None:
    assert blurred(2.9, 0.99, resolution=1.0)
    assert not blurred(2.9, 0.99, resolution=0.001)
    assert not blurred(2.9, 0.5, resolution=1.0)


def test_a_refusal_says_what_is_lacking() -> None:
    assert refusal(812, 0.99) == "p99 needs 1,000 requests per side and pair, and there were 812"
