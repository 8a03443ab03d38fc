from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.analysis.stats.histograms import bucket_quantile
from pacecar.model.experiment import Side
from pacecar.model.tables import TABLES, empty_table
from pacecar.reporting.document.curves import latency_curves, quantiles
from pacecar.reporting.document.profile_shapes import POOLED_GRID, WINDOW_GRID
from pacecar.reporting.document.server_latency import server_curves
from pacecar.reporting.document.timeline import timelines
from support.documents import Run
from support.recordings import pair


def test_the_endpoint_of_interest_comes_first_and_the_busiest_after_it(example: Run) -> None:
    busiest, *others = (each.endpoint for each in latency_curves(example.pairs)[0])
    last = others[-1]
    told = [each.endpoint for each in latency_curves(example.pairs, first=["GET /nowhere", last, last])[0]]
    assert told == [last, busiest, *others[:-1]]


def test_curves_pool_the_windows_of_pairs_that_took_part(example: Run) -> None:
    curves, omitted = latency_curves([pair for pair in example.pairs if pair.record.number != 3])

    orders = next(each for each in curves if each.endpoint == "GET /orders")
    baseline = next(side for side in orders.sides if side.side is Side.BASELINE)
    recorded = pd.concat(
        each.forks[Side.BASELINE].tables["requests"] for each in example.pairs if each.record.number != 3
    )
    wanted = recorded[(recorded["endpoint"] == "GET /orders") & recorded["ok"]]["latency_ms"]
    assert omitted == 0
    assert baseline.requests == len(wanted)
    assert baseline.pooled[POOLED_GRID.index(50.0)] == pytest.approx(float(wanted.median()))
    assert {window.pair for window in baseline.windows} == {1, 2, 4, 5, 6}
    assert len(baseline.windows) == 5 * 4


def test_a_percentile_needs_a_request_beyond_it() -> None:
    latencies = np.linspace(1.0, 100.0, 300)

    values = dict(zip(POOLED_GRID, quantiles(latencies, POOLED_GRID), strict=True))

    assert values[99.5] is not None
    assert values[99.9] is None
    assert quantiles(np.empty(0), WINDOW_GRID) == (None,) * len(WINDOW_GRID)


def test_window_percentiles_are_pooled_percentiles_too() -> None:
    assert set(WINDOW_GRID) <= set(POOLED_GRID)


def test_the_services_own_histogram_gives_its_curve(example: Run) -> None:
    tables = [each.forks[Side.BASELINE].tables["series"] for each in example.pairs]

    curve = dict(zip(POOLED_GRID, server_curves(tables)["GET /orders"], strict=True))

    assert curve[40.0] == pytest.approx(5.0)
    assert curve[85.0] == pytest.approx(10.0)
    assert curve[99.0] == pytest.approx(25.0)
    assert curve[99.5] is None
    assert "GET /search" not in server_curves(tables)
    assert server_curves([empty_table("series")]) == server_curves([]) == {}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["+Inf", "0.1", "0.2", "NaN", "-1", "1e400"]) | st.text(max_size=40),
            st.floats(),
            st.sampled_from(["start", "end"]),
        ),
        max_size=8,
    )
)
def test_no_series_a_service_may_publish_breaks_the_reader(rows: list[tuple[str, float, str]]) -> None:
    table = pd.DataFrame(
        [
            {
                "window": 0,
                "edge": edge,
                "name": "http_server_requests_seconds_bucket",
                "labels": f'le="{text}"',
                "value": value,
            }
            for text, value, edge in rows
        ],
        columns=list(TABLES["series"]),
    )

    curves = server_curves([table])

    assert all(value is None or math.isfinite(value) for curve in curves.values() for value in curve)


def test_bucket_quantiles_are_linear_within_a_bucket() -> None:
    buckets = [(10.0, 50.0), (20.0, 100.0), (math.inf, 100.0)]

    assert bucket_quantile(buckets, 0.25) == pytest.approx(5.0)
    assert bucket_quantile(buckets, 0.75) == pytest.approx(15.0)


def test_timelines_count_pauses_inside_the_sides_own_windows(example: Run) -> None:
    timeline = timelines(example.pairs)[0]

    assert [span.side for span in timeline.windows[:4]] == [
        Side.BASELINE,
        Side.CANDIDATE,
        Side.CANDIDATE,
        Side.BASELINE,
    ]
    assert (timeline.windows[0].start_s, timeline.windows[0].end_s) == (0.0, 5.0)
    target = next(each for each in timeline.totals if each.side is Side.BASELINE and each.process == "target")
    assert target.count == 8
    assert target.share == pytest.approx(target.total_ms / 20_000)


def test_a_pause_between_windows_or_of_no_length_known_is_left_out() -> None:
    one = pair(1)
    fork = one.forks[Side.BASELINE]
    between_ns = one.record.windows[0].end_ns + 1
    pauses = pd.DataFrame(
        {
            "process": ["target", "target"],
            "start_ns": [between_ns, one.record.windows[0].start_ns],
            "duration_ms": [3.0, math.inf],
            "kind": ["Young", "Young"],
        }
    )
    quiet = replace(fork, tables={**fork.tables, "pauses": pauses})

    timeline = timelines([replace(one, forks={Side.BASELINE: quiet})])[0]

    assert timeline.pauses == ()
    assert timeline.totals == ()
