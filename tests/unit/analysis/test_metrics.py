"""What is measured on one fork."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.metrics.endpoints import endpoints_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.model.comparison import Metric
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, ProfileQuality
from pacecar.model.tables import TABLES

SECOND = 1_000_000_000


def _read(fork: MeasuredFork, name: str, endpoint: str = "") -> Reading:
    found = readings(fork, endpoints_of([fork], []))
    return next(reading for metric, reading in found.items() if (metric.name, metric.endpoint) == (name, endpoint))


def _amount(fork: MeasuredFork, name: str, endpoint: str = "") -> float:
    reading = _read(fork, name, endpoint)
    assert isinstance(reading, Value), reading
    return reading.amount


def _reason(fork: MeasuredFork, name: str, endpoint: str = "") -> str:
    reading = _read(fork, name, endpoint)
    assert isinstance(reading, Missing), reading
    return reading.reason


def _with_table(pair: Pair, name: str, table: pd.DataFrame) -> MeasuredFork:
    data = pair.forks[Side.CANDIDATE]
    changed = replace(data, tables={**data.tables, name: table.astype(TABLES[name])})
    return MeasuredFork.of(replace(pair, forks={**pair.forks, Side.CANDIDATE: changed}), Side.CANDIDATE)


@pytest.fixture
def quiet(make_pair, truth, noise) -> Pair:
    """A pair whose counters carry no noise at all."""
    return make_pair(candidate=truth(cpu_ms=1.25, allocated_bytes=4096), noise=noise(latency=0, cpu=0, allocation=0))


@pytest.fixture
def fork(quiet: Pair) -> MeasuredFork:
    return MeasuredFork.of(quiet, Side.CANDIDATE)


def test_counters_become_costs_per_request(fork: MeasuredFork) -> None:
    assert _amount(fork, "cpu") == pytest.approx(1.25)
    assert _amount(fork, "allocation") == pytest.approx(4096)
    assert _amount(fork, "gc.count") == pytest.approx(1000 * 2 / 400)
    assert _amount(fork, "rss") == pytest.approx(200e6)
    assert _amount(fork, "threads") == 30


def test_cpu_is_without_the_compilers_which_have_a_metric_of_their_own(make_pair, truth, noise) -> None:
    pair = make_pair(candidate=truth(cpu_ms=1.25, jit_ms=0.5), noise=noise(latency=0, cpu=0, allocation=0))
    fork = MeasuredFork.of(pair, Side.CANDIDATE)
    assert _amount(fork, "cpu") == pytest.approx(0.75)
    assert _amount(fork, "jit") == pytest.approx(0.5)


def test_cpu_is_all_of_it_where_compilers_cannot_be_told_apart(quiet: Pair) -> None:
    counters = quiet.forks[Side.CANDIDATE].tables["counters"]
    fork = _with_table(quiet, "counters", counters.assign(jit_cpu_ns=np.nan))
    assert _amount(fork, "cpu") == pytest.approx(1.25)
    assert _amount(fork, "jit") == 0


def test_cpu_samples_stand_for_the_cpu_time_of_the_process_clock(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(stacks_ms={"a.A.run": 1.0}, waits_ms={"a.A.wait": 2.0}))
    fork = MeasuredFork.of(pair, Side.CANDIDATE)
    quality = ProfileQuality(
        chunks=1,
        unreadable=0,
        samples=1,
        failed_stacks=0,
        truncated_stacks=0,
        sampled_cpu_s=0.5,
        accounted_cpu_s=2.0,
    )
    data = replace(fork.data, record=replace(fork.data.record, profile=quality))
    rescaled = replace(fork, data=data).samples.groupby("event")["weight"].sum()
    plain = fork.samples.groupby("event")["weight"].sum()
    assert rescaled["cpu"] == pytest.approx(4 * plain["cpu"])
    assert rescaled["wall"] == plain["wall"]


def test_allocation_samples_share_what_the_jvm_counted(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(allocated_bytes=400_000, buffers_mb={"a.A.run": 3.0, "a.B.run": 1.0}))
    fork = MeasuredFork.of(pair, Side.CANDIDATE)
    counters = pair.forks[Side.CANDIDATE].tables["counters"]
    uncounted = _with_table(pair, "counters", counters.assign(allocated_bytes=np.nan))
    shared, sampled = (each.stacks_of("alloc").groupby("frames")["weight"].sum() for each in (fork, uncounted))
    assert shared.sum() == pytest.approx(fork.growth("allocated_bytes").sum())
    assert (shared / shared.sum()).to_dict() == pytest.approx((sampled / sampled.sum()).to_dict())
    assert sampled.sum() > 2 * shared.sum()


def test_latency_quantiles_are_those_of_the_answered_requests(fork: MeasuredFork) -> None:
    latencies = fork.requests["latency_ms"]
    assert _amount(fork, "latency.p50") == pytest.approx(latencies.median(), abs=0.5)
    assert _amount(fork, "latency.mean") == pytest.approx(latencies.mean())
    orders = latencies[fork.requests["endpoint"] == "GET /orders"]
    assert _amount(fork, "latency.p99", "GET /orders") == pytest.approx(orders.quantile(0.99), abs=1.0)


def test_a_quantile_without_requests_enough_is_refused(fork: MeasuredFork) -> None:
    assert _reason(fork, "latency.p99", "POST /orders").startswith("p99 needs 1,000 requests per side and pair")


def test_only_requests_and_counters_of_the_own_windows_count(quiet: Pair) -> None:
    requests = quiet.forks[Side.CANDIDATE].tables["requests"]
    strays = requests.head(500).assign(window=99, latency_ms=60_000.0, ok=False)
    fork = _with_table(quiet, "requests", pd.concat([requests, strays]))
    assert len(fork.requests) == len(requests)
    assert _amount(fork, "errors") == 0
    assert _amount(fork, "cpu") == pytest.approx(1.25)


def test_a_window_without_both_edges_loses_its_requests_too(quiet: Pair) -> None:
    counters = quiet.forks[Side.CANDIDATE].tables["counters"]
    fork = _with_table(quiet, "counters", counters.iloc[1:])  # the first window's opening edge was not read
    reading = _read(fork, "cpu")
    assert isinstance(reading, Value)
    assert reading.amount == pytest.approx(1.25)
    assert reading.requests == 3 * 400


def test_of_an_edge_that_was_read_twice_the_last_known_value_counts(quiet: Pair) -> None:
    counters = quiet.forks[Side.CANDIDATE].tables["counters"]
    again = counters[counters["edge"] == "end"].assign(cpu_ns=lambda rows: rows["cpu_ns"] + 1000, jit_ms=np.nan)
    once = _with_table(quiet, "counters", counters)
    twice = _with_table(quiet, "counters", pd.concat([counters, again], ignore_index=True))
    assert (twice.growth("cpu_ns") - once.growth("cpu_ns")).tolist() == [1000] * len(once.windows)
    assert twice.growth("jit_ms").to_dict() == once.growth("jit_ms").to_dict()


def test_a_counter_that_was_never_read_is_missing_not_zero(quiet: Pair) -> None:
    counters = quiet.forks[Side.CANDIDATE].tables["counters"].assign(allocated_bytes=np.nan)
    fork = _with_table(quiet, "counters", counters)
    assert "allocated_bytes" in _reason(fork, "allocation")
    assert _amount(fork, "cpu") == pytest.approx(1.25)


def test_errors_are_a_share_in_percent(make_pair, truth) -> None:
    fork = MeasuredFork.of(make_pair(candidate=truth(failing=0.05)), Side.CANDIDATE)
    failed = (~fork.requests["ok"]).sum()
    assert _amount(fork, "errors") == pytest.approx(100 * failed / 1600)
    assert len(fork.latencies[""]) == 1600 - failed


def test_pauses_count_as_far_as_they_lie_inside_windows(quiet: Pair) -> None:
    window = next(window for window in quiet.record.windows if window.side is Side.CANDIDATE)
    pauses = pd.DataFrame(
        [
            {"process": "target", "start_ns": window.start_ns - SECOND // 100, "duration_ms": 30.0, "kind": "young"},
            {"process": "target", "start_ns": window.end_ns + SECOND // 2, "duration_ms": 99.0, "kind": "young"},
            {"process": "generator", "start_ns": window.start_ns, "duration_ms": 77.0, "kind": "young"},
        ]
    ).assign(injector=0)
    assert _with_table(quiet, "pauses", pauses).pause_ms() == pytest.approx(20.0)
    assert _amount(_with_table(quiet, "pauses", pauses), "gc.pause") == pytest.approx(20.0 / 1600)


def test_of_injectors_the_one_that_stood_still_most_counts(quiet: Pair) -> None:
    windows = MeasuredFork.of(quiet, Side.CANDIDATE).windows
    still = [(0, 0, 30.0), (0, 0, 10.0), (1, 0, 35.0), (1, 1, 5.0)]
    hiccups = pd.DataFrame(
        [
            {"injector": injector, "start_ns": windows[k].start_ns + place * SECOND // 10, "duration_ms": lasted}
            for place, (injector, k, lasted) in enumerate(still)
        ]
    )
    found = _with_table(quiet, "hiccups", hiccups).generator_stood_still_ms
    assert [found[window.index] for window in windows[:3]] == pytest.approx([40.0, 5.0, 0.0])


def test_the_metrics_page_is_that_of_the_last_good_scrape(quiet: Pair) -> None:
    mine = [window for window in quiet.record.windows if window.side is Side.CANDIDATE]
    scrapes = pd.DataFrame(
        {
            "window": [mine[0].index, mine[1].index, mine[2].index],
            "edge": "end",
            "time_ns": [3, 1, 4],
            "duration_ms": 5.0,
            "page_bytes": [2000, 1000, 0],
            "series": [20, 10, 0],
            "error": ["", "", "timed out"],
        }
    )
    fork = _with_table(quiet, "scrapes", scrapes)
    assert (_amount(fork, "metrics.page"), _amount(fork, "metrics.series")) == (2000, 20)


def _bucket(window: int, edge: str, bound: str, value: float, uri: str = "/orders") -> dict[str, object]:
    labels = f'method="GET",uri="{uri}",status="200",le="{bound}"'
    name = "http_server_requests_seconds_bucket"
    return {"window": window, "edge": edge, "name": name, "labels": labels, "value": value}


def test_server_latency_is_the_growth_of_the_histogram_over_windows(quiet: Pair) -> None:
    first, second = [window.index for window in quiet.record.windows if window.side is Side.CANDIDATE][:2]
    rows = []
    for window in (first, second):
        before = 0 if window == first else 5000  # what warm-up and other windows put there must not count
        for bound, count in (("0.01", 500), ("0.02", 1000), ("+Inf", 1000)):
            rows += [_bucket(window, "start", bound, before), _bucket(window, "end", bound, before + count)]
    rows.append(_bucket(first, "end", "not a number", 7))
    fork = _with_table(quiet, "series", pd.DataFrame(rows))
    assert _amount(fork, "server.latency.p50", "GET /orders") == pytest.approx(10.0)
    assert _amount(fork, "server.latency.p99") == pytest.approx(19.8)
    assert "publishes no latency histogram" in _reason(fork, "server.latency.p50", "POST /orders")


def test_a_quantile_beyond_the_last_bucket_is_not_made_up(quiet: Pair) -> None:
    window = next(window.index for window in quiet.record.windows if window.side is Side.CANDIDATE)
    rows = [_bucket(window, "end", "0.01", 100), _bucket(window, "end", "+Inf", 2000)]
    fork = _with_table(quiet, "series", pd.DataFrame(rows))
    assert "last bucket" in _reason(fork, "server.latency.p50")


def test_every_metric_has_a_name_of_its_own(fork: MeasuredFork) -> None:
    names = [(metric.name, metric.endpoint) for metric in readings(fork, endpoints_of([fork], []))]
    assert len(names) == len(set(names))
    assert Metric(name="cpu") in readings(fork, [])


def _containers(pair: Pair, **grown: float) -> pd.DataFrame:
    """Accounts of the candidate's container that grow by so much in each window; one core, 200 MiB."""
    levels = {"cpu_limit": 1.0, "memory_bytes": float(50 << 20), "memory_limit_bytes": float(200 << 20)}
    rows = []
    for place, window in enumerate(window for window in pair.record.windows if window.side is Side.CANDIDATE):
        for step, edge in enumerate(("start", "end")):
            counted = {column: (2 * place + step) * amount for column, amount in grown.items()}
            rows.append({"window": window.index, "edge": edge, "time_ns": 0} | levels | counted)
    return pd.DataFrame(rows).reindex(columns=list(TABLES["containers"]))


