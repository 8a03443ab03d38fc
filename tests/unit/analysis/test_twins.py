"""Both sides are asked the same: what fails on both alike tells the builds apart no better, and no worse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.twins import failed_on_both
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Judgement, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

EVERY = 5


def _failing(pair: Pair, *, more: int = 0) -> Pair:
    """With every fifth request to an endpoint failing on both sides, and `more` of the candidate's others."""
    forks = {}
    asked = pair.forks[Side.BASELINE].tables["requests"]["endpoint"].to_numpy()
    for side, fork in pair.forks.items():
        requests = fork.tables["requests"].assign(endpoint=asked)
        turn = requests.groupby(["window", "endpoint"]).cumcount()
        ok = turn % EVERY != 0
        if side is Side.CANDIDATE:
            ok[np.flatnonzero(ok)[:more]] = False
        forks[side] = replace(fork, tables={**fork.tables, "requests": requests.assign(ok=ok)})
    return replace(pair, forks=forks)


def _errors(pairs: list[Pair]) -> Judgement:
    return next(each for each in compare_pairs(pairs, Criteria()).judgements if each.metric.key == ("errors", ""))


def test_what_fails_on_both_sides_alike_leaves_nothing_open(make_pairs) -> None:
    found = _errors([_failing(pair) for pair in make_pairs(4)])
    assert found.verdict is Verdict.PASSED
    assert found.estimate is not None
    assert found.estimate.baseline == pytest.approx(20, abs=1)
    assert found.estimate.change == 0
    assert found.ruled_out is not None
    assert 0 < found.ruled_out.bound < 0.1


def test_a_few_more_failures_are_found_among_many_that_both_have(make_pairs) -> None:
    assert _errors([_failing(pair, more=16) for pair in make_pairs(4)]).verdict is Verdict.REGRESSED


def test_failures_that_only_are_as_many_leave_much_open(make_pairs, truth) -> None:
    found = _errors(make_pairs(4, baseline=truth(failing=0.2), candidate=truth(failing=0.2)))
    assert found.ruled_out is not None
    assert found.ruled_out.bound > 0.5


def test_twins_are_counted_by_endpoint(make_pair) -> None:
    pair = _failing(make_pair(1), more=3)
    before, after = (MeasuredFork.of(pair, side) for side in Side)
    found = failed_on_both(before, after)
    assert found[""] == sum(count for endpoint, count in found.items() if endpoint)
    assert found[""] == before.outcomes[""][0] == after.outcomes[""][0] - 3
