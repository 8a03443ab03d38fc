"""What a look has shown stays shown at the looks after it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pacecar.comparison import Judgement, Metric, Scale, Verdict
from pacecar.experiment import Budget
from pacecar.judge.budgets import budget_for
from pacecar.judge.case import Case
from pacecar.judge.evidence import paired_evidence
from pacecar.judge.paired import compare_pairs
from pacecar.judge.reading import Value
from pacecar.judge.verdicts import NOTHING_SHOWN, judge, levels_of, shown_by
from pacecar.stats.looks import looks_until

CPU = Metric(name="cpu")
ERRORS = Metric(name="errors", unit="%", scale=Scale.DIFFERENCE, machine_bound=False)
MOST = 12
CLEARLY_WORSE = (1.20, 1.21, 1.19)
LOUD = (1.60, 0.75)


def _case(metric: Metric, values: Sequence[tuple[float, float]], *budgets: Budget, gated: bool) -> Case:
    readings = [(Value(amount=before, requests=3000), Value(amount=after, requests=3000)) for before, after in values]
    return Case(evidence=paired_evidence(metric, readings), budget=budget_for(metric, budgets), gated=gated)


def _looked_at(
    values: Sequence[tuple[float, float]], *budgets: Budget, metric: Metric = CPU, gated: bool = True
) -> Judgement:
    """The last judgement of a run that was looked at all along."""
    shown = NOTHING_SHOWN
    for look in looks_until(len(values), most=MOST):
        case = _case(metric, values[:look], *budgets, gated=gated)
        judgements = judge([case], levels=levels_of(look, most=MOST), shown=shown)
        shown = shown_by(judgements, before=shown)
    return judgements[0]


def _ratios(*ratios: float) -> list[tuple[float, float]]:
    return [(10.0, 10.0 * ratio) for ratio in ratios]


@pytest.mark.parametrize(
    ("turn", "verdict", "where"),
    [
        (1, Verdict.REGRESSED, "is beyond the budget of 5%"),
        (-1, Verdict.IMPROVED, "is an improvement at least as large as the budget of 5%"),
    ],
)
def test_a_change_that_was_shown_once_needs_no_second_proof(turn: int, verdict: Verdict, where: str) -> None:
    values = _ratios(*(ratio**turn for ratio in (*CLEARLY_WORSE, *LOUD)))
    alone = judge([_case(CPU, values, gated=True)], levels=levels_of(len(values), most=MOST))[0]
    assert alone.verdict is Verdict.INCONCLUSIVE
    found = _looked_at(values)
    assert found.verdict is verdict
    assert where in found.reason
    assert found.reason.endswith("that it cannot be chance was shown after 3 pairs")
    assert found.estimate == alone.estimate
    assert found.pairs_needed is None


def test_a_change_that_has_fallen_below_the_budget_is_undecided_again() -> None:
    assert _looked_at(_ratios(*CLEARLY_WORSE)).verdict is Verdict.REGRESSED
    assert _looked_at(_ratios(*CLEARLY_WORSE, 0.75, 0.80)).verdict is Verdict.INCONCLUSIVE


def test_equality_stays_while_the_estimate_is_inside_the_budget() -> None:
    alike = _ratios(1.001, 0.999, 1.0)
    assert _looked_at(alike).verdict is Verdict.UNCHANGED
    found = _looked_at([*alike, *_ratios(1.12, 0.92)])
    assert found.verdict is Verdict.UNCHANGED
    assert found.reason.endswith("is inside the budget of 5%, as was shown after 3 pairs")
    assert _looked_at([*alike, *_ratios(1.60, 0.90)]).verdict is Verdict.INCONCLUSIVE


def test_zeros_show_no_equality_of_what_comes_after_them() -> None:
    values = [(0.0, 0.0)] * 3
    assert _looked_at(values, metric=ERRORS).verdict is Verdict.UNCHANGED
    found = _looked_at([*values, (0.0, 1.9)], metric=ERRORS)
    assert found.verdict is Verdict.INCONCLUSIVE


def test_the_largest_tolerated_value_is_held_by_every_look_itself() -> None:
    budget = Budget(metric="cpu", absolute=9.0, relative=0.05)
    values = _ratios(*CLEARLY_WORSE)
    assert _looked_at(values, budget).verdict is Verdict.REGRESSED
    assert _looked_at([*values, *_ratios(*LOUD)], budget).verdict is Verdict.INCONCLUSIVE


def test_outside_the_gate_nothing_stays() -> None:
    assert _looked_at(_ratios(*CLEARLY_WORSE), gated=False).verdict is Verdict.REGRESSED
    assert _looked_at(_ratios(*CLEARLY_WORSE, *LOUD), gated=False).verdict is Verdict.INCONCLUSIVE


def test_a_run_is_judged_by_all_the_looks_it_had(make_pair, truth) -> None:
    costs = (1.2, 1.21, 1.19, 1.6, 0.75)
    pairs = [make_pair(number, candidate=truth(cpu_ms=cost)) for number, cost in enumerate(costs, start=1)]
    once, all_along = (
        compare_pairs(pairs, budgets=(), gate=("cpu",), application=("shop.",), most=most) for most in (None, MOST)
    )
    assert once.verdict is Verdict.INCONCLUSIVE
    assert all_along.verdict is Verdict.REGRESSED
    assert "was shown after 3 pairs" in all_along.reason
