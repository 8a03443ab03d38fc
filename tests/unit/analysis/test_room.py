"""How much room the load leaves the baseline, and what is advised."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from pacecar.analysis.validity.pairs import sift
from pacecar.analysis.validity.room import busy, underused
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES
from pacecar.reporting.document.warning_lines import warning_lines


def _limited(pair: Pair, cores: float) -> Pair:
    """The pair, its baseline in a container with that limit."""
    fork = pair.forks[Side.BASELINE]
    containers = fork.tables["counters"][["window", "edge", "time_ns"]].reindex(columns=list(TABLES["containers"]))
    containers["cpu_limit"] = cores
    limited = replace(fork, tables=fork.tables | {"containers": containers})
    return replace(pair, forks={**pair.forks, Side.BASELINE: limited})


def test_a_load_that_leaves_the_baseline_no_room_is_told_once(make_pairs, truth) -> None:
    sifted = sift(make_pairs(3, baseline=truth(cpu_ms=10.0)))
    assert len(sifted.taking_part) == 3
    (told,) = warning_lines(sifted.remarks)
    assert told.startswith("The baseline kept its cores busy for 81% of its windows")
    assert "Lower the rate or the number of users" in told
    assert "pacecar size" in told


@pytest.mark.parametrize(
    ("baseline", "told"),
    [
        ({"cpu_ms": 8.0}, False),
        ({"cpu_ms": 10.0, "cpus": (0, 1)}, False),
        ({"cpu_ms": 10.0, "cpus": ()}, False),  # without cores of its own nobody knows how much room there was
        ({"cpu_ms": 18.0, "cpus": (0, 1)}, True),
    ],
)
def test_how_much_is_too_much(make_pair, truth, baseline: dict[str, Any], told: bool) -> None:
    assert bool(sift([make_pair(baseline=truth(**baseline))]).remarks) is told


def test_the_limit_of_a_container_is_all_the_room_there_is(make_pair, truth) -> None:
    pair = make_pair(baseline=truth(cpu_ms=10.0, cpus=(0, 1, 2, 3)))
    assert sift([pair]).remarks == ()
    assert "busy for 81%" in warning_lines(sift([_limited(pair, 1.0)]).remarks)[0]


def test_how_busy_the_baseline_was(make_pair, truth) -> None:
    pairs = [make_pair(baseline=truth(cpu_ms=cpu_ms)) for cpu_ms in (2.0, 3.0, 9.0)]
    assert busy(pairs) == pytest.approx(0.24, abs=0.01)
    assert math.isnan(busy([make_pair(baseline=truth(cpus=()))]))


def test_a_heap_that_is_too_small_is_told(make_pairs, truth) -> None:
    (told,) = warning_lines(sift([_collecting(pair, 0.5) for pair in make_pairs(3)]).remarks)
    assert told == (
        "The baseline collected garbage for 50% of its windows, so its latency depends on when it collects. Give the "
        "service a larger heap (-Xmx), or lower the rate."
    )
    assert sift([_collecting(pair, 0.1) for pair in make_pairs(3)]).remarks == ()
    assert sift([_collecting(pair, 0.5, side=Side.CANDIDATE) for pair in make_pairs(3)]).remarks == ()


def test_a_full_heap_is_told_where_it_makes_the_generator_late(make_pair, truth) -> None:
    late = make_pair(baseline=truth(lag_ms=80.0))
    (told,) = warning_lines(sift([_collecting(late, 0.5)]).cautions)
    assert "and the JVM of that side collected garbage for 50% of the time" in told
    assert told.endswith("Give the service a larger heap (-Xmx).")
    (told,) = warning_lines(sift([late]).cautions)
    assert "garbage" not in told


def _collecting(pair: Pair, share: float, *, side: Side = Side.BASELINE) -> Pair:
    """The pair, with one pause in each window of that side that takes this share of it."""
    fork = pair.forks[side]
    pauses = pd.DataFrame(
        {
            "process": "target",
            "injector": 0,
            "start_ns": window.start_ns,
            "duration_ms": 1e3 * share * window.seconds,
            "kind": "Pause Full (Allocation Failure)",
        }
        for window in pair.record.windows
        if window.side is side
    )
    return replace(pair, forks={**pair.forks, side: replace(fork, tables=fork.tables | {"pauses": pauses})})


def test_a_candidate_that_is_busy_is_a_result(make_pair, truth) -> None:
    assert sift([make_pair(candidate=truth(cpu_ms=12.0))]).remarks == ()


def test_an_undecided_comparison_of_an_idle_service_is_advised_to_ask_more(make_pairs, truth) -> None:
    (told,) = warning_lines(underused(make_pairs(3, baseline=truth(cpu_ms=1.5)), Verdict.INCONCLUSIVE))
    assert told.startswith("The load kept the baseline's cores busy for only 12% of its windows")
    assert "Send about 3 times as many requests (scenario.rate, or scenario.users)" in told
    assert "pacecar size" in told


def test_no_more_is_advised_than_size_would_propose(make_pairs, truth, monkeypatch) -> None:
    pairs = make_pairs(3, baseline=truth(cpu_ms=1.5))
    (rate,) = {round(len(pair.forks[Side.BASELINE].tables["requests"]) / _seconds(pair)) for pair in pairs}
    monkeypatch.setattr("pacecar.analysis.validity.room.MOST_RATE", 2.5 * rate)
    (told,) = warning_lines(underused(pairs, Verdict.INCONCLUSIVE))
    assert "Send about 2 times as many requests" in told
    monkeypatch.setattr("pacecar.analysis.validity.room.MOST_RATE", 1.9 * rate)
    assert underused(pairs, Verdict.INCONCLUSIVE) == []


def _seconds(pair) -> float:
    return sum(window.seconds for window in pair.record.windows if window.side is Side.BASELINE)


@pytest.mark.parametrize(
    ("cpu_ms", "verdict"), [(1.5, Verdict.PASSED), (1.5, Verdict.REGRESSED), (4.0, Verdict.INCONCLUSIVE)]
)
def test_whoever_has_an_answer_or_asks_enough_is_advised_nothing(make_pairs, truth, cpu_ms, verdict) -> None:
    assert underused(make_pairs(3, baseline=truth(cpu_ms=cpu_ms)), verdict) == []
