"""Drawings of rising load."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.model.experiment import Side
from pacecar.reporting.document.staircase_shapes import ClimbRow, StepRow
from pacecar.reporting.staircase_charts import BOTTOM, LEFT, RIGHT, TOP, charts

_Number = float | None


def _step(rate: _Number, latency_ms: _Number, answered: _Number = 10.0) -> StepRow:
    return StepRow(
        rate_per_s=rate,
        answered_per_s=answered,
        latency_ms=latency_ms,
        busy=None,
        machine_busy=None,
        counts=True,
        pools=(),
    )


def _climb(*steps: StepRow, within_ms: _Number = 60.0, capacity: _Number = 300.0) -> ClimbRow:
    return ClimbRow(
        pair=1, side=Side.BASELINE, within_ms=within_ms, capacity_per_s=capacity, at_least=False, steps=steps
    )


def test_higher_rates_stand_further_right_and_longer_latencies_higher() -> None:
    latency, answered = charts([_climb(_step(100, 5.0), _step(200, 10.0), _step(400, 80.0))])
    (line,) = latency.lines
    across, up = zip(*line.points, strict=True)
    assert across == tuple(sorted(across))
    assert up == tuple(sorted(up, reverse=True))
    assert across[1] - across[0] == pytest.approx(across[2] - across[1])  # by factors, not by differences
    assert (across[0], across[-1]) == pytest.approx((LEFT, RIGHT))
    assert up[-1] == pytest.approx(TOP)
    assert latency.limit is not None
    assert answered.limit is None
    (knee,) = latency.marks
    assert across[1] < knee.at < across[2]


def test_a_line_breaks_off_where_nobody_was_answered() -> None:
    latency, answered = charts([_climb(_step(100, 5.0), _step(200, None))])
    assert len(latency.lines[0].points) == 1
    assert len(answered.lines[0].points) == 2


def test_a_single_step_and_no_step_at_all_are_no_trouble() -> None:
    assert charts([]) == ()
    assert charts([_climb()]) == ()
    (latency, _) = charts([_climb(_step(100, 5.0), within_ms=None, capacity=None)])
    assert LEFT < latency.lines[0].points[0][0] < RIGHT
    assert latency.limit is None


@pytest.mark.hostile
@given(
    st.lists(
        st.builds(_step, *[st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))] * 3), max_size=6
    )
)
def test_any_numbers_stay_within_the_drawing(steps: list[StepRow]) -> None:
    for chart in charts([_climb(*steps, within_ms=1e300, capacity=-1.0)]):
        assert len(chart.across) <= 8
        assert len(chart.up) <= 8
        for x, y in (point for line in chart.lines for point in line.points):
            assert LEFT <= x <= RIGHT
            assert TOP <= y <= BOTTOM
            assert math.isfinite(x + y)
