"""What a verdict means, at the level of log-ratios: no tables, only evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.rules import LEVELS, judge
from pacecar.model.comparison import Judgement, Metric, Role, Scale, Verdict
from pacecar.model.experiment import Budget, Side

CPU = Metric(name="cpu")
P99 = Metric(name="latency.p99", endpoint="GET /orders")
ALLOCATION = Metric(name="allocation", unit="B", machine_bound=False)
ERRORS = Metric(name="errors", unit="%", scale=Scale.DIFFERENCE, machine_bound=False)


def _evidence(metric: Metric, ratios: Iterable[float], *, baseline: float = 10.0) -> Evidence:
    """Pairs whose candidate is `ratios` times its baseline."""
    readings: list[tuple[Reading, Reading]] = [
        (Value(amount=baseline, requests=3000), Value(amount=baseline * ratio, requests=3000)) for ratio in ratios
    ]
    return paired_evidence(metric, readings)


def _shares(*pairs: tuple[float, float], requests: int = 1500) -> Evidence:
    """Pairs with shares of failed requests in percent."""
    return paired_evidence(
        ERRORS, [(Value(amount=b, requests=requests), Value(amount=c, requests=requests)) for b, c in pairs]
    )


def _judge_one(
    evidence: Evidence, *budgets: Budget, role: Role = Role.GUARANTEED, may_be_weak: bool = False
) -> Judgement:
    budget = budget_for(evidence.metric, budgets)
    (judgement,) = judge([Case(evidence=evidence, budget=budget, role=role, may_be_weak=may_be_weak)])
    return judgement


def test_regressed_is_beyond_the_budget_and_not_chance() -> None:
    found = _judge_one(_evidence(CPU, [1.12, 1.13, 1.11, 1.12]))
    assert found.verdict is Verdict.REGRESSED
    assert found.reason.startswith("+12.0% [+10.7%, +13.3%] is beyond the budget of 5% and unlikely to be chance (p")
    assert found.estimate is not None
    assert found.estimate.change == pytest.approx(0.12, abs=0.001)
    assert found.estimate.per_pair == pytest.approx((0.12, 0.13, 0.11, 0.12))


def test_a_certain_change_inside_the_budget_is_no_regression() -> None:
    found = _judge_one(_evidence(CPU, [1.030, 1.031, 1.029, 1.030]))
    assert found.estimate is not None
    assert found.estimate.p_value < 1e-4
    assert found.verdict is Verdict.PASSED
    assert "which is real but inside the budget of 5%; more than 3.1% worse is ruled out" in found.reason


def test_a_large_change_that_may_be_chance_is_no_regression() -> None:
    found = _judge_one(_evidence(CPU, [1.40, 0.95, 1.30, 1.05]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "may be chance" in found.reason


def test_a_change_around_the_budget_is_undecided_and_not_called_chance() -> None:
    found = _judge_one(_evidence(CPU, [1.035, 1.058, 1.038, 1.060, 1.055]), Budget(metric="cpu", relative=0.05))
    assert found.verdict is Verdict.PASSED, "below the budget, and 7.5 % are ruled out"
    strict = Budget(metric="cpu", relative=0.05, allowance=0.05)
    found = _judge_one(_evidence(CPU, [1.035, 1.058, 1.038, 1.060, 1.055]), strict)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "is real, but may lie on either side of the budget of 5%" in found.reason


def test_inconclusive_says_what_is_ruled_out_and_what_it_would_take() -> None:
    found = _judge_one(_evidence(CPU, [1.06, 1.01, 1.08, 1.00]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.pairs_needed is not None
    assert found.pairs_needed >= 1
    assert f"about {found.pairs_needed} more pair" in found.reason
    assert "% worse is ruled out, not 7.5%" in found.reason


def test_what_looks_beyond_its_budget_does_not_pass_however_low_its_bound() -> None:
    looks_worse = _judge_one(
        _evidence(CPU, [1.045, 1.06, 1.065, 1.055]), Budget(metric="cpu", relative=0.05, allowance=0.50)
    )
    assert looks_worse.verdict is not Verdict.PASSED


def test_an_improvement_passes_and_says_so() -> None:
    found = _judge_one(_evidence(CPU, [0.98, 0.97, 0.99, 0.975]))
    assert found.verdict is Verdict.PASSED
    assert found.ruled_out is not None
    assert found.ruled_out.bound < 0
    assert "any worsening is ruled out" in found.reason


class TestWeakTails:
    """Tails that scatter too much for any plan."""

    NOISY = (1.30, 0.75, 0.80, 1.15)

    def test_pass_with_the_bound_they_have(self) -> None:
        found = _judge_one(_evidence(P99, self.NOISY), may_be_weak=True)
        assert found.verdict is Verdict.PASSED
        assert found.ruled_out is not None
        assert found.ruled_out.weak
        assert found.ruled_out.bound > 0.15
        assert "scatters too much" in found.reason

    def test_do_not_where_the_user_insists(self) -> None:
        assert _judge_one(_evidence(P99, self.NOISY)).verdict is Verdict.INCONCLUSIVE

    def test_do_not_where_they_look_worse(self) -> None:
        worse = _evidence(P99, [1.9, 1.2, 1.3, 1.7])
        assert _judge_one(worse, may_be_weak=True).verdict is Verdict.INCONCLUSIVE

    def test_are_not_weak_where_more_pairs_of_the_plan_would_do(self) -> None:
        case = Case(
            evidence=_evidence(P99, [1.09, 0.91, 1.10, 0.92]),
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


def test_one_pair_gives_an_estimate_without_an_interval() -> None:
    found = _judge_one(_evidence(CPU, [1.50]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.estimate is not None
    assert (found.estimate.low, found.estimate.high, found.estimate.p_value) == (-math.inf, math.inf, 1.0)
    assert found.reason.startswith("+50.0% in a single pair")


def test_two_percent_more_allocation_is_found_in_three_pairs() -> None:
    rng = np.random.default_rng(5)
    evidence = _evidence(ALLOCATION, 1.02 * np.exp(rng.normal(0, 0.001, 3)), baseline=50_000)
    assert _judge_one(evidence).verdict is Verdict.REGRESSED, "the default budget is 1 %"
    assert _judge_one(evidence, Budget(metric="allocation", relative=0.03)).verdict is Verdict.PASSED


def test_allocation_identical_to_the_byte_passes() -> None:
    assert _judge_one(_evidence(ALLOCATION, [1.0, 1.0, 1.0])).verdict is Verdict.PASSED


def test_a_metric_without_budget_can_change_but_not_pass() -> None:
    waiting = Metric(name="queue.length", unit="1", machine_bound=False)
    assert _judge_one(_evidence(waiting, [1.5, 1.5, 1.51])).verdict is Verdict.REGRESSED
    still = _judge_one(_evidence(waiting, [1.0, 1.0, 1.0]))
    assert still.verdict is Verdict.INCONCLUSIVE
    assert "no budget" in still.reason


def test_what_higher_is_better_for_regresses_downwards() -> None:
    hits = Metric(name="cache.hits", unit="1", lower_is_better=False)
    budget = Budget(metric="cache.hits", relative=0.05)
    assert _judge_one(_evidence(hits, [0.80, 0.81, 0.79, 0.80]), budget).verdict is Verdict.REGRESSED
    assert _judge_one(_evidence(hits, [1.30, 1.31, 1.29, 1.30]), budget).verdict is Verdict.IMPROVED


class TestErrors:
    """The difference scale."""

    def test_failures_beyond_the_budget_regress(self) -> None:
        found = _judge_one(_shares((0, 2.0), (0, 2.2), (0.07, 1.9), (0, 2.0)))
        assert found.verdict is Verdict.REGRESSED
        assert "beyond the budget of 0.05 points" in found.reason

    def test_a_few_new_ones_in_a_thousand_regress(self) -> None:
        found = _judge_one(_shares((0, 0.45), (0, 0.40), (0, 0.50), (0, 0.45), requests=5600))
        assert found.verdict is Verdict.REGRESSED

    def test_few_failures_inside_the_budget_do_not(self) -> None:
        shares = _shares((0, 0.02), (0.02, 0.02), (0, 0), (0, 0.02), requests=5000)
        assert _judge_one(shares).verdict is Verdict.PASSED

    def test_none_on_either_side_passes(self) -> None:
        found = _judge_one(_shares((0, 0), (0, 0)))
        assert found.verdict is Verdict.PASSED
        assert found.ruled_out is not None
        assert found.ruled_out.bound == pytest.approx(0.1), "3 of 3,000, in points"
        assert found.reason == "it was zero on both sides in 2 pairs"

    def test_relative_budget_is_the_tolerated_difference(self) -> None:
        evidence = _shares((0, 2.0), (0, 2.2), (0.07, 1.9), (0, 2.0))
        assert _judge_one(evidence, Budget(metric="errors", relative=0.05)).verdict is Verdict.PASSED

    def test_a_zero_test_costs_the_others_no_power(self) -> None:
        cpu = Case(evidence=_evidence(CPU, [1.12, 1.13, 1.11, 1.12]), budget=None, role=Role.GUARANTEED)
        zero = Case(evidence=_shares((0, 0), (0, 0)), budget=None, role=Role.GUARANTEED)
        assert "correction" not in judge([cpu, zero])[0].reason


class TestAbsoluteBudget:
    """The largest tolerated value of the candidate."""

    LIMIT = Budget(metric="latency.p99", absolute=20.0)

    @pytest.mark.parametrize(
        ("candidate_ms", "verdict"),
        [
            ([25.0, 24.6, 25.3, 25.1], Verdict.REGRESSED),
            ([19.0, 21.5, 20.4, 19.8], Verdict.INCONCLUSIVE),
            ([15.0, 15.2, 14.9, 15.1], Verdict.PASSED),
        ],
    )
    def test_by_where_the_candidates_interval_lies(self, candidate_ms: list[float], verdict: Verdict) -> None:
        evidence = _evidence(P99, [ms / 10 for ms in candidate_ms])
        found = _judge_one(evidence, self.LIMIT)
        assert found.verdict is verdict
        assert "20 ms" in found.reason

    def test_holds_beside_a_relative_one(self) -> None:
        evidence = _evidence(P99, [1.01, 0.99, 1.0, 1.0], baseline=25.0)
        both = Budget(metric="latency.p99", relative=0.10, absolute=20.0)
        assert _judge_one(evidence, Budget(metric="latency.p99", relative=0.10)).verdict is Verdict.PASSED
        assert _judge_one(evidence, both).verdict is Verdict.REGRESSED

    @pytest.mark.parametrize("baseline", [Missing(reason="p99 needs 1,000 requests"), Value(amount=0.0, requests=900)])
    @pytest.mark.parametrize(("candidate_ms", "verdict"), [(25.0, Verdict.REGRESSED), (15.0, Verdict.INCONCLUSIVE)])
    def test_holds_whatever_the_baseline_does(self, baseline: Reading, candidate_ms: float, verdict: Verdict) -> None:
        pairs = [(baseline, Value(amount=candidate_ms + off, requests=2000)) for off in (-0.2, 0.1, 0.3)]
        found = _judge_one(paired_evidence(P99, pairs), self.LIMIT)
        assert found.verdict is verdict
        assert ("above the largest tolerated value of 20 ms" in found.reason) == (verdict is Verdict.REGRESSED)
        assert found.estimate is None

    def test_one_pair_cannot_break_it(self) -> None:
        assert _judge_one(_evidence(P99, [9.0]), self.LIMIT).verdict is Verdict.INCONCLUSIVE


class TestCoarse:
    """What was noted in steps in which a change could hide."""

    @pytest.mark.parametrize(
        ("ratio", "verdict"),
        [(1.0, Verdict.INCONCLUSIVE), (1.3, Verdict.REGRESSED), (0.7, Verdict.IMPROVED)],
    )
    def test_shows_changes_but_never_that_there_is_none(self, ratio: float, verdict: Verdict) -> None:
        def value(amount: float) -> Value:
            return Value(amount=amount, requests=2000, coarse="a log of whole milliseconds hides changes")

        pairs = [(value(1.4), value(1.4 * ratio * off)) for off in (0.999, 1.0, 1.001, 1.0)]
        found = _judge_one(paired_evidence(P99, pairs), Budget(metric="latency.p99", relative=0.10))
        assert found.verdict is verdict
        assert ("whole milliseconds" in found.reason) == (verdict is Verdict.INCONCLUSIVE)
        assert found.pairs_needed is None

    def test_stay_below_a_largest_value_all_the_same(self) -> None:
        value = Value(amount=1.4, requests=2000, coarse="a log of whole milliseconds hides changes")
        found = _judge_one(paired_evidence(P99, [(value, value)] * 4), Budget(metric="latency.p99", absolute=20.0))
        assert found.verdict is Verdict.PASSED


class TestMissing:
    """What could not be measured has a reason, not a number."""

    def test_the_reason_is_passed_on(self) -> None:
        gone = Missing(reason="the counter cpu_ns was never read")
        found = _judge_one(paired_evidence(CPU, [(gone, gone)]))
        assert (found.verdict, found.estimate) == (Verdict.INCONCLUSIVE, None)
        assert found.reason == "not measurable: the counter cpu_ns was never read"

    def test_pairs_that_lack_it_do_not_take_part(self) -> None:
        here, gone = Value(amount=1.0, requests=100), Missing(reason="gone")
        found = _judge_one(paired_evidence(CPU, [(here, here), (here, gone), (here, here)]))
        assert found.estimate is not None
        assert found.estimate.pairs == 2
        assert found.reason.endswith("in 2 of 3 pairs; gone")

    @pytest.mark.parametrize(
        ("ratio", "lacks", "verdict"),
        [
            (1.00, Side.CANDIDATE, Verdict.INCONCLUSIVE),
            (0.80, Side.CANDIDATE, Verdict.INCONCLUSIVE),
            (1.25, Side.CANDIDATE, Verdict.REGRESSED),
            (1.00, Side.BASELINE, Verdict.PASSED),
            (1.25, Side.BASELINE, Verdict.REGRESSED),
        ],
    )
    def test_what_the_candidate_lacks_may_be_its_worst(self, ratio: float, lacks: Side, verdict: Verdict) -> None:
        gone = Missing(reason="a p99 needs 1,000 requests")
        pairs = [
            (Value(amount=1.0, requests=9), Value(amount=ratio * each, requests=9)) for each in (1.0, 1.005, 0.995)
        ]
        lost = (gone, pairs[0][1]) if lacks is Side.BASELINE else (pairs[0][0], gone)
        found = _judge_one(paired_evidence(CPU, [*pairs, lost]))
        assert found.verdict is verdict
        assert "in 3 of 4 pairs; a p99 needs 1,000 requests" in found.reason
        if verdict is Verdict.INCONCLUSIVE:
            assert "the candidate may lack it where it is worst" in found.reason
            assert found.pairs_needed is None

    def test_there_is_no_ratio_to_zero(self) -> None:
        readings = [(Value(amount=0.0, requests=100), Value(amount=1.0, requests=100))] * 3
        found = _judge_one(paired_evidence(Metric(name="gc.pause"), readings))
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "zero in 3 of 3 forks of the baseline" in found.reason

    def test_numbers_that_are_none_are_not_believed(self) -> None:
        readings = [(Value(amount=1.0, requests=100), Value(amount=math.inf, requests=100))] * 3
        assert _judge_one(paired_evidence(CPU, readings)).estimate is None


RATIOS = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=8)
MIRROR = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}


@given(RATIOS)
@example([1.1, 1.1])  # exactly the budget
def test_swapping_the_sides_mirrors_what_has_changed(ratios: list[float]) -> None:
    forwards = _judge_one(_evidence(P99, ratios))
    backwards = _judge_one(_evidence(P99, [1 / ratio for ratio in ratios]))
    changed = forwards.verdict in MIRROR or backwards.verdict in MIRROR
    assert not changed or backwards.verdict is MIRROR[forwards.verdict]
    assert forwards.estimate is not None
    assert backwards.estimate is not None
    assert 1 + backwards.estimate.change == pytest.approx(1 / (1 + forwards.estimate.change))


@given(RATIOS, st.floats(0.01, 0.5))
def test_a_wider_budget_never_makes_a_verdict_worse(ratios: list[float], budget: float) -> None:
    narrow = _judge_one(_evidence(P99, ratios), Budget(metric="latency.p99", relative=budget)).verdict
    wide = _judge_one(_evidence(P99, ratios), Budget(metric="latency.p99", relative=2 * budget)).verdict
    assert narrow is Verdict.REGRESSED or wide is not Verdict.REGRESSED


def _gate_of_six(rng: np.random.Generator, *, pairs: int, cpu: float = 1.0) -> list[Case]:
    """Three p99 with 10 % noise, CPU and a mean with 5 %, allocation with 0.1 %, all as log-ratios of pairs."""
    sds = {
        **{Metric(name="latency.p99", endpoint=name): (0.10, 1.0) for name in "abc"},
        CPU: (0.05, cpu),
        Metric(name="latency.mean"): (0.05, 1.0),
        ALLOCATION: (0.001, 1.0),
    }
    return [
        Case(
            evidence=_evidence(metric, truth * np.exp(rng.normal(0, sd, pairs))),
            budget=budget_for(metric, ()),
            role=Role.GUARANTEED,
        )
        for metric, (sd, truth) in sds.items()
    ]


def test_identical_builds_are_regressed_in_at_most_one_of_a_hundred_comparisons() -> None:
    rng = np.random.default_rng(2024)
    alarms = sum(
        any(judgement.verdict is Verdict.REGRESSED for judgement in judge(_gate_of_six(rng, pairs=4)))
        for _ in range(300)
    )
    assert alarms <= 3


def test_the_level_holds_even_where_no_budget_helps() -> None:
    # Without budgets significance alone decides: the bare level of the correction.
    rng = np.random.default_rng(99)
    alarms = 0
    for _ in range(1000):
        cases = [
            Case(
                evidence=_evidence(Metric(name=f"m{n}"), np.exp(rng.normal(0, 0.1, 4))),
                budget=None,
                role=Role.GUARANTEED,
            )
            for n in range(6)
        ]
        alarms += any(judgement.verdict is Verdict.REGRESSED for judgement in judge(cases))
    assert alarms <= 12, f"{alarms} of 1000 at a level of 0.5 %"
    assert LEVELS[Role.GUARANTEED] == 0.01


def test_forty_percent_more_cpu_is_found_with_four_pairs_that_nothing_else_informs() -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(100):
        judgements = judge(_gate_of_six(rng, pairs=4, cpu=1.4))
        found += next(j for j in judgements if j.metric == CPU).verdict is Verdict.REGRESSED
    assert found >= 70


@pytest.mark.parametrize(
    ("role", "verdict"), [(Role.TRIPWIRE, Verdict.INCONCLUSIVE), (Role.OBSERVED, Verdict.REGRESSED)]
)
def test_what_decides_nothing_is_held_to_a_milder_correction(role: Role, verdict: Verdict) -> None:
    clear = [_evidence(Metric(name=f"clear{n}"), [1.2, 1.22, 1.19, 1.21, 1.2]) for n in range(3)]
    quiet = [_evidence(Metric(name=f"quiet{n}"), [1.1, 0.9, 1.0, 1.08, 0.92]) for n in range(7)]
    mild = _evidence(Metric(name="mild"), [1.10, 1.06, 1.15, 1.13, 1.08])
    judgements = judge([Case(evidence=evidence, budget=None, role=role) for evidence in [*clear, *quiet, mild]])
    assert next(j for j in judgements if j.metric.name == "mild").verdict is verdict


def test_guaranteed_metrics_come_first_then_the_gravest() -> None:
    cases = [
        Case(evidence=_evidence(ALLOCATION, [1.0, 1.0, 1.0]), budget=budget_for(ALLOCATION, ()), role=Role.GUARANTEED),
        Case(evidence=_evidence(P99, [2.0, 2.0, 2.01]), budget=None, role=Role.TRIPWIRE),
        Case(evidence=_evidence(CPU, [1.5, 1.5, 1.51]), budget=budget_for(CPU, ()), role=Role.GUARANTEED),
    ]
    assert [judgement.metric for judgement in judge(cases)] == [CPU, ALLOCATION, P99]


def test_the_bound_of_tripwires_of_one_kind_holds_for_any_of_them() -> None:
    def bound(endpoints: int) -> float:
        cases = [
            Case(
                evidence=_evidence(Metric(name="latency.p50", endpoint=f"{n}"), [1.01, 0.99, 1.02, 1.0]),
                budget=Budget(metric="latency.p50", relative=0.1),
                role=Role.TRIPWIRE,
            )
            for n in range(endpoints)
        ]
        ruled_out = judge(cases)[0].ruled_out
        assert ruled_out is not None
        return ruled_out.bound

    assert bound(5) > bound(1)