def test_what_a_container_may_use_and_did(quiet: Pair) -> None:
    grown = {"used_cpu_ns": 2.5e9, "throttled_ns": 8e8, "network_bytes": 4e6, "oom_kills": 1.0}
    fork = _with_table(quiet, "containers", _containers(quiet, **grown, periods=50.0, throttled_periods=10.0))
    windows, requests = len(fork.windows), len(fork.requests) / len(fork.windows)
    assert _amount(fork, "cpu.limit") == pytest.approx(100 * 2.5 / fork.windows[0].seconds)
    assert _amount(fork, "throttled") == pytest.approx(800 / requests)
    assert _amount(fork, "throttled.periods") == pytest.approx(20)
    assert _amount(fork, "memory") == 50 << 20
    assert _amount(fork, "memory.limit") == 25
    assert _amount(fork, "network") == pytest.approx(4e6 / requests)
    assert _amount(fork, "oom.kills") == windows


def test_without_limits_nothing_is_said_of_them(quiet: Pair) -> None:
    table = _containers(quiet, used_cpu_ns=1e9, throttled_periods=0.0, periods=0.0)
    fork = _with_table(quiet, "containers", table.assign(cpu_limit=np.nan, memory_limit_bytes=np.nan))
    found = readings(fork, [])
    missing = {metric.name for metric, reading in found.items() if isinstance(reading, Missing)}
    assert {"cpu.limit", "throttled.periods", "memory.limit"} <= missing


def test_a_plain_process_has_no_metrics_of_containers(quiet: Pair) -> None:
    found = readings(MeasuredFork.of(quiet, Side.CANDIDATE), [])
    absent = {metric.name for metric, reading in found.items() if isinstance(reading, Missing) and reading.absent}
    assert {"cpu.limit", "throttled", "throttled.periods", "memory", "memory.limit", "network", "oom.kills"} <= absent
