"""What a verdict on one metric means."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.comparison import Metric, Role, Verdict
from pacecar.model.experiment import Budget
from unit.analysis.evidence import ALLOCATION, CPU, P99, evidence_of, failing, judge_one


def test_regressed_is_beyond_the_budget_and_not_chance() -> None:
    found = judge_one(evidence_of(CPU, [1.12, 1.13, 1.11, 1.12]))
    assert found.verdict is Verdict.REGRESSED
    assert found.reason.startswith("+12.0% [+10.7%, +13.3%] is beyond the budget of 5% and unlikely to be chance (p")
    assert found.estimate is not None
    assert found.estimate.change == pytest.approx(0.12, abs=0.001)
    assert found.estimate.per_pair == pytest.approx((0.12, 0.13, 0.11, 0.12))


def test_a_certain_change_inside_the_budget_is_no_regression() -> None:
    found = judge_one(evidence_of(CPU, [1.030, 1.031, 1.029, 1.030]))
    assert found.estimate is not None
    assert found.estimate.p_value < 1e-4
    assert found.verdict is Verdict.PASSED
    assert "which is real but inside the budget of 5%; more than 3.1% worse is ruled out" in found.reason


def test_a_large_change_that_may_be_chance_is_no_regression() -> None:
    found = judge_one(evidence_of(CPU, [1.40, 0.95, 1.30, 1.05]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "may be chance" in found.reason


def test_a_change_around_the_budget_is_undecided_and_not_called_chance() -> None:
    found = judge_one(evidence_of(CPU, [1.035, 1.058, 1.038, 1.060, 1.055]), Budget(metric="cpu", relative=0.05))
    assert found.verdict is Verdict.PASSED, "below the budget, and 7.5 % are ruled out"
    strict = Budget(metric="cpu", relative=0.05, allowance=0.05)
    found = judge_one(evidence_of(CPU, [1.035, 1.058, 1.038, 1.060, 1.055]), strict)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "is real, but may lie on either side of the budget of 5%" in found.reason


def test_inconclusive_says_what_is_ruled_out_and_what_it_would_take() -> None:
    found = judge_one(evidence_of(CPU, [1.06, 1.01, 1.08, 1.00]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.pairs_needed is not None
    assert found.pairs_needed >= 1
    assert f"about {found.pairs_needed} more pair" in found.reason
    assert "% worse is ruled out, but more than 7.5% must be" in found.reason


def test_what_looks_beyond_its_budget_does_not_pass_however_low_its_bound() -> None:
    looks_worse = judge_one(
        evidence_of(CPU, [1.045, 1.06, 1.065, 1.055]), Budget(metric="cpu", relative=0.05, allowance=0.50)
    )
    assert looks_worse.verdict is not Verdict.PASSED


def test_an_improvement_passes_and_says_so() -> None:
    found = judge_one(evidence_of(CPU, [0.98, 0.97, 0.99, 0.975]))
    assert found.verdict is Verdict.PASSED
    assert found.ruled_out is not None
    assert found.ruled_out.bound < 0
    assert "any worsening is ruled out" in found.reason


class TestWeakTails:
    """Tails that scatter too much for any plan."""

    NOISY = (1.30, 0.75, 0.80, 1.15)

    def test_pass_with_the_bound_they_have(self) -> None:
        found = judge_one(evidence_of(P99, self.NOISY), may_be_weak=True)
        assert found.verdict is Verdict.PASSED
        assert found.ruled_out is not None
        assert found.ruled_out.weak
        assert found.ruled_out.bound > 0.15
        assert "scatters too much" in found.reason

    def test_do_not_where_the_user_insists(self) -> None:
        assert judge_one(evidence_of(P99, self.NOISY)).verdict is Verdict.INCONCLUSIVE

    def test_do_not_where_they_look_worse(self) -> None:
        worse = evidence_of(P99, [1.9, 1.2, 1.3, 1.7])
        found = judge_one(worse, may_be_weak=True)
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "looks worse, but may be chance" in found.reason
        assert "must be" not in found.reason, "a weak tail is held to no allowance"

    def test_are_not_weak_where_more_pairs_of_the_plan_would_do(self) -> None:
        case = Case(
            evidence=evidence_of(P99, [1.09, 0.91, 1.10, 0.92]),
            budget=budget_for(P99, ()),
            role=Role.GUARANTEED,
            may_be_weak=True,
        )
        weak = [
            judged.ruled_out.weak
            for most in (4, 40)
            for judged in judge([case], stage=Stage(pairs=4, most=most))
            if judged.ruled_out
        ]
        assert weak == [True, False]


def test_what_its_own_interval_denies_may_be_chance_among_many() -> None:
    suspicious = Case(evidence=evidence_of(P99, [1.3, 1.2, 1.45]), budget=budget_for(P99, ()), role=Role.TRIPWIRE)
    other = Metric(name="latency.p50", endpoint="GET /orders")
    others = [
        Case(
            evidence=evidence_of(replace(other, endpoint=f"GET /{number}"), [1.01, 0.99, 1.0]),
            budget=budget_for(other, ()),
            role=Role.TRIPWIRE,
        )
        for number in range(20)
    ]
    found = next(each for each in judge([suspicious, *others]) if each.metric == P99)
    assert found.estimate is not None
    assert found.estimate.low > 0
    assert found.verdict is Verdict.INCONCLUSIVE
    assert re.search(r" may be chance \(p = [0-9.]+ after correction for 21 tests\)", found.reason)


def test_one_pair_gives_an_estimate_without_an_interval() -> None:
    found = judge_one(evidence_of(CPU, [1.50]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.estimate is not None
    assert (found.estimate.low, found.estimate.high, found.estimate.p_value) == (-math.inf, math.inf, 1.0)
    assert found.reason.startswith("+50.0% in a single pair")


def test_two_percent_more_allocation_is_found_in_three_pairs() -> None:
    rng = np.random.default_rng(5)
    evidence = evidence_of(ALLOCATION, 1.02 * np.exp(rng.normal(0, 0.001, 3)), baseline=50_000)
    assert judge_one(evidence).verdict is Verdict.REGRESSED, "the default budget is 1 %"
    assert judge_one(evidence, Budget(metric="allocation", relative=0.03)).verdict is Verdict.PASSED


def test_allocation_identical_to_the_byte_passes() -> None:
    assert judge_one(evidence_of(ALLOCATION, [1.0, 1.0, 1.0])).verdict is Verdict.PASSED


def test_a_metric_without_budget_can_change_but_not_pass() -> None:
    waiting = Metric(name="queue.length", unit="1", machine_bound=False)
    assert judge_one(evidence_of(waiting, [1.5, 1.5, 1.51])).verdict is Verdict.REGRESSED
    still = judge_one(evidence_of(waiting, [1.0, 1.0, 1.0]))
    assert still.verdict is Verdict.INCONCLUSIVE
    assert "no budget" in still.reason


def test_what_higher_is_better_for_regresses_downwards() -> None:
    hits = Metric(name="cache.hits", unit="1", lower_is_better=False)
    budget = Budget(metric="cache.hits", relative=0.05)
    assert judge_one(evidence_of(hits, [0.80, 0.81, 0.79, 0.80]), budget).verdict is Verdict.REGRESSED
    assert judge_one(evidence_of(hits, [1.30, 1.31, 1.29, 1.30]), budget).verdict is Verdict.IMPROVED


class TestErrors:
    """The difference scale."""

    def test_failures_beyond_the_budget_regress(self) -> None:
        found = judge_one(failing((0, 2.0), (0, 2.2), (0.07, 1.9), (0, 2.0)))
        assert found.verdict is Verdict.REGRESSED
        assert "beyond the budget of 0.05 points" in found.reason

    def test_a_few_new_ones_in_a_thousand_regress(self) -> None:
        found = judge_one(failing((0, 0.45), (0, 0.40), (0, 0.50), (0, 0.45), requests=5600))
        assert found.verdict is Verdict.REGRESSED

    def test_few_failures_inside_the_budget_do_not(self) -> None:
        shares = failing((0, 0.02), (0.02, 0.02), (0, 0), (0, 0.02), requests=5000)
        assert judge_one(shares).verdict is Verdict.PASSED

    def test_none_on_either_side_passes(self) -> None:
        found = judge_one(failing((0, 0), (0, 0)))
        assert found.verdict is Verdict.PASSED
        assert found.ruled_out is not None
        assert found.ruled_out.bound == pytest.approx(0.1), "3 of 3,000, in points"
        assert found.reason == "it was zero on both sides in 2 pairs"

    def test_relative_budget_is_the_tolerated_difference(self) -> None:
        evidence = failing((0, 2.0), (0, 2.2), (0.07, 1.9), (0, 2.0))
        assert judge_one(evidence, Budget(metric="errors", relative=0.05)).verdict is Verdict.PASSED

    def test_a_zero_test_costs_the_others_no_power(self) -> None:
        cpu = Case(evidence=evidence_of(CPU, [1.12, 1.13, 1.11, 1.12]), budget=None, role=Role.GUARANTEED)
        zero = Case(evidence=failing((0, 0), (0, 0)), budget=None, role=Role.GUARANTEED)
        assert "correction" not in judge([cpu, zero])[0].reason
