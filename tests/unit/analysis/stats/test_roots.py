"""Where a function crosses zero."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from pacecar.analysis.stats.roots import root


@given(st.floats(-300, 300), st.floats(0.01, 10), st.sampled_from([1, 3, 5]))
def test_a_known_root_is_found(at: float, steep: float, power: int) -> None:
    found = root(lambda x: steep * (x - at) ** power, -301.0, 302.0)
    assert found == pytest.approx(at, rel=1e-12, abs=1e-4 if power > 1 else 1e-12)


@given(st.floats(-5, 6).map(lambda digits: 10**digits))
def test_it_is_what_scipy_finds(value: float) -> None:
    def beyond(x: float) -> float:
        return float(special.polygamma(1, x)) - value

    assert root(beyond, 1e-4, 1e7) == pytest.approx(optimize.brentq(beyond, 1e-4, 1e7), rel=1e-9)


@given(st.floats(1e-12, 0.4))
def test_a_quantile_far_out_takes_few_steps(level: float) -> None:
    asked = []

    def beyond(x: float) -> float:
        asked.append(x)
        return float(special.ndtr(-x)) - level

    assert root(beyond, 0.0, 40.0) == pytest.approx(-float(special.ndtri(level)), rel=1e-9)
    assert len(asked) < 60


def test_an_end_may_be_the_root() -> None:
    assert root(lambda x: x, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 1, 0.0, 1.0) == 1.0


def test_a_step_is_enclosed() -> None:
    assert root(lambda x: -1.0 if x < math.pi else 1.0, 0.0, 10.0) == pytest.approx(math.pi, rel=1e-15)


def test_the_same_sign_at_both_ends_is_refused() -> None:
    with pytest.raises(ValueError, match="same sign"):
        root(lambda x: x * x + 1, -1.0, 1.0)
