"""A machine that ran faster beside one build than beside the other: what follows it is moved to one pace, and told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Comparison
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, Pair
from pacecar.model.tables import TABLES

_LOOP_NS = 150_000.0
#: Window -> by how much a neighbour slows down the core in it.
Slower = Mapping[int, float]


def _neighbour(pair: Pair, *, beside: float = 1.0) -> Slower:
    """One that comes and goes, and slows the candidate's windows down by `beside` on top."""
    drawn = np.random.default_rng(pair.record.number).uniform(1.0, 1.5, len(pair.record.windows))
    return {
        window.index: float(factor) * (beside if window.side is Side.CANDIDATE else 1.0)
        for window, factor in zip(pair.record.windows, drawn, strict=True)
    }


def _slowed(pair: Pair, slower: Slower, *, cpu: float = 1.0, latency: float = 0.0, loops: int = 100) -> Pair:
    """The pair beside such a neighbour, whom the loop follows in full, and CPU and latency with those slopes."""
    forks = {side: _fork(pair, side, slower, cpu, latency, loops) for side in pair.forks}
    return replace(pair, forks=forks)


def _fork(pair: Pair, side: Side, slower: Slower, cpu: float, latency: float, loops: int) -> ForkData:
    fork = pair.forks[side]
    mine = [window.index for window in pair.record.windows if window.side is side]
    requests, counters = fork.tables["requests"].copy(), fork.tables["counters"].copy()
    requests["latency_ms"] *= requests["window"].map(slower) ** latency
    start, end = (counters[counters["edge"] == edge].set_index("window")["cpu_ns"] for edge in ("start", "end"))
    grown = ((end - start) * pd.Series(slower).reindex(end.index) ** cpu).round()
    ended = counters["edge"] == "end"
    counters.loc[ended, "cpu_ns"] = (start + grown).loc[counters.loc[ended, "window"]].to_numpy()
    rows = [(index, 0, loops, _LOOP_NS * slower[index]) for index in mine]
    paces = pd.DataFrame(rows, columns=list(TABLES["pace"])).astype(TABLES["pace"])
    tables = fork.tables | {"requests": requests, "counters": counters, "pace": paces}
    return replace(fork, tables=tables)


def _change(comparison: Comparison, name: str, endpoint: str = "") -> float:
    (estimate,) = (each.estimate for each in comparison.judgements if each.metric.key == (name, endpoint))
    assert estimate is not None
    return estimate.change


@pytest.fixture
def compared(make_pairs) -> Callable[..., Comparison]:
    """A comparison of four pairs, each beside a neighbour of its own."""

    def compare(*, beside: float = 1.2, truth: dict[str, object] | None = None, **how: Any) -> Comparison:
        pairs = make_pairs(4, **(truth or {}))
        return compare_pairs([_slowed(each, _neighbour(each, beside=beside), **how) for each in pairs], Criteria())

    return compare


def test_what_a_neighbour_took_beside_one_build_is_taken_off(compared) -> None:
    blind = compared(latency=1.0, loops=5)
    assert blind.pace_apart is None
    assert _change(blind, "cpu") > 0.1
    assert _change(blind, "latency.typical") > 0.1

    evened = compared(latency=1.0)
    assert evened.pace_apart is not None
    assert evened.pace_apart > 0.1
    assert abs(_change(evened, "cpu")) < 0.02
    assert abs(_change(evened, "latency.typical")) < 0.04
    assert abs(_change(evened, "latency.p50", "GET /orders")) < 0.04


@pytest.mark.parametrize("beside", [0.9, 1.0, 1.2])
def test_what_a_build_costs_stays(compared, truth, beside: float) -> None:
    dearer = {"candidate": truth(cpu_ms=1.1 * truth().cpu_ms)}
    assert _change(compared(beside=beside, truth=dearer), "cpu") == pytest.approx(0.1, abs=0.02)


def test_only_what_follows_the_loop_is_moved(compared) -> None:
    blind, evened = compared(loops=5), compared()
    for name, endpoint in (("latency.typical", ""), ("latency.p50", "GET /orders"), ("allocation", "")):
        assert _change(evened, name, endpoint) == _change(blind, name, endpoint)
    assert _change(evened, "cpu") < _change(blind, "cpu") - 0.1


def test_an_endpoint_with_few_requests_in_a_window_hides_nothing(compared, plan) -> None:
    rare = {"plan": plan(endpoints=(("GET /orders", 0.95), ("POST /orders", 0.05)))}
    assert _change(compared(latency=1.0, loops=5, truth=rare), "latency.typical") > 0.1
    assert abs(_change(compared(latency=1.0, truth=rare), "latency.typical")) < 0.04


def test_tails_stay_as_they_are(compared) -> None:
    blind, evened = compared(latency=1.0, loops=5), compared(latency=1.0)
    for name in ("latency.p90", "latency.p99", "latency.tail"):
        assert _change(evened, name) == _change(blind, name)


def test_nothing_is_moved_by_more_than_the_loop(compared) -> None:
    twice = compared(beside=1.2, cpu=2.0)
    loop = compared(beside=1.2, cpu=1.0, loops=5)
    assert math.log1p(_change(twice, "cpu")) == pytest.approx(math.log1p(_change(loop, "cpu")), abs=0.02)


def test_a_build_on_two_cores_may_move_the_loop_itself(compared, truth) -> None:
    wide = {"baseline": truth(cpus=(0, 2)), "candidate": truth(cpus=(0, 2))}
    assert compared(truth=wide).pace_apart is None


@pytest.mark.parametrize("took_ns", [0.0, -1.0, 5e9, math.inf, math.nan])
def test_a_loop_that_is_not_known_in_every_window_moves_nothing(make_pairs, took_ns: float) -> None:
    pairs = [_slowed(each, _neighbour(each, beside=1.2)) for each in make_pairs(4)]
    paces = pairs[2].forks[Side.CANDIDATE].tables["pace"]
    paces.loc[paces.index[-1], "loop_ns"] = took_ns
    comparison = compare_pairs(pairs, Criteria())
    assert comparison.pace_apart is None
    assert _change(comparison, "cpu") > 0.1


def test_a_steady_loop_moves_nothing(make_pairs) -> None:
    pairs = [_slowed(each, dict.fromkeys(range(8), 1.2)) for each in make_pairs(4)]
    assert compare_pairs(pairs, Criteria()).pace_apart is None
